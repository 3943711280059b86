"""The marks of the roles that report: what they stated in typed fields, against the truth and the exact belief.

A file holds the marks of one kind of statement. The folder imports reply types and `truth.py`; the roles' files import
it. Start reading with `exact_belief.py` and `discard_marks.py`. What the marks mean for a reader: docs/marks.md.
"""
