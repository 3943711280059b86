"""What a study can ask: whole games, positions, probes, questions, and statements that a judge rates.

Each folder is one task, with its samples, how they are asked, how the answers are scored, and its report; `fork`, which
decides one recorded turn again, is none. question_task.py is what questions of any kind share.
"""
