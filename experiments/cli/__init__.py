"""The command line."""

from experiments.cli.app import main as main
