"""Games in the formats of other programs, and games of other programs as journals.

It may import `results`, `design`, `running` and `show`. Start with `sources`, which finds the journals to export. Each
format has its own files: `hanab_live*` (both ways), `otlp*` with `spans` (traces, also live), `atif` (trajectories),
`inspect_log`, and `hanabi_logs` (published records, read only).
"""
