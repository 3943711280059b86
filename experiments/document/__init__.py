"""Tables and texts as data, and the writers that turn them into terminal text, Markdown, HTML,
LaTeX, JSON and CSV.

It imports nothing of experiments. Every report, list and status is made of the blocks in blocks.py;
formats.py says how a value is written; what has no row and no value is not printed.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
