"""The sections: what a role can see of a position, piece by piece, as data for programs and as words for models.

`table.py` is the table as it stands, `history.py` the past moves and the seat's memory, `past_games.py` games before
this one, `fixed.py` what is the same on every turn, `convention_facts.py` what the conventions say now, and
`judged_lists.py` what the judge of state tracking compares; the legal moves are in `roles/legal_moves.py`.
`compact_words.py` has the short form of `convention_facts.py`, `code_words.py` its words beside the pack `information`.
The folder imports `orchestrator`, `prompts` and the files of `roles/`. Start reading with `State` in `table.py`.
"""
