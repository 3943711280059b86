"""Games as a log of Inspect, written by its own library, so that `inspect view` opens them.

A log is an evaluation: a game is a sample, with its kept and its strict score. Model calls are
model events inside spans for seats and nodes, and a line between them says what each turn came to;
the moves are the sample's messages. The log says of itself that games were imported.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from importlib import import_module
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.formats import ExportFormat, Written
from hanabi_orchestrator.experiments.interchange.atif import outcome
from hanabi_orchestrator.experiments.interchange.spans import Span, of_game
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.games import Source, sources
from hanabi_orchestrator.experiments.record.rows import PERFECT
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.view import Past
from hanabi_orchestrator.orchestrator.journal.events import Call, Result
from hanabi_orchestrator.orchestrator.journal.fingerprint import hashed
from hanabi_orchestrator.orchestrator.versions import versions
from hanabi_orchestrator.roles.words import many

SCORES = ("kept", "strict")
MISSING = (
    "Inspect's logs need the package inspect-ai, which is not installed: `pip install "
    "inspect-ai` in an environment that has this package, too"
)


@dataclass(frozen=True)
class _Read:
    """A game as Inspect's events need it."""

    source: Source
    game: Game
    spans: Sequence[Span]
    """The last one is the game's."""

    @property
    def whole(self) -> Span:
        return self.spans[-1]

    def at(self, moment: int) -> dict[str, Any]:
        """Return when something happened, as events have it."""
        return {"timestamp": _iso(moment), "working_start": (moment - self.whole.start) / 1e9}

    @cached_property
    def calls(self) -> list[Call]:
        """Of models, in the order of their spans."""
        return [call for call in self.game.calls if call.of_model]

    @property
    def turns(self) -> list[tuple[str, Past]]:
        """The reason of each move, and the move."""
        turns = (turn for turn in self.game.turns if turn.moved)
        return [
            (turn.decided.why if turn.decided else "", turn.moved.past)
            for turn in turns
            if turn.moved
        ]


def export(path: Path, out: Path) -> tuple[Path, int]:
    """Write one log of all games of a path: a `.eval` file, or `.json` if `out` ends so; returns it
    and the games.

    Raises UserError without inspect-ai, and for a journal that is none.
    """
    library = _Library()
    games = sources(path)
    if out.is_dir():
        target = out / f"{path.stem or 'games'}.eval"
    else:
        target = out
    if target.suffix not in (".eval", ".json"):
        raise UserError(
            f"--out {str(out)!r} must be a folder, or a file that ends in .eval or .json"
        )
    opened = [(source, Game.open(source.path)) for source in games]
    read = [_Read(source, game, list(of_game(game, source.arm))) for source, game in opened]
    target.parent.mkdir(parents=True, exist_ok=True)
    library.of_log.write_eval_log(library.log(path.stem, read), str(target.absolute()))
    return target, len(read)


def _written(path: Path, out: Path) -> Written:
    log, number = export(path, out)
    onward = f"next: inspect view --log-dir {log.parent}"
    return Written(f"{number:,} samples  {log}", onward, data={"log": str(log), "games": number})


FORMAT = ExportFormat(says="a log for Inspect's viewer", write=_written)


def _iso(at: int) -> datetime:
    return datetime.fromtimestamp(at / 1e9, UTC)


