"""Players that ask no model: rule players (`partner:NAME`) and agents written for HLE (`python:module:object`).

This folder may import `table` and everything below it. Start with `base`, which says what a partner is, then `smart`, a
player of the hint convention in a few lines; `partners` lists them all.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
