"""The judge of state tracking: asked, of games that are over, how well each seat kept track of all cards.

`statements` are the lists that seats wrote, turn by turn; `judging` puts one to the role `state_judge`; `judge_run`
asks for all of them and keeps the answers in a folder (`judged_folder`). `ratings` reads them back with the exact score
of each, `human_ratings` what people rated, and `judge_report` says how far they agree. It may import results, marks,
show, running and statistics. Start reading at judge_run.py.
"""
