"""Players that ask no model: rule players (`partner:NAME`) and agents written for HLE (`python:module:object`).

A partner is our word for a rule player. The families are a file each, and a folder: `published` (players of papers, by
production rules), `graded` (simpler convention players), `smart` (convention players) and `hat` (hat players);
`partners` lists them all. This folder may import `table` and everything before it.
Start with `base`, which says what a partner is, then `smart`, a player of the hint convention in a few lines.
"""
