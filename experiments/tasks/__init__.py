"""What a study can ask: whole games, positions, probes, questions, and statements that a judge
rates.

Each folder is one task, with its samples, how they are asked, how the answers are scored, and its
report; `fork`, which decides one recorded turn again, is no task. What a task is, and how to add
one: running/task.py, docs/add-a-task.md. A task that is a list of questions builds on
question_task.py, and keeps its runs by question_folder.py; `of_questions` makes one of a user's own.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
