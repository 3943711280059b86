from . import partners
from .base import Partner, Rule
from .python_agent import PythonAgent

__all__ = [
    "Partner",
    "PythonAgent",
    "Rule",
    "partners",
]
