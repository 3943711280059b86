"""`python -m hanabi_orchestrator`: the command line, wherever it is started."""

from hanabi_orchestrator.experiments.cli import main

main()
