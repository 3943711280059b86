"""What the roles' programs share: a position built from sections, literal play on it, play by conventions.

The folder imports `orchestrator.hanabi`, the sections, the files of `roles/`, and of the files beside it only
`history_report.py`, the report that says how far partners keep to conventions. Start reading with `position.py`.
"""
