"""`make real`: bounded games of all graphs on a real model, and what must hold with any model.

    python -m benchmarks.real_model [--url URL --model NAME] [--graph G]... [--form text]... [--calls 6]
        [--players 3] [--seed 7]

Without --url it fetches and starts the small model of `real_server`. Every game is stopped after the turns in which
about `--calls` first requests are made, or fewer where the games would else take longer than `--minutes`; each is
played for a turn at least, so none is left out. What was not seen, a graph, a node or a replay, fails. The folder
`--out` gets the games, the figures (figures.md, figures.json) and all answers with how they were read (answers.jsonl).
Exit codes: 0 when all checks hold, 1 when one does not, 2 for a mistake in the command.
"""

import argparse
import asyncio
import json
import re
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from shutil import rmtree
from statistics import fmean
from typing import Any, NamedTuple

from rich.console import Console

from benchmarks import real_server
from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.document.terminal import NOTES, console, plain_table
from hanabi_orchestrator.graphs.attempts import base, node_calls, turn_calls
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.errors import Suspended, UserError
from hanabi_orchestrator.orchestrator.journal.events import (
    Call,
    Decided,
    Event,
    GameStarted,
    TurnStarted,
)
from hanabi_orchestrator.orchestrator.journal.recorded_answers import Recording, Replay
from hanabi_orchestrator.orchestrator.models.fake_endpoint import LISTED_MOVE
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.openai_client import OpenAITransport
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings, settings
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from hanabi_orchestrator.roles.hanabi.sections.table import unmoved

FORMS = ("json_schema", "text")
PLAYERS = 2
SEED = 1


class Deal(NamedTuple):
    players: int = PLAYERS
    seed: int = SEED


SAMPLING: dict[str, Any] = {
    "temperature": 0.5,
    "max_tokens": 300,
    "seed": 1,
    "extra_body": {"repeat_penalty": 1.1, "top_k": 40},
}
CUT = 0.05
"""The share of tries that the client may cut because they take too long."""
ENOUGH = 10
"""Second requests from which on one must have helped."""


@dataclass(frozen=True)
class Game:
    """A game as it was played: its journal, and why it was suspended, or not begun, if it was."""

    graph: str
    form: str
    path: Path
    seconds: float
    suspended: str | None = None
    refused: str | None = None
    """Why it was not begun: the server refused its first prompt, for example because that is too long."""
    same: bool | None = None
    """Whether its replay wrote the same journal; None where nothing was replayed."""
    events: tuple[Event, ...] = field(default=(), repr=False)

    @property
    def calls(self) -> list[Call]:
        """The requests to the model."""
        return [event for event in self.events if isinstance(event, Call) and event.of_model]


@dataclass(frozen=True)
class Figures:
    """The figures of a game, or of several together."""

    graph: str
    form: str
    turns: int
    calls: int
    first: int
    """First requests."""
    first_usable: int
    second: int
    second_usable: int
    fallbacks: int
    too_long: int
    """Requests whose prompt did not fit the context, which are not asked again."""
    copied: int
    """Answers that repeat the example of their prompt."""
    forced: int
    """Turns in which the safest legal move was played because no choice came or passed."""
    tries: int
    cut: int
    """Tries that were cut by `timeout_s`."""
    longest_prompt: int
    """Tokens by the server's count."""
    seconds_a_call: float


def figures(graph: str, form: str, games: Sequence[Game]) -> Figures:
    calls = [call for game in games for call in game.calls]
    decided = [event for game in games for event in game.events if isinstance(event, Decided)]
    first = [call for call in calls if not call.ask]
    second = [call for call in calls if call.ask]
    tries = [one for call in calls for one in call.attempts]
    return Figures(
        graph,
        form,
        len(decided),
        len(calls),
        len(first),
        sum(map(_usable, first)),
        len(second),
        sum(map(_usable, second)),
        sum(call.outcome == "fallback" for call in calls),
        sum(call.cause == "overflow" for call in calls),
        sum(call.copied for call in calls),
        sum(event.forced for event in decided),
        len(tries),
        sum("in time" in (one.error or "") for one in tries),
        max((call.tokens_in for call in calls), default=0),
        round(fmean(call.latency_s for call in calls), 1) if calls else 0.0,
    )


