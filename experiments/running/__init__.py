"""The engine: it asks the units of a task that a run folder does not hold yet, in one process, in
several or on Ray.

It may import study and record alone: what is asked, how it is scored and how it is shown is handed
in. Start reading at task.py (what a task is) and runner.py (a command, and why it stops);
unit_pool.py asks many units at a time, executors.py in several processes, control.py obeys the user
meanwhile.
"""
