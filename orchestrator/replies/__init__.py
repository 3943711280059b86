"""Replies: the text that a model answers, as one typed value; one writer and one reader for all reply types.

Other folders of the package are not imported here. Start with `reply` (the base class), then `reader` (text to reply)
and `text_format` (replies in named lines); `malformed` writes the texts that simulated models spoil.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
