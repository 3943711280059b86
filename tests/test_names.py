"""The language of the code: names say what a value is."""

from tests.support.imports import PACKAGES, sources
from tests.support.sizes import nameless

MOST = 0.012
"""The share of names that may be pronouns or participles; to be lowered when it falls."""


def test_names_say_what_a_value_is() -> None:
    share, words = nameless(path for package in PACKAGES for path in sources(package))
    assert share <= MOST, f"{100 * share:.2f} % of the names are pronouns or participles: {words.most_common(8)}"
