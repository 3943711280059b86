"""Spans for tracing tools: as their own parser reads them, in a file, to a collector, and while a game is played."""

import json
import re
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.interchange import live_traces, otlp, spans
from hanabi_orchestrator.experiments.study import experiment
from hanabi_orchestrator.experiments.tasks.games import experiment_run
from hanabi_orchestrator.experiments.tasks.games.experiment_run import run as run_experiment
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal import fingerprint
from hanabi_orchestrator.orchestrator.journal.events import Call, Decided, Moved, Parent, SeatInfo
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.table.game_loop import play
from tests.conftest import Run
from tests.support.collector import collector, parsed
from tests.support.servers import in_a_thread

pytest.importorskip("opentelemetry.sdk", reason="the extra otlp is not installed")


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four turns of two seats whose roles ask a server that takes its time."""
    path = tmp_path_factory.mktemp("otlp") / "game.jsonl"
    with in_a_thread(fake_endpoint.app(latency_s=0.05)) as url, pytest.MonkeyPatch.context() as env:
        env.setenv("HANABI_API_KEY", "sk-secret-of-the-test")
        play(
            graphs.seat("house", f"openai:fake@{url}"), players=2, seed=1, journal=path, max_turns=4
        )
    return path


def exported(run: Run, game: Path, *options: str) -> tuple[str, list[Any]]:
    code, out, err = run("export", str(game), "--to", "otlp", "--out", "spans.jsonl", *options)
    assert code == 0 and out.startswith("1 game, "), err
    text = Path("spans.jsonl").read_text("utf-8")
    return text, [span for line in text.splitlines() for span in parsed(line)]


def attributes(span: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in span.attributes}


def walk(made: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Each span with its parent."""
    by_id = {span.span_id: span for span in made}
    assert len(by_id) == len(made), "ids are unique"
    for span in made:
        yield span, by_id[span.parent_span_id] if span.parent_span_id else None


LEVELS = {
    "invoke_workflow hanabi": None,
    "hanabi.turn": "invoke_workflow hanabi",
    "invoke_agent seat": "hanabi.turn",
    "invoke_agent ": "invoke_agent seat",
    "chat ": "invoke_agent ",
}


def level(name: str) -> str:
    return next(one for one in LEVELS if name.startswith(one))


def test_a_forked_game_says_who_sat_there_before_the_fork(game: Path, run: Run) -> None:
    first, *rest = game.read_text("utf-8").splitlines(keepends=True)
    data = json.loads(first)
    parent = Parent(
        journal="a.jsonl",
        config_hash="",
        turn=3,
        seats={0: SeatInfo(graph="another", model="program")},
    )
    told = parent.model_dump(mode="json")
    deal = data["players"], data["deck"], data["repeat"], data["seats"], data.get("memories", {})
    data |= {"parent": told, "config_hash": fingerprint.of_game(*deal, told)}
    Path("forked.jsonl").write_text("".join([json.dumps(data), "\n", *rest]), "utf-8")
    _, made = exported(run, Path("forked.jsonl"))
    seats = [attributes(span) for span in made if span.name == "invoke_agent seat0"]
    assert {one["hanabi.turn"]: one["hanabi.graph"] for one in seats} == {1: "another", 3: "house"}


def test_a_game_is_a_tree_of_spans_that_fit_into_one_another(game: Path, run: Run) -> None:
    _, made = exported(run, game)
    events = journal.read(game)
    assert {span.trace_id for span in made} == {made[0].trace_id}
    for span, parent in walk(made):
        assert (level(parent.name) if parent else None) == LEVELS[level(span.name)]
        if parent:
            assert (
                parent.start_time_unix_nano <= span.start_time_unix_nano <= span.end_time_unix_nano
            )
            assert span.end_time_unix_nano <= parent.end_time_unix_nano
    chats = [attributes(span) for span in made if level(span.name) == "chat "]
    calls = [event for event in events if isinstance(event, Call) and event.of_model]
    assert len(chats) == len(calls) > 8
    for said, call in zip(chats, calls, strict=True):
        assert said["gen_ai.operation.name"] == "chat" and said["gen_ai.provider.name"] == "openai"
        assert said["gen_ai.request.model"] == "fake" and said["hanabi.node"] == call.node
        assert (said["gen_ai.usage.input_tokens"], said["gen_ai.usage.output_tokens"]) == (
            call.tokens_in,
            call.tokens_out,
        )
    moves = [attributes(span)["hanabi.move"] for span in made if span.name == "hanabi.turn"]
    assert moves == [str(event.past.move) for event in events if isinstance(event, Moved)]
    (root,) = (attributes(span) for span in made if not span.parent_span_id)
    assert (root["hanabi.end"], root["hanabi.turns"], root["hanabi.seed"]) == ("max_turns", 4, 1)


