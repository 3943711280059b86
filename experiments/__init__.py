"""Runs, compares, reports, and the command line."""
