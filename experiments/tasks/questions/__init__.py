"""CoordinationQA: multiple-choice questions on positions of coordination games, asked of models and
of programs.

Start with `questions` (the CSV) and `coordination_qa` (how a question is put, and a run of them).
`option_reading` says which option an answer means. `program` reads the text of Hanabi positions,
and answers for them. `question_report` has the figures and shows them.
"""
