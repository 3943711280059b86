"""Unknown names are met with the one that was probably meant, whatever their prefix."""

import pytest

from orchestrator import spelling


@pytest.mark.parametrize(
    ("written", "names", "meant"),
    [
        ("huose", ["cac", "house"], "house"),
        ("piers", ["house", "partner:piers"], "partner:piers"),
        ("average", ["sim:careful", "sim:average"], "sim:average"),
        ("role_ablation", ["role-ablation", "strength"], "role-ablation"),
        ("zebra", ["cac", "house"], None),
    ],
)
def test_the_similar_name_is_found(written: str, names: list[str], meant: str | None) -> None:
    assert spelling.similar(written, names) == meant


def test_the_known_names_follow_the_question() -> None:
    assert spelling.known("huose", ["cac", "house"]) == "did you mean 'house'? Known: cac, house"
    assert spelling.known("zebra", ["cac", "house"], "it has") == "it has: cac, house"
    assert spelling.known("zebra", []) == "known: none"
