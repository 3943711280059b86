"""Numbers in, numbers out: estimates, permutation tests, power, clustered shares, agreement and
sequential looks.

It imports nothing of this project: what the numbers are about, `experiments/analysis` knows.
p-values are computed in permutation.py; start reading there.
"""