def _usable(call: Call) -> bool:
    return call.reply is not None


@dataclass(frozen=True)
class Check:
    what: str
    holds: bool
    found: str


def checks(
    games: Sequence[Game], whole: Figures, context: int | None, wanted: Iterable[tuple[str, str]]
) -> list[Check]:
    """What must hold with any model. `wanted`: the graphs with their formats that must have been seen."""
    pairs = tuple(wanted)
    seen = {(game.graph, game.form) for game in games if _moved(game)}
    unplayed = [f"{graph} {form}" for graph, form in pairs if (graph, form) not in seen]
    nodes = sum(len(_asked_nodes(game)) for game in games)
    silent = [name for game in games for name in _silent(game)]
    return [
        _counted(
            "all graphs are played",
            len(pairs) - len(unplayed),
            len(pairs),
            "games with a move",
            unplayed,
        ),
        _counted(
            "all nodes are asked", nodes, nodes + len(silent), "nodes that a model plays", silent
        ),
        *_call_checks(games, whole, context),
        _not_suspended(games),
        _replayed_alike(games),
    ]


def _counted(what: str, count: int, total: int, of: str, missing: Sequence[str]) -> Check:
    """A check that fails on what is missing, and where there was nothing to count."""
    left_out = f"; missing: {', '.join(missing)}" if missing else ""
    return Check(what, count == total > 0, f"{count} of {total} {of}{left_out}")


def _call_checks(games: Sequence[Game], whole: Figures, context: int | None) -> Iterator[Check]:
    lost = [game.path.name for game in games if not _accounted(game)]
    kept = sum(len(game.calls) for game in games if game.path.name not in lost)
    yield _counted("every call is accounted for", kept, whole.calls, "calls, by whole games", lost)
    over = sum(bool(context and call.tokens_in > context) for game in games for call in game.calls)
    fits = f"{whole.calls - over} of {whole.calls} prompts within {context or 'an unknown number of'} tokens"
    longest = f"{whole.longest_prompt} in the longest; refused as too long: {whole.too_long}"
    yield Check("prompts fit the context", not over and whole.calls > 0, f"{fits}; {longest}")
    helped = f"{whole.second_usable} of {whole.second} second requests gave a usable answer"
    few = f" (fewer than {ENOUGH} are not judged)" if whole.second < ENOUGH else ""
    yield Check(
        "second requests help", whole.second < ENOUGH or whole.second_usable > 0, f"{helped}{few}"
    )
    cut = f"{whole.cut} of {whole.tries} tries were cut"
    yield Check("few calls are cut", whole.cut <= CUT * whole.tries and whole.tries > 0, cut)


def _not_suspended(games: Sequence[Game]) -> Check:
    reasons = [(game.path.name, game.suspended or game.refused) for game in games]
    stopped = [f"{name}: {reason}" for name, reason in reasons if reason]
    return _counted(
        "no game is suspended", len(games) - len(stopped), len(games), "games went on", stopped
    )


def _replayed_alike(games: Sequence[Game]) -> Check:
    other = [game.path.name for game in games if not game.same]
    return _counted("replays are equal", len(games) - len(other), len(games), "replays", other)


def _moved(game: Game) -> bool:
    return any(isinstance(event, Decided) for event in game.events)


def _asked_nodes(game: Game) -> set[str]:
    return {base(call.node) for call in game.calls}


