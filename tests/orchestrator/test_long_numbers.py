"""Numbers of thousands of digits, which Python refuses to read, from servers, models, files and people: each is a fault
of its text alone, and ends nothing."""

import re
from pathlib import Path

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.page.library import Library
from hanabi_orchestrator.experiments.page.server import Api
from hanabi_orchestrator.graphs.control_notes import shuffled
from hanabi_orchestrator.orchestrator import play
from hanabi_orchestrator.orchestrator.errors import ModelError
from hanabi_orchestrator.orchestrator.players.typed_move import typed_move
from hanabi_orchestrator.roles import Choice
from hanabi_orchestrator.roles.hanabi import card_words
from tests.conftest import Run
from tests.orchestrator.models.test_faults import asked_of, refusing
from tests.support.positions import random_views

LONG = "9" * 5000


@pytest.mark.parametrize(
    "words",
    [
        f"maximum context length {LONG}",
        f"n_ctx={LONG}",
        f"Limit {LONG}, Requested {LONG}1",
        f"Request too large: Limit 3000, Requested {LONG}",
        f"retry in {LONG}s",
    ],
)
@pytest.mark.parametrize("status", [400, 429])
async def test_a_server_that_names_one_is_refused_as_any_other(status: int, words: str) -> None:
    error, seen = await asked_of(refusing(status, {"error": {"message": words}}, []), attempts=2)
    assert isinstance(error, ModelError) and str(status) in str(error)
    assert [exchange.outcome for exchange in seen] == ["failed"]


def test_a_model_that_writes_one_has_said_no_card_and_its_note_is_moved() -> None:
    assert card_words.meaning(LONG) is None and card_words.meaning(f"R 1-{LONG}") is None
    early, late = random_views(2, 3)[2:7:4]
    note = Choice(reason=f"as in turn {LONG}", action=early.legal[0])
    moved = shuffled(note, early, late)
    assert moved is None or LONG in str(moved.as_data())


@pytest.mark.parametrize("text", [LONG, f"play {LONG}", f"d {LONG}", "²", "p ²"])
def test_a_person_who_types_one_is_told_what_is_there(text: str) -> None:
    with pytest.raises(ValueError, match=r"list|slot|can be read") as refusal:
        typed_move(text, random_views(2, 3)[0])
    assert len(str(refusal.value)) < 250


@pytest.mark.parametrize(
    "words",
    [
        ("--budget", f"{LONG}tokens"),
        ("--budget", f"{LONG}usd"),
        ("--seat", f"{LONG}=partner:piers"),
        ("--seat", "²=partner:piers"),
        ("--seed", LONG),
        ("--players", LONG),
        ("--max-tokens", LONG),
        ("--set", f"nodes.aggregator.samples={LONG}"),
    ],
)
def test_an_option_with_one_is_a_sentence(words: tuple[str, str], run: Run) -> None:
    code, out, err = run("play", "--graph", "house", *words)
    assert (code, out) == (2, "") and "Traceback" not in err and len(err) < 12_000


@pytest.mark.parametrize("shard", [f"1/{LONG}", f"{LONG}/{LONG}", "²/3", "١/٣", "0/2", "3/2", "1"])
def test_a_shard_is_two_plain_numbers(shard: str, run: Run) -> None:
    Path("x.yaml").write_text("name: x\ngraph: watson\nplayers: 2\nseeds: 1\n", "utf-8")
    code, _, err = run("experiment", "run", "x.yaml", "--shard", shard)
    assert code == 2 and "it must be I/N" in err and err.count("\n") == 1


def test_a_journal_with_one_hides_no_other_game(tmp_path: Path, run: Run) -> None:
    for name in ("good", "bad"):
        path = tmp_path / "games" / f"{name}.jsonl"
        play(graphs.seat("watson"), players=2, seed=1, journal=path, max_turns=2)
    for pattern in (rb'"repeat": \d+', rb'"turns": \d+'):
        text, count = re.subn(pattern, pattern[:-3] + LONG.encode(), path.read_bytes())
        assert count
        path.write_bytes(text)
        code, out, err = run("list", "games", "games")
        assert code == 0 and "good.jsonl" in out and "Traceback" not in err
        assert "good" in str(Api(Library.open(path.parent)).ask("games")["rows"])
