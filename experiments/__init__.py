"""Experiments on graphs of roles: design, run, analyse and report them; and the command line.

A study asks samples of arms (study, tasks, running); the record says what they did; analysis and values say what it is
worth; reports, show, page and interchange tell it in documents. Start reading at cli/experiment.py, where the commands
call everything else; tests/test_house.py lists what each folder may import.

Users import everything from here. The names are loaded when they are first used.
"""

import lazy_loader

if __name__ == "experiments":
    raise ImportError(
        "experiments is part of one package: from hanabi_orchestrator import experiments"
    )

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