def _silent(game: Game) -> Iterator[str]:
    """The nodes of a game that a model plays and that were not asked. A judge without a choice has nothing to judge."""
    config = _config(game.graph, game.form, _players(game))
    chosen = any(
        base(call.node) == config.decides and call.reply is not None for call in game.calls
    )
    for name in config.nodes:
        if (
            node_calls(config, name)
            and name not in _asked_nodes(game)
            and (chosen or name not in config.judges)
        ):
            yield f"{game.path.stem} {name}"


def _players(game: Game) -> int:
    started = game.events[0] if game.events else None
    return started.players if isinstance(started, GameStarted) else PLAYERS


def _accounted(game: Game) -> bool:
    """Whether each first request has one outcome, and each unusable answer its second request or its fallback."""
    by_key = {call.key: call for call in game.calls}
    if len(by_key) != len(game.calls):
        return False
    for key, call in by_key.items():
        again = key._replace(ask=key.ask + 1) in by_key
        if again != (call.outcome == "reasked") or (call.reply is None) != (call.outcome in UNREAD):
            return False
    return True


UNREAD = ("reasked", "fallback", "failed", "unasked")


def _within(config: graphs.GraphConfig, calls: float) -> int:
    """The turns of about so many first requests: one at least, and two where a role is not asked on the first."""
    least = 2 if any(config.role(node).settled is unmoved for node in config.nodes) else 1
    return max(least, round(calls / sum(node_calls(config, node) for node in config.nodes)))


async def played(
    graph: str, form: str, model: ModelSettings, calls: float, folder: Path, deal: Deal
) -> Game:
    """A game of about so many first requests, and its replay."""
    config = _config(graph, form, deal.players)
    turns = _within(config, calls)
    path = folder / f"{graph}-{form}.jsonl"
    began = time.monotonic()
    stopped = await _play(config, model, path, turns, deal)
    seconds = time.monotonic() - began
    same = None if stopped else await _replayed(config, model, path, turns, deal)
    why, refused = (str(stopped), stopped.refused) if stopped else (None, False)
    suspended, not_begun = (None, why) if refused else (why, None)
    return Game(graph, form, path, seconds, suspended, not_begun, same, tuple(journal.read(path)))


def _config(graph: str, form: str, players: int) -> graphs.GraphConfig:
    return graphs.at(graphs.dotted(graphs.read(graph), [f"answer_format={form}"]), players)


async def _play(
    config: graphs.GraphConfig,
    model: ModelSettings,
    path: Path,
    turns: int,
    deal: Deal,
    layer: ModelLayer | None = None,
) -> Suspended | None:
    """Returns the error that suspended the game, if one did."""
    seat = graphs.seat(config, model, layer=layer)
    try:
        await play_async(seat, players=deal.players, seed=deal.seed, journal=path, max_turns=turns)
    except Suspended as error:
        return error
    finally:
        await seat.aclose()
    return None


async def _replayed(
    config: graphs.GraphConfig, model: ModelSettings, path: Path, turns: int, deal: Deal
) -> bool:
    """Whether a replay of the journal writes the same journal, times aside."""
    again = path.with_name(f"{path.stem}-replay.jsonl")
    layer = ModelLayer(replay=Replay(Recording.read(path)))
    try:
        await _play(config, model, again, turns, deal, layer)
        return journal.comparable(journal.read(path)) == journal.comparable(journal.read(again))
    finally:
        again.unlink(missing_ok=True)


def answers(games: Iterable[Game]) -> Iterator[dict[str, Any]]:
    """Every answer of the model and how it was read, as plain data."""
    for game in games:
        config = _config(game.graph, game.form, _players(game))
        legal = list[str]()
        for event in game.events:
            if isinstance(event, TurnStarted):
                legal = [str(move) for move in event.view.legal]
            if isinstance(event, Call) and event.of_model and event.text is not None:
                kept = event.model_dump(mode="json", include=KEPT)
                node = base(event.node)
                yield {
                    "graph": game.graph,
                    **kept,
                    **_asked(config, node, event, game.form, legal),
                    "legal": legal,
                }


