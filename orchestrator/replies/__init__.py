"""Replies: the text that a model answers, as one typed value; one writer and one reader for all reply types.

Other folders of the package are not imported here. Start with `reply` (the base class). `text_format.text_of` writes
a reply as text, `reader.read` reads one from text; `text_format` also holds the format of replies in named lines.
`doubts` is the one table of words that leave doubt about a decision. `malformed` writes the malformed answers that
simulated models give.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
