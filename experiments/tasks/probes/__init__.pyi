from .bank import conventions, packs, probes
from .probe import Probe

__all__ = ["Probe", "conventions", "packs", "probes"]
