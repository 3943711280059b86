"""Positions: banks of turns that were drawn from games, and which roles' notes change what is
decided on them.

Start with `bank.py`, then `study.py` (what is asked), `position_run.py` (asking) and `effects.py`
(what it shows). Of all files `truth.py` alone reads the hidden cards of a bank, and the arm
`own_hand`, which cheats by intention, alone uses it.
"""
