"""Experiments on graphs of roles: design, run, analyse and report them; and the command line.

Nothing outside imports this package. Inside, imports go one way: results <- design, marks <- show <- statistics,
running <- report, export, fork <- doctor, diff, page <- bench <- cli. Start reading at cli/experiment.py,
where the commands call everything else.

Users import everything from here. The names are loaded when they are first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
