"""`make real`: bounded games of six graphs on a real model, and what must hold with any model.

    python -m benchmarks.real_model [--url URL --model NAME] [--graph G]... [--form text]... [--calls 12]
        [--players 3] [--seed 7]

Without --url it fetches and starts the small model of `real_server`. Every game is stopped after the turns in which
about `--calls` first requests are made, and no game begins after `--minutes`. The folder `--out` gets the games, the
figures (figures.md, figures.json) and all answers with how they were read (answers.jsonl). Exit codes: 0 when all
checks hold, 1 when one does not, 2 for a mistake in the command.
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

import graphs
from benchmarks import real_server
from experiments.document.terminal import console, plain_table
from graphs.attempts import base, node_calls
from orchestrator import journal
from orchestrator.errors import Suspended, UserError
from orchestrator.journal.events import Call, Decided, Event, GameStarted, TurnStarted
from orchestrator.journal.recorded_answers import Recording, Replay
from orchestrator.models.fake_endpoint import LISTED_MOVE
from orchestrator.models.layer import ModelLayer
from orchestrator.models.openai_client import OpenAITransport
from orchestrator.models.settings import ModelSettings, settings
from orchestrator.table.game_loop import play_async

GRAPHS = ("watson", "sherlock", "mycroft", "cac", "moa_watson", "house")
FORMS = ("json_schema", "text")
PLAYERS, SEED = 2, 1


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
    first, second = [call for call in calls if not call.ask], [call for call in calls if call.ask]
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


def checks(games: Sequence[Game], whole: Figures, context: int | None) -> list[Check]:
    """What must hold with any model."""
    lost = [game.path.name for game in games if not _accounted(game)]
    stopped = [f"{game.path.name}: {game.suspended}" for game in games if game.suspended]
    not_begun = [f"{game.path.name}: {game.refused}" for game in games if game.refused]
    other = [game.path.name for game in games if game.same is False]
    over = [call for game in games for call in game.calls if context and call.tokens_in > context]
    helped = f"{whole.second_usable} of {whole.second} second requests gave a usable answer"
    return [
        Check("every call is accounted for", not lost, f"{whole.calls} calls; {_or_none(lost)} with one missing"),
        Check(
            "no game is suspended",
            not stopped,
            f"{len(games)} games; suspended: {_or_none(stopped)}; refused before the first move: {_or_none(not_begun)}",
        ),
        Check(
            "prompts fit the context",
            not over,
            f"{whole.longest_prompt} tokens at most, of {context or 'unknown'}; too long: {whole.too_long}",
        ),
        Check("second requests help", whole.second < ENOUGH or whole.second_usable > 0, helped),
        Check("few calls are cut", whole.cut <= CUT * whole.tries, f"{whole.cut} of {whole.tries} tries"),
        Check("replays are equal", not other, f"different: {_or_none(other)}"),
    ]


def _or_none(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


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


UNREAD = ("reasked", "fallback", "failed")


async def played(graph: str, form: str, model: ModelSettings, calls: int, folder: Path, deal: Deal) -> Game:
    """A game of about so many first requests, and its replay."""
    config = _config(graph, form, deal.players)
    a_turn = sum(node_calls(config, node) for node in config.nodes)
    turns, path = max(1, round(calls / a_turn)), folder / f"{graph}-{form}.jsonl"
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


async def _replayed(config: graphs.GraphConfig, model: ModelSettings, path: Path, turns: int, deal: Deal) -> bool:
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
        started, legal = game.events[0] if game.events else None, list[str]()
        config = _config(game.graph, game.form, started.players if isinstance(started, GameStarted) else PLAYERS)
        for event in game.events:
            if isinstance(event, TurnStarted):
                legal = [str(move) for move in event.view.legal]
            if isinstance(event, Call) and event.of_model and event.text is not None:
                kept, node = event.model_dump(mode="json", include=KEPT), base(event.node)
                yield {"graph": game.graph, **kept, **_asked(config, node, event, game.form, legal), "legal": legal}


def _asked(config: graphs.GraphConfig, node: str, call: Call, form: str, legal: Sequence[str]) -> dict[str, Any]:
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
    runs = re.split(r"\n(?! *\w+: (?:play|discard|hint) )", prompt)
    found = (dict(LISTED_MOVE.findall(run)) for run in runs)
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
        to.print(f"{'ok  ' if check.holds else 'fail'}  {check.what}: {check.found}", soft_wrap=True, markup=False)


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
    """The figures as they stand in docs/measured.md."""
    rows = [COLUMNS, ("---",) * len(COLUMNS), *map(_row, found)]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    said = [f"- {'holds' if check.holds else 'fails'}: {check.what} ({check.found})" for check in held]
    return "\n".join([about, "", *lines, "", *said, ""])


@contextmanager
def model_of(asked: argparse.Namespace) -> Iterator[tuple[ModelSettings, str]]:
    """The model to ask, and where it comes from, in words."""
    limits = {"timeout_s": asked.timeout, "max_concurrency": 16}
    if asked.url:
        yield settings({"model": f"openai:{asked.model}@{asked.url}", **SAMPLING, **limits}), asked.model
        return
    wheels = real_server.fetch(asked.cache)
    with real_server.serving(wheels, context=asked.context) as url:
        yield settings({"model": f"openai:{real_server.NAME}@{url}", **SAMPLING, **limits}), ", ".join(wheels.names)


async def run(asked: argparse.Namespace, model: ModelSettings, games: list[Game]) -> int | None:
    """Play all games into `games`; returns the length of the context as the server says it."""
    transport = OpenAITransport(model)
    try:
        info = await transport.describe()
    finally:
        await transport.aclose()
    until, deal = time.monotonic() + 60 * asked.minutes, Deal(asked.players, asked.seed)
    for form in asked.form or FORMS:
        for graph in asked.graph or GRAPHS:
            if time.monotonic() > until:
                print(f"not played, {asked.minutes:g} minutes are over: {graph} {form}", file=sys.stderr)
                continue
            games.append(await played(graph, form, model, asked.calls, asked.out / "games", deal))
            last = games[-1]
            print(f"{graph} {form}: {len(last.calls)} calls in {last.seconds:.0f} s", file=sys.stderr)
    return info.context


def options(given: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Bounded games on a real model, and what must hold with any.")
    parser.add_argument("--url", help="a server that runs already, e.g. http://127.0.0.1:8000/v1")
    parser.add_argument("--model", default=real_server.NAME, help="the model's name there")
    parser.add_argument("--graph", action="append", help=f"repeatable; default {', '.join(GRAPHS)}")
    parser.add_argument("--form", action="append", choices=("json_schema", "json", "text"), help="repeatable")
    parser.add_argument("--players", type=int, default=PLAYERS, help="at the table, 2 to 5")
    parser.add_argument("--seed", type=int, default=SEED, help="of the deal")
    parser.add_argument("--calls", type=int, default=12, help="first requests per game, about")
    parser.add_argument("--minutes", type=float, default=15, help="begin no game after this")
    parser.add_argument("--context", type=int, default=8192, help="tokens of the server that is started")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one call")
    parser.add_argument("--cache", type=Path, default=Path(".venv/real"), help="the folder of the wheels")
    parser.add_argument("--out", type=Path, default=Path("runs/real"), help="its games are replaced")
    parser.add_argument("--json", action="store_true", help="print only JSON")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Returns the exit code."""
    asked, games = options(given), list[Game]()
    rmtree(asked.out / "games", ignore_errors=True)
    with model_of(asked) as (model, source):
        context = asyncio.run(run(asked, model, games))
    whole = figures("all", "", games)
    found = [*(figures(game.graph, game.form, [game]) for game in games), whole]
    held = checks(games, whole, context)
    deal = f"{asked.players} players, seed {asked.seed}"
    _write(asked.out, found, held, games, f"{source}; context {context or 'unknown'}, {deal}.")
    if asked.json:
        print(json.dumps({"figures": [asdict(one) for one in found], "checks": [asdict(one) for one in held]}))
    else:
        show(found, held, console())
    return 0 if all(check.holds for check in held) else 1


def _write(out: Path, found: Sequence[Figures], held: Sequence[Check], games: Sequence[Game], about: str) -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / "figures.md").write_text(markdown(found, held, about), "utf-8")
    data = {"about": about, "figures": [asdict(one) for one in found], "checks": [asdict(one) for one in held]}
    (out / "figures.json").write_text(json.dumps(data, indent=1), "utf-8")
    lines = [json.dumps(one, ensure_ascii=False) for one in answers(games)]
    (out / "answers.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
