"""CoordinationQA: multiple-choice questions on positions of coordination games, asked of models and of programs.

Start with `questions` (the CSV) and `coordination_qa` (how a question is put, and a run of them). `option_reading` says
which option an answer means. `program` answers for Hanabi: `state_text` reads the text of a position, from which
`state_facts` and `state_moves` answer. `accuracy` has the figures, `question_report` shows them.
"""