def test_roles_that_ran_at_the_same_time_overlap_and_last_as_long_as_they_did(
    game: Path, run: Run
) -> None:
    _, made = exported(run, game)
    asked = {span.parent_span_id for span in made if level(span.name) == "chat "}
    roles = [span for span in made if span.span_id in asked]
    pairs = [(a, b) for a, b in combinations(roles, 2) if a.parent_span_id == b.parent_span_id]
    apart = {
        (
            min(a.end_time_unix_nano, b.end_time_unix_nano)
            - max(a.start_time_unix_nano, b.start_time_unix_nano)
        )
        > 0
        for a, b in pairs
    }
    assert apart == {True, False}, "some wait for one another, others do not"
    calls = {
        (c.turn, c.node, c.ask): c.latency_s
        for c in journal.read(game)
        if isinstance(c, Call) and c.of_model
    }
    for span in made:
        if level(span.name) == "chat ":
            said = attributes(span)
            lasted = (span.end_time_unix_nano - span.start_time_unix_nano) / 1e9
            assert lasted == pytest.approx(
                calls[said["hanabi.turn"], said["hanabi.node"], said["hanabi.ask"]], abs=0.002
            )


def test_the_same_journal_gives_the_same_spans_and_another_game_others(
    game: Path, run: Run, tmp_path: Path
) -> None:
    first, made = exported(run, game)
    assert exported(run, game)[0] == first
    later = tmp_path / "later.jsonl"
    later.write_text(re.sub(r'"t": "20..', '"t": "2031', game.read_text("utf-8")), "utf-8")
    assert not {span.span_id for span in made} & {span.span_id for span in exported(run, later)[1]}


def test_prompts_and_answers_go_only_where_they_are_asked_for(game: Path, run: Run) -> None:
    text, _ = exported(run, game)
    events = journal.read(game)
    call = next(event for event in events if isinstance(event, Call) and event.of_model)
    why = next(event.why for event in events if isinstance(event, Decided) and len(event.why) > 5)
    assert "# The game" not in text and json.dumps(why)[1:-1] not in text and "messages" not in text
    full, made = exported(run, game, "--otlp", "content")
    said = next(attributes(span) for span in made if level(span.name) == "chat ")
    (prompt,) = json.loads(said["gen_ai.input.messages"])
    assert prompt == {
        "role": "user",
        "parts": [{"type": "text", "content": call.messages[0].content}],
    }
    assert json.loads(said["gen_ai.output.messages"])[0]["parts"][-1]["content"] == call.text
    assert json.dumps(why, ensure_ascii=False)[1:-1] in full.replace("\\\\", "\\")
    assert "sk-secret-of-the-test" not in full + text


def test_faults_are_the_status_of_their_spans(run: Run, tmp_path: Path) -> None:
    play(
        graphs.seat("house", "sim:careless"),
        players=2,
        seed=5,
        journal=tmp_path / "game.jsonl",
        max_turns=12,
    )
    _, made = exported(run, tmp_path / "game.jsonl")
    calls = [
        event
        for event in journal.read(tmp_path / "game.jsonl")
        if isinstance(event, Call) and event.of_model
    ]
    chats = [span for span in made if level(span.name) == "chat "]
    assert {call.outcome for call in calls} >= {"ok", "reasked"}
    for span, call in zip(chats, calls, strict=True):
        good = call.outcome in ("ok", "repaired")
        assert span.status.code == (0 if good else 2) and attributes(span).get("error.type") == (
            None if good else call.cause
        )
        assert good or span.status.message == f"{call.outcome}: {call.cause}"
    roles = {span.span_id: span.status.code for span in made}
    for span, call in zip(chats, calls, strict=True):
        if call.outcome == "fallback":
            assert roles[span.parent_span_id] == 2
        if call.ask and call.outcome == "ok":
            assert roles[span.parent_span_id] == 0


