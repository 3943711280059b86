"""Measurements of speed, throughput and partners' scores (the command `bench`), and what each part of a graph is worth.

It may import results, design, show and running. Start reading at speed.py.
"""