def _asked(
    config: graphs.GraphConfig, node: str, call: Call, form: str, legal: Sequence[str]
) -> dict[str, Any]:
    """How an answer was asked for: its type, its format, and the moves by the labels that the prompt gives them."""
    kind = config.context_of(node).reply(config.role(node))
    prompt = "\n".join(message.content for message in call.messages)
    return {
        "form": call.form or form,
        "reply_type": kind.__name__,
        "reason_first": bool(getattr(kind, "reason_first", False)),
        "moves": listed_moves(prompt, legal),
    }


def listed_moves(prompt: str, legal: Sequence[str]) -> dict[str, str]:
    """The moves by the labels of a prompt's list of legal moves: the longest run of lines with nothing else.

    Moves made so far may be listed alike (`1: play slot 0`); some of them are mostly not legal any more.
    """
    runs = re.split(r"\n(?! *(?:\w+:|-) (?:play|discard|hint) )", prompt)
    found = ({label or move: move for label, move in LISTED_MOVE.findall(run)} for run in runs)
    return max((moves for moves in found if set(moves.values()) <= set(legal)), key=len, default={})


KEPT = {
    "prompt_hash", "turn", "seat", "node", "role", "sample", "ask", "constraint", "finish", "text", "outcome", "error",
    "cause", "copied", "dropped", "reply",
}  # fmt: skip


def show(found: Sequence[Figures], held: Sequence[Check], to: Console) -> None:
    table = plain_table(*COLUMNS, words=("graph", "form"))
    for one in found:
        table.add_row(*_row(one))
    to.print(table)
    for check in held:
        style = None if check.holds else NOTES["error"]
        line = f"{'ok  ' if check.holds else 'fail'}  {check.what}: {check.found}"
        to.print(line, soft_wrap=True, markup=False, style=style, highlight=False)


COLUMNS = (
    "graph", "form", "turns", "calls", "usable at first", "usable at second", "fallbacks", "copied", "forced",
    "longest prompt", "s a call",
)  # fmt: skip


def _row(one: Figures) -> tuple[str, ...]:
    numbers = (
        f"{one.first_usable} of {one.first}",
        f"{one.second_usable} of {one.second}",
        one.fallbacks,
        one.copied,
        one.forced,
    )
    rest = (*numbers, one.longest_prompt, f"{one.seconds_a_call:.1f}")
    return one.graph, one.form, str(one.turns), str(one.calls), *map(str, rest)


def markdown(found: Sequence[Figures], held: Sequence[Check], about: str) -> str:
    """The figures in the form of benchmarks/README.md."""
    rows = [COLUMNS, ("---",) * len(COLUMNS), *map(_row, found)]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    said = [
        f"- {'holds' if check.holds else 'fails'}: {check.what} ({check.found})" for check in held
    ]
    return "\n".join([about, "", *lines, "", *said, ""])


@contextmanager
def model_of(asked: argparse.Namespace) -> Iterator[tuple[ModelSettings, str]]:
    """The model to ask, and where it comes from, in words."""
    limits = {"timeout_s": asked.timeout, "max_concurrency": 16}
    if asked.url:
        yield (
            settings({"model": f"openai:{asked.model}@{asked.url}", **SAMPLING, **limits}),
            asked.model,
        )
        return
    wheels = real_server.fetch(asked.cache)
    with real_server.serving(wheels, context=asked.context) as url:
        yield (
            settings({"model": f"openai:{real_server.NAME}@{url}", **SAMPLING, **limits}),
            ", ".join(wheels.names),
        )


