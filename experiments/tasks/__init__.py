"""What a study can ask beside whole games: positions, probes, questions, statements that a judge rates, and forks.

Each folder is one task, with its samples, how they are asked, how the answers are scored, and its report.
"""
