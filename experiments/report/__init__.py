"""Reports of runs: pages with tables and figures, the summary that a run prints, and the comparison of two runs.

It may import results, design, show, running and statistics. Start reading at run_report.py; a new figure goes into
figures/.
"""
