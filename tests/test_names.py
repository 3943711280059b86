"""The language of the code: names say what a value is."""

import pytest

from tests.support.imports import sources
from tests.support.sizes import nameless

MOST = {"prompts": 0.0, "orchestrator": 0.002, "roles": 0.009, "graphs": 0.0, "experiments": 0.012}
"""By package, the share of names that may be pronouns or participles; to be lowered when it falls."""


@pytest.mark.parametrize("package", MOST)
def test_names_say_what_a_value_is(package: str) -> None:
    share, words = nameless(sources(package))
    assert share <= MOST[package], (
        f"{100 * share:.2f} % of the names are pronouns or participles: {dict(words)}"
    )
