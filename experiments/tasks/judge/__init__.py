"""The judge of state tracking: asked, of games that are over, how well each seat kept track of all
cards.

`statements` are the lists that seats wrote, turn by turn; `judge_run` puts each to the role
`state_judge`, as a kind of questions (`tasks.question_task`), and keeps the answers in a folder.
`human_ratings` reads what people rated, and `judge_report` says how far judge, exact score and
people agree. Start reading at judge_run.py.
"""
