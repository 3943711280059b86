from .reader import Reading, read
from .reply import Form, Options, Reply, Unreadable

__all__ = [
    "Form",
    "Options",
    "Reading",
    "Reply",
    "Unreadable",
    "read",
]