def test_a_suspended_game_says_so_and_one_without_views_has_the_same_turns(
    game: Path, run: Run, tmp_path: Path
) -> None:
    lines = game.read_text("utf-8").splitlines(keepends=True)
    halt = '{"v": 2, "event": "suspended", "t": "2030-01-01T00:00:00.000+00:00", "turn": 2, "why": "no key sk-1"}\n'
    second = next(
        number
        for number, line in enumerate(lines)
        if '"event": "turn_started"' in line and number > 2
    )
    (tmp_path / "half.jsonl").write_text("".join(lines[: second + 2]) + halt, "utf-8")
    _, made = exported(run, tmp_path / "half.jsonl")
    root = made[-1]
    assert (root.status.code, root.status.message, len(root.events)) == (
        2,
        "suspended",
        1,
    ) and not root.parent_span_id
    assert [span.status.message for span in made if span.name.startswith("invoke_agent seat")] == [
        "",
        "undecided",
    ]
    lean = [line for line in lines if '"event": "turn_started"' not in line]
    (tmp_path / "lean.jsonl").write_text("".join(lean), "utf-8")
    whole = exported(run, game)[1]
    short = exported(run, tmp_path / "lean.jsonl")[1]
    assert [(s.name, s.span_id) for s in short] == [(s.name, s.span_id) for s in whole]


def ids(made: list[Any]) -> set[tuple[bytes, bytes, str, int]]:
    return {
        (span.span_id, span.parent_span_id, span.name, span.end_time_unix_nano) for span in made
    }


