"""Errors put into one role: its own marks fall, and the worst of all marks names it."""

from functools import partial
from pathlib import Path

import pytest

from benchmarks import fault_games, fault_matrix
from benchmarks.fault_changes import Fault, collected
from benchmarks.fault_games import Deal, Played, played
from benchmarks.fault_graphs import hosting, marked_roles, naming_marks, upstream
from hanabi_orchestrator.orchestrator import play
from hanabi_orchestrator.orchestrator.errors import UserError
from tests.support.prove import FULL

OWN = ("discard_strategist", "safety_brier")
OTHER = ("history_analyst", "inferred_held")
ROLES = tuple(marked_roles()) if FULL else ("discard_strategist", "self_verifier")


def fault(own: list[float], other: list[float]) -> Fault:
    """Two deals at rates 0 and 1 with these marks; lower is better for the first mark, higher for the second."""
    games = [
        Played(
            Deal("discard_strategist", rate, seed, 3, None),
            {OWN: own[i], OTHER: other[i]},
            {OWN: own[i]},
        )
        for i, (rate, seed) in enumerate([(0.0, 1), (0.0, 2), (1.0, 1), (1.0, 2)])
    ]
    return collected("discard_strategist", games)


def test_a_mark_that_worsens_is_named_whichever_way_is_better() -> None:
    assert fault([0.1, 0.1, 0.3, 0.4], [0.9, 0.9, 0.9, 1.0]).named(1.0) == "discard_strategist"
    assert fault([0.3, 0.4, 0.1, 0.1], [0.9, 0.9, 0.7, 0.6]).named(1.0) == "history_analyst"
    assert fault([0.3, 0.3, 0.3, 0.3], [0.9, 0.9, 0.9, 0.9]).named(1.0) == ""
    assert fault([0.1, 0.1, 0.3, 0.4], [0.9, 0.9, 0.9, 1.0]).falls(OWN)
    assert not fault([0.1, 0.1, 0.3, 0.4], [0.9, 0.9, 0.9, 1.0]).falls(OTHER)


def test_a_mark_that_falls_alike_in_all_deals_is_the_worst() -> None:
    found = fault([0.1, 0.1, 0.9, 0.8], [0.9, 0.9, 0.8, 0.8])
    assert found.named(1.0) == "history_analyst" and found.worst_own(1) == [OWN]


def test_roles_are_named_by_marks_of_their_own_replies() -> None:
    assert len(marked_roles()) >= 10
    chooser = naming_marks("aggregator")
    reporter = naming_marks("tom_interpreter")
    assert {"regret", "chose_best"} <= chooser.keys() and {
        "next_log",
        "hint_useful",
    } <= reporter.keys()
    assert not {"agrees", "followed", "listed_rank"} & chooser.keys()
    assert not {"hint_given", "overruled_right", "followed_wrong"} & reporter.keys()
    assert naming_marks("self_verifier").keys() == {
        "right_verdict",
        "refused_safe",
        "accepted_unsafe",
    }


def test_a_role_errs_in_a_graph_that_has_it() -> None:
    config, nodes = hosting("tom_interpreter", "house")
    assert (config.name, nodes) == ("house", ("tom_interpreter",))
    assert upstream(config, nodes) == {"history_analyst", "discard_strategist"}
    config, nodes = hosting("analyst")
    assert nodes == ("analyst",) and "analyst" in config.nodes[config.decides].reads
    with pytest.raises(UserError, match="unknown role 'x'"):
        hosting("x")


def test_a_refused_chooser_learns_of_its_judge() -> None:
    config, nodes = hosting("self_verifier", "cac")
    assert upstream(config, nodes) == {"cac_interpreter"}


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games of 27 turns where not everything is to be proved."""
    if not FULL:
        monkeypatch.setattr(fault_games, "play", partial(play, max_turns=27))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("faults")


def given(
    role: str, rates: tuple[float, ...] = (0.0, 0.6), deals: int = 6 if FULL else 2
) -> list[Deal]:
    return [Deal(role, rate, seed, 3, None) for seed in range(1, deals + 1) for rate in rates]


@pytest.mark.parametrize("role", ROLES)
def test_at_given_positions_errors_show_in_the_replies_of_one_role_and_of_those_who_read_it(
    role: str, folder: Path
) -> None:
    found = collected(role, played(given(role), folder))
    apart = upstream(*hosting(role))
    exact, wrong = (found.games[rate] for rate in (0.0, 0.6))
    assert found.erred(0.0) == 0 and found.erred(0.6) > 0.5
    for seed in exact:
        unmoved = {mark: value for mark, value in exact[seed].marks.items() if mark[0] in apart}
        assert unmoved == {
            mark: value for mark, value in wrong[seed].marks.items() if mark[0] in apart
        }
    worst = found.change(found.worst_own(1)[0], 0.6)
    assert worst is not None and worst.estimate.mean < 0
    assert found.named(0.6) == found.named(0.6, beside=True) == role


def test_what_is_kept_is_not_played_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (game, *_) = given("self_verifier", rates=(0.6,))
    (first,) = played([game], folder)
    monkeypatch.setattr(fault_games, "play", lambda *_, **__: pytest.fail("played again"))
    monkeypatch.setattr(fault_games, "role_marks", lambda *_, **__: pytest.fail("marked again"))
    assert list(played([game], folder)) == [first]
    kept = game.path(folder)
    kept.write_text(kept.read_text().replace('"of": "', '"of": "x'))
    with pytest.raises(pytest.fail.Exception, match="marked again"):  # other code, or another graph
        list(played([game], folder))


def test_a_role_may_err_all_game_long(tmp_path: Path) -> None:
    (found,) = played([Deal("self_verifier", 0.6, 1, 2, None, own_games=True)], tmp_path)
    assert found.erred > 0.3 and found.marks["self_verifier", "right_verdict"] < 0.8
    assert len(list(tmp_path.rglob("*.jsonl"))) == 1


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--games", "1"], "an interval needs at least 2 games"),
        (["--rates", "0.1"], "at least 2 rates"),
        (["--roles", "judgee"], "unknown role 'judgee'"),
        (["--roles", "cac_interpreter"], "role 'cac_interpreter' has no mark"),
    ],
)
def test_a_command_that_cannot_compare_says_what_is_needed(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    more: list[str],
    said: str,
) -> None:
    monkeypatch.setattr("sys.argv", ["fault_matrix", str(tmp_path), *more])
    with pytest.raises(SystemExit):
        fault_matrix.main()
    assert said in capsys.readouterr().err


def test_the_command_prints_the_matrix(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [str(folder), "--roles", "self_verifier", "--games", "2", "--rates", "0", "0.6"]
    monkeypatch.setattr("sys.argv", ["fault_matrix", *asked])
    fault_matrix.main()
    printed = capsys.readouterr().out
    assert "right_verdict" in printed and "self_verifier (2 deals)" in printed
    assert "rate 0.6, against rate 0: the right role in 1 of 1" in printed
