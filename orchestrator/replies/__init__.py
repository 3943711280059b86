"""Replies: the text that a model answers, as one typed value; one writer and one reader for all reply types.

Other folders of the package are not imported here. Start with `reply` (the base class, and the keys by which a field
says what a schema may hold it to). `writer` writes a reply as text, well-formed or as simulated models spoil it.
`reader.read` reads one: named lines by `text`, objects by `json_objects`, single values by `values`, verdicts in words
by `verdicts`. `doubts` is the one table of words that leave doubt about a decision.
"""
