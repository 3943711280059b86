"""Reports of runs: one document of tables, notes and figures, the verdict that begins it, and runs
compared.

Start reading at run_report.py. A new table is a function in score_tables.py or control_tables.py
that returns a Table, and a line of run_report.py; a new figure goes into figures/.
"""
