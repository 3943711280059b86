"""Measurements of speed, throughput and partners' scores (the command `bench`), and what each part of a graph is worth.

README.md has the commands. Start reading at speed.py.
"""
