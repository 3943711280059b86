"""Convention probes: positions in which a convention decides the move, the moves that keep it, and
who gives them.

Start with `probe` (what one is) and `bank` (all of them, made from a seed). `newest`, `hgroup_1`
and `basic` say for each convention pack which moves keep its rules, and where.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