def test_a_collector_gets_what_the_file_holds(
    game: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, made = exported(run, game)
    with collector() as there:
        monkeypatch.setenv(otlp.VARIABLE, there.url)
        code, out, _ = run("export", str(game), "--to", "otlp", "--otlp", "env", "--json")
        assert code == 0 and json.loads(out) == {
            "games": 1,
            "spans": len(made),
            "to": [f"{there.url}/v1/traces"],
        }
    assert ids(there.spans) == ids(made) and there.paths == {"/v1/traces"}


def test_a_game_that_is_played_sends_its_spans(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_traces, "EVERY_S", 0.05)
    with collector() as there:
        code, _, err = run("play", "--graph", "house", "--players", "2", "-q", "--otlp", there.url)
        assert code == 0, err
        _, made = exported(run, Path("games/house-2p-s1.jsonl"))
        assert ids(there.spans) == ids(made) and len(there.spans) == len(made)
        run("play", "--graph", "house", "--players", "2", "-q", "--otlp", there.url)
        assert len(there.spans) == len(made), "a finished game is not sent again"


RUN = """
name: small
players: [2]
seeds: {first: 1, count: 1}
arms: {a: {graph: "partner:piers"}, b: {graph: "partner:random"}}
"""


def test_a_run_sends_the_spans_of_all_its_games(run: Run, tmp_path: Path) -> None:
    with collector() as there, live_traces.LiveTraces.of(there.url, tmp_path / "run"):
        run_experiment(experiment.parse(RUN), tmp_path / "run")
    run("export", "run", "--to", "otlp", "--out", "all.jsonl")
    made = [
        span for line in Path("all.jsonl").read_text("utf-8").splitlines() for span in parsed(line)
    ]
    assert ids(there.spans) == ids(made) and len({span.trace_id for span in made}) == 2
    assert {attributes(span)["hanabi.arm"] for span in made if not span.parent_span_id} == {
        "a",
        "b",
    }


def test_an_experiment_is_traced_while_it_runs_and_only_when_asked(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def nothing(*_: Any, **__: Any) -> Any:
        raise UserError(f"played, traced: {seen}")

    def of(url: str, folder: Path, *, content: bool) -> Any:
        seen.append(f"{url} {folder} {content}")
        return nullcontext()

    monkeypatch.setattr(experiment_run, "run", nothing)
    monkeypatch.setattr(live_traces.LiveTraces, "of", of)
    monkeypatch.setenv(otlp.VARIABLE, "http://127.0.0.1:9")
    assert "played, traced: []" in run("experiment", "run", "cac-3")[2]
    assert (
        "traced: ['http://x runs/cac-3 True']"
        in run("experiment", "run", "cac-3", "--otlp", "http://x", "--otlp", "content")[2]
    )


def test_a_game_goes_on_without_its_collector_and_says_so_once(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_traces, "EVERY_S", 0.05)
    monkeypatch.setattr(live_traces, "PATIENCE_S", 0.2)
    code, out, err = run(
        "play", "--graph", "house", "--players", "2", "--json", "--otlp", "http://127.0.0.1:9"
    )
    assert code == 0 and json.loads(out)["score_kept"] > 10
    assert err.count("traces are not sent") == 1 and (
        "refused" in err or "no answer in time" in err
    )
    assert "orchestrator export games/house-2p-s1.jsonl --to otlp --otlp http://127.0.0.1:9" in err


def test_only_what_a_resumed_game_adds_is_sent(game: Path, tmp_path: Path) -> None:
    lines = game.read_bytes().splitlines(keepends=True)
    path = tmp_path / "game.jsonl"
    cut = [number for number, line in enumerate(lines) if b'"event": "moved"' in line][1] + 1
    path.write_bytes(b"".join(lines[:cut]))
    with collector() as there, live_traces.LiveTraces.of(there.url, path), path.open("ab") as file:
        file.writelines(lines[cut:])
    turns = [attributes(span)["hanabi.turn"] for span in there.spans if span.name == "hanabi.turn"]
    assert turns == [3, 4] and sum(not span.parent_span_id for span in there.spans) == 1
    assert all(
        any(s.span_id == span.parent_span_id for s in there.spans)
        for span in there.spans
        if span.name == "hanabi.turn"
    )


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "needs --out FILE, --otlp URL, or both"),
        (("--otlp", "localhost:4318"), 2, "'localhost:4318' is not an address of a collector"),
        (("--otlp", "http://[::1"), 2, "is not an address of a collector"),
        (("--otlp", "env"), 2, "OTEL_EXPORTER_OTLP_ENDPOINT is not set"),
        (("--out", "."), 2, "is a folder; all spans go to one file"),
        (
            ("--otlp", "http://me:pass@127.0.0.1:9"),
            1,
            "http://127.0.0.1:9/v1/traces did not take the spans: ",
        ),
    ],
)
def test_mistakes_are_told_in_one_sentence(
    game: Path,
    run: Run,
    arguments: tuple[str, ...],
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(otlp.VARIABLE, raising=False)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "1")
    sender = otlp.Sender
    monkeypatch.setattr(otlp, "Sender", lambda url: sender(url, timeout_s=0.2))
    ended, out, err = run("export", str(game), "--to", "otlp", *arguments)
    assert (ended, out) == (code, "") and said in err and err.count("\n") == 1 and "pass" not in err


def test_a_wrong_address_is_refused_before_a_game_begins(run: Run) -> None:
    code, _, err = run("play", "--graph", "house", "--otlp", "nowhere")
    assert (
        code == 2
        and "'nowhere' is not an address of a collector" in err
        and not list(Path("games").glob("*"))
    )


def test_a_line_without_a_time_is_named(game: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "odd.jsonl").write_text(
        re.sub(r' "t": "[^"]*",', "", game.read_text("utf-8")), "utf-8"
    )
    code, _, err = run("export", "odd.jsonl", "--to", "otlp", "--out", "x")
    assert code == 2 and "odd.jsonl, line 1: the line has no time" in err


@pytest.mark.parametrize(
    ("name", "model", "provider"),
    [
        ("openai:gpt-6@https://x.example/v1", "gpt-6", "openai"),
        ("azure:mine", "mine", "azure.ai.openai"),
        ("langchain:anthropic:claude-x", "anthropic:claude-x", "anthropic"),
        ("sim:average", "average", "hanabi.simulated"),
    ],
)
def test_models_bear_the_names_of_the_conventions(name: str, model: str, provider: str) -> None:
    assert (spans.plain_model(name), spans.provider(name)) == (model, provider)