class _Library:
    """Inspect's own library, imported where it is used."""

    def __init__(self) -> None:
        """Raises UserError where it is not installed."""
        try:
            self.event: Any = import_module("inspect_ai.event")
            self.of_log: Any = import_module("inspect_ai.log")
            self.model: Any = import_module("inspect_ai.model")
            self.scorer: Any = import_module("inspect_ai.scorer")
        except ImportError:
            raise UserError(MISSING) from None

    def log(self, name: str, games: Sequence[_Read]) -> Any:
        first = min(game.whole.start for game in games)
        last = max(game.whole.end for game in games)
        seats = chain.from_iterable(game.game.started.seats for game in games)
        models = dict.fromkeys(seat.model for seat in seats)
        samples = [self.sample(game) for game in games]
        identity = hashed([name, first, [game.source.name for game in games]])
        done = [sample for sample in samples if sample.scores]
        finished = len(done) == len(samples)
        log = self.of_log
        model_usage = []
        for game in games:
            model_usage.extend(game.calls)
        return log.EvalLog(
            status="success" if finished else "cancelled",
            eval=log.EvalSpec(
                eval_id=identity,
                run_id=identity,
                task_id=identity,
                created=_iso(first).isoformat(),
                task=f"hanabi/{name}",
                task_display_name=name,
                dataset=log.EvalDataset(
                    name="deals", samples=len(samples), sample_ids=[entry.id for entry in samples]
                ),
                model="+".join(models),
                config=log.EvalConfig(epochs=1),
                packages=dict(versions()),
                metadata={
                    "imported_from": (
                        "journals of hanabi-orchestrator; Inspect did not run these games"
                    )
                },
            ),
            results=log.EvalResults(
                total_samples=len(samples),
                completed_samples=len(done),
                scores=self.results(done) if done else [],
            ),
            stats=log.EvalStats(
                started_at=_iso(first).isoformat(),
                completed_at=_iso(last).isoformat(),
                model_usage=self.usage(model_usage),
            ),
            samples=samples,
        )

    def results(self, samples: Sequence[Any]) -> list[Any]:
        """Return the mean of each score; intervals, and pairs of the same deal, are in the run's
        own report."""
        log = self.of_log
        many = len(samples)
        means = {}
        for name in SCORES:
            means[name] = sum(sample.scores[name].value for sample in samples) / many
        metrics = {}
        for name, mean in means.items():
            metrics[name] = {"mean": log.EvalMetric(name="mean", value=mean)}
        return [
            log.EvalScore(name=name, scorer=name, scored_samples=many, metrics=metrics[name])
            for name in SCORES
        ]

    def sample(self, game: _Read) -> Any:
        started = game.game.started
        result = game.game.result
        whole = game.whole
        return self.of_log.EvalSample(
            id=game.source.name,
            epoch=1,
            input=f"A game of Hanabi: {started.players} players, {started.deal}, repeat "
            f"{started.repeat}.",
            target=str(PERFECT),
            messages=list(self.messages(game)),
            output=self.model.ModelOutput.from_content(
                "+".join(s.model for s in started.seats), self.ending(game)
            ),
            scores=self.scores(result) if result else None,
            metadata=self.facts(game),
            events=list(self.events(game)),
            model_usage=self.usage(game.calls),
            started_at=_iso(whole.start).isoformat(),
            completed_at=_iso(whole.end).isoformat(),
            total_time=(whole.end - whole.start) / 1e9,
        )

    def ending(self, game: _Read) -> str:
        if (result := game.game.result) is None:
            return f"unfinished after {many(len(game.turns), 'turn')}"
        return (
            f"{many(result.score_kept, 'point')}, {many(result.lives, 'life', 'lives')}, "
            f"{many(result.turns, 'turn')}, end: {result.end}"
        )

    def facts(self, game: _Read) -> dict[str, Any]:
        started = game.game.started
        seats = [{"graph": seat.graph, "model": seat.model} for seat in started.seats]
        result = game.game.result.model_dump(mode="json") if game.game.result else None
        deal = {"players": started.players, "seed": started.seed, "repeat": started.repeat}
        return {"arm": game.source.arm, **deal, "seats": seats, "result": result}

    def scores(self, result: Result) -> dict[str, Any]:
        words = {
            "answer": result.end,
            "explanation": f"end: {result.end}; fireworks {result.fireworks}",
        }
        return {
            name: self.scorer.Score(value=getattr(result, f"score_{name}"), **words)
            for name in SCORES
        }

    def messages(self, game: _Read) -> Iterator[Any]:
        """Yield each move with the reason of its seat, and what came of it."""
        for why, past in game.turns:
            meta = {"turn": past.turn, "seat": past.seat}
            text = f"P{past.seat} {past.move}" + (f": {why}" if why else "")
            yield self.model.ChatMessageAssistant(content=text, metadata=meta)
            yield self.model.ChatMessageUser(content=outcome(past), metadata=meta)

    def events(self, game: _Read) -> Iterator[Any]:
        """Spans and model calls in the order of their times, as Inspect writes them."""
        timed: list[tuple[int, int, int, Any]] = []  # at one moment, an earlier turn comes first
        calls = iter(game.calls)
        moves = iter(game.turns)
        for span in game.spans:
            turn = int(str(span.attributes.get("hanabi.turn", 0)))
            span_id = f"{span.id:016x}"
            start = game.at(span.start)
            end = game.at(span.end)
            if span.remote:
                timed.append((span.start, turn, 5, self.call(span, next(calls), start)))
            elif span.name == "hanabi.turn":  # a line between the seats says what the turn came to
                for _, past in islice(moves, 1):
                    text = f"turn {past.turn}: P{past.seat} {past.move}; {outcome(past)}"
                    timed.append(
                        (
                            span.end,
                            turn,
                            17,
                            self.event.InfoEvent(source="hanabi", data=text, **end),
                        )
                    )
            elif (
                span.parent is not None
            ):  # the viewer moves agents that lie in a span of another kind to its end
                is_seat = span.name.startswith("invoke_agent seat")
                # of spans that begin or end at once, the outer ones begin first, end last
                depth = 2 if is_seat else 3
                begins = self.event.SpanBeginEvent(
                    id=span_id,
                    parent_id=None if is_seat else f"{span.parent:016x}",
                    span_id=span_id,
                    type="agent",
                    name=span.name.removeprefix("invoke_agent "),
                    metadata=dict(span.attributes),
                    **start,
                )
                timed.append((span.start, turn, depth, begins))
                ends = self.event.SpanEndEvent(id=span_id, span_id=span_id, **end)
                timed.append((span.end, turn, 20 - 2 * depth, ends))
        for *_, event in sorted(timed, key=lambda entry: entry[:3]):
            yield event

    def call(self, span: Span, call: Call, start: Mapping[str, Any]) -> Any:
        model = self.model
        name = call.model.partition("@")[0]
        kinds = {}
        for role in ("system", "user", "assistant"):
            kinds[role] = getattr(model, f"ChatMessage{role.capitalize()}")
        failed = call.outcome in ("reasked", "fallback", "failed")
        return self.event.ModelEvent(
            model=name,
            role=call.role,
            input=[kinds[message.role](content=message.content) for message in call.messages],
            tools=[],
            tool_choice="none",
            config=model.GenerateConfig(),
            output=self.output(name, call),
            error=f"{call.outcome}: {call.error}" if failed else None,
            retries=max(0, len(call.attempts) - 1),
            cache="read" if call.cached else None,
            span_id=f"{span.parent:016x}",
            completed=_iso(span.end),
            working_time=(span.end - span.start) / 1e9,
            metadata={
                "node": call.node,
                "sample": call.sample,
                "ask": call.ask,
                "outcome": call.outcome,
            },
            **start,
        )

    def output(self, name: str, call: Call) -> Any:
        model = self.model
        if call.text is None:
            return model.ModelOutput(model=name, error=call.error)
        thought = [model.ContentReasoning(reasoning=call.reasoning)] if call.reasoning else []
        content: Any = call.text
        if thought:
            content = [*thought, model.ContentText(text=call.text)]
        stop = "max_tokens" if call.finish == "length" else "stop"
        message = model.ChatMessageAssistant(
            content=content, model=call.served_by or name, source="generate"
        )
        return model.ModelOutput(
            model=call.served_by or name,
            choices=[model.ChatCompletionChoice(message=message, stop_reason=stop)],
            usage=self.used(call),
            time=call.latency_s,
        )

    def used(self, call: Call) -> Any:
        return self.model.ModelUsage(
            input_tokens=call.tokens_in,
            output_tokens=call.tokens_out,
            total_tokens=call.tokens_in + call.tokens_out,
            input_tokens_cache_read=call.cached_tokens,
            reasoning_tokens=call.reasoning_tokens,
            total_cost=call.usd,
        )

    def usage(self, calls: Iterable[Call]) -> Mapping[str, Any]:
        totals: dict[str, Any] = {}
        for call in filter(attrgetter("paid"), calls):
            name = call.model.partition("@")[0]
            used = self.used(call)
            totals[name] = totals[name] + used if name in totals else used
        return totals
