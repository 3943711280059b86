"""`python -m hanabi_orchestrator`: the command line, wherever it is started."""

from importlib import import_module

import_module("hanabi_orchestrator.experiments.cli").main()