async def run(asked: argparse.Namespace, model: ModelSettings, games: list[Game]) -> int | None:
    """Play all games into `games`; returns the length of the context as the server says it."""
    transport = OpenAITransport(model)
    try:
        info = await transport.describe()
    finally:
        await transport.aclose()
    until = time.monotonic() + 60 * asked.minutes
    deal = Deal(asked.players, asked.seed)
    pairs = wanted(asked)
    for number, (graph, form) in enumerate(pairs):
        share = (until - time.monotonic()) / (len(pairs) - number)
        calls = min(asked.calls, share / _pace(games)) if games else asked.calls
        games.append(await played(graph, form, model, calls, asked.out / "games", deal))
        last = games[-1]
        counts = f"{sum(isinstance(event, Decided) for event in last.events)} turns, {len(last.calls)} calls"
        print(f"{graph} {form}: {counts} in {last.seconds:.0f} s", file=sys.stderr)
    return info.context


def wanted(asked: argparse.Namespace) -> list[tuple[str, str]]:
    """The graphs with the formats that they are played in."""
    return [
        (graph, form)
        for form in asked.form or FORMS
        for graph in asked.graph or packaged(asked.players)
    ]


def packaged(players: int) -> list[str]:
    """The graphs of this project that ask a model at this player count."""
    built_in = (name for name in graphs.names("hanabi") if graphs.source(name) == "built-in")
    configs = [(name, graphs.read(name)) for name in built_in]
    return [
        name
        for name, config in configs
        if players in config.players and turn_calls(graphs.at(config, players))
    ]


def _pace(games: Sequence[Game]) -> float:
    """Seconds a first request so far, with what follows from it."""
    first = sum(not call.ask for game in games for call in game.calls)
    return sum(game.seconds for game in games) / max(first, 1) or 1e-3


def options(given: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Bounded games on a real model, and what must hold with any."
    )
    parser.add_argument("--url", help="a server that runs already, e.g. http://127.0.0.1:8000/v1")
    parser.add_argument("--model", default=real_server.NAME, help="the model's name there")
    parser.add_argument("--graph", action="append", help="repeatable; default all that ask a model")
    parser.add_argument(
        "--form", action="append", choices=("json_schema", "json", "text"), help="repeatable"
    )
    parser.add_argument("--players", type=int, default=PLAYERS, help="at the table, 2 to 5")
    parser.add_argument("--seed", type=int, default=SEED, help="of the deal")
    parser.add_argument(
        "--calls", type=int, default=6, help="first requests per game, at most about"
    )
    parser.add_argument(
        "--minutes", type=float, default=15, help="fewer turns a game, so that all take about this"
    )
    parser.add_argument(
        "--context", type=int, default=8192, help="tokens of the server that is started"
    )
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one call")
    parser.add_argument(
        "--cache", type=Path, default=Path(".venv/real"), help="the folder of the wheels"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("runs/real"), help="its games are replaced"
    )
    parser.add_argument("--json", action="store_true", help="print only JSON")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Returns the exit code."""
    asked = options(given)
    games = list[Game]()
    rmtree(asked.out / "games", ignore_errors=True)
    with model_of(asked) as (model, source):
        context = asyncio.run(run(asked, model, games))
    whole = figures("all", "", games)
    found = [*(figures(game.graph, game.form, [game]) for game in games), whole]
    held = checks(games, whole, context, wanted(asked))
    deal = f"{asked.players} players, seed {asked.seed}"
    _write(asked.out, found, held, games, f"{source}; context {context or 'unknown'}, {deal}.")
    if asked.json:
        print(
            json.dumps(
                {"figures": [asdict(one) for one in found], "checks": [asdict(one) for one in held]}
            )
        )
    else:
        show(found, held, console())
    return 0 if all(check.holds for check in held) else 1


def _write(
    out: Path, found: Sequence[Figures], held: Sequence[Check], games: Sequence[Game], about: str
) -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / "figures.md").write_text(markdown(found, held, about), "utf-8")
    data = {
        "about": about,
        "figures": [asdict(one) for one in found],
        "checks": [asdict(one) for one in held],
    }
    (out / "figures.json").write_text(json.dumps(data, indent=1), "utf-8")
    lines = [json.dumps(one, ensure_ascii=False) for one in answers(games)]
    (out / "answers.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
