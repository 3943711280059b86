"""The table and its edges: cards, moves, views, beliefs, the referee, the model layer, the journal."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
