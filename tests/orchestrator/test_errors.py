"""Unknown names are met with the one that was probably meant, whatever their prefix."""

import pytest

from hanabi_orchestrator.orchestrator.errors import did_you_mean, similar_name


@pytest.mark.parametrize(
    ("written", "names", "meant"),
    [
        ("huose", ["cac", "house"], "house"),
        ("piers", ["house", "partner:piers"], "partner:piers"),
        ("average", ["sim:careful", "sim:average"], "sim:average"),
        ("role_ablation", ["role-ablation", "strength"], "role-ablation"),
        ("zebra", ["cac", "house"], None),
        ("tom", ["analyst", "tom_interpreter", "tom_planner"], "tom_interpreter"),
        ("history", ["analyst", "sherlock_history_analyst"], "sherlock_history_analyst"),
        ("lyst", ["first_analyst_of_all", "second_analyst_of_all"], None),
        ("to", ["tom_interpreter"], None),
    ],
)
def test_the_similar_name_is_found(written: str, names: list[str], meant: str | None) -> None:
    assert similar_name(written, names) == meant


def test_the_known_names_follow_the_question() -> None:
    assert did_you_mean("huose", ["cac", "house"]) == "did you mean 'house'? Known: cac, house"
    assert did_you_mean("zebra", ["cac", "house"], "it has") == "it has: cac, house"
    assert did_you_mean("zebra", []) == "known: none"
