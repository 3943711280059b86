from .common_knowledge import CommonKnowledge, common_knowledge
from .hint_convention import Convention, focus, next_discard
from .partner_model import PartnerModel, understand
from .policy import Scene, decide

__all__ = [
    "CommonKnowledge",
    "Convention",
    "PartnerModel",
    "Scene",
    "common_knowledge",
    "decide",
    "focus",
    "next_discard",
    "understand",
]
