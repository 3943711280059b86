"""Differences: of two games, turn by turn, and of two runs, deal by deal.

It may import `report`, `statistics`, `running`, `design`, `results` and `show`, and the packages below. Start with
`two_games` for journals and `two_runs` for run folders; both can be printed and given as plain data.
"""
