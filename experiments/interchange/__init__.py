"""Games in the formats of other programs, and games of other programs as journals.

`experiments.games` finds the journals to export, `experiments.formats` lists the formats. Each has
its own files:
`hanab_live*` (both ways), `otlp*` with `spans` (traces), `live_traces` (while games are played),
`atif` (trajectories), `inspect_log`, `hanabi_logs*` with `hle_state` (published turns, read in),
and `data_*` with `decisions` (data sets for training).
"""
