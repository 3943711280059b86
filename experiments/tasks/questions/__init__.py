"""CoordinationQA: multiple-choice questions on positions of coordination games, asked of models and of programs.

It may import `results`, `design`, `show`, `running` and `statistics`. Start with `questions` (the CSV) and
`question_run` (a run, kept in its `run_folder`). `asking` says how a question is put, `option_reading` which option an
answer means. `program` answers for Hanabi: `state_text` reads the text of a position, from which `state_facts` and
`state_moves` answer. `answers` reads a run's folder, `accuracy` has the figures, `question_report` and
`question_tables` show them.
"""
