"""Measurements of speed, throughput and partners' scores on this machine: the command `bench`.

It may import results, design, show and running. Start reading at speed.py.
"""
