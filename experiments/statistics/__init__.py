"""The statistics of finished games: estimates, permutation tests, power, pairing by seed, and conclusions in sentences.

It may import results, design and show. Start reading at analysis.py; p-values are computed in permutation.py.
"""
