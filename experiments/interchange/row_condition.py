"""Which rows are wanted, by an expression over their columns: `score_kept >= 20 and role == 'proposer'`."""

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from simpleeval import EvalWithCompoundTypes

from orchestrator.errors import UserError, did_you_mean

Condition = Callable[[Mapping[str, Any]], bool]


@lru_cache
def over(text: str, columns: tuple[str, ...]) -> Condition:
    """Return the condition of an expression over columns, such as `score_kept >= 20 and role == 'proposer'`.

    Raises UserError for what is no such expression.
    """
    try:
        parsed = EvalWithCompoundTypes.parse(text)
    except SyntaxError as error:
        raise UserError(f"--where {text!r} cannot be read: {error.msg}") from None
    names = [node.id for node in ast.walk(parsed) if isinstance(node, ast.Name)]
    if unknown := next((name for name in names if name not in columns), None):
        raise UserError(f"--where: there is no column {unknown!r}; {did_you_mean(unknown, columns, 'the columns are')}")

    def holds(facts: Mapping[str, Any]) -> bool:
        try:
            return bool(EvalWithCompoundTypes(names=dict(facts), functions={}).eval(text, parsed))
        except Exception as error:  # its own errors, and those of Python's operators
            raise UserError(f"--where {text!r} cannot be computed: {error}") from None

    return holds
