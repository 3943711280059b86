from .reader import Reading, Unreadable, read
from .reply import Form, Options, Reply

__all__ = [
    "Form",
    "Options",
    "Reading",
    "Reply",
    "Unreadable",
    "read",
]
