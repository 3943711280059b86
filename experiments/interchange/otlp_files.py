"""`export --to otlp`: the spans of a game or a run, in a file or to a collector."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from experiments.interchange import otlp, sources, spans
from experiments.interchange.spans import Span
from orchestrator.errors import UserError


@dataclass
class Written:
    """What an export of spans wrote or sent."""

    games: int = 0
    spans: int = 0
    to: list[str] = field(default_factory=list)


class NotSent(OSError):  # noqa: N818  # what happened to the spans
    """A collector did not take the spans."""


def export(path: Path, out: Path | None, endpoint: str | None, *, content: bool = False) -> Written:
    """Write the spans of a journal or a run folder to a file, send them to a collector, or both.

    Raises UserError for a mistake of the user, NotSent when the collector does not take them.
    """
    if out is None and endpoint is None:
        raise UserError("--to otlp needs --out FILE, --endpoint URL, or both")
    games, written = sources.read(path), Written()
    if out:
        _write(games, out, written, content=content)
    if endpoint:
        _send(games, endpoint, written, content=content)
    return written


def _spans(source: sources.Source, written: Written, *, content: bool) -> Iterator[Span]:
    for span in spans.of_journal(source.path, source.arm, content=content):
        written.spans += 1
        yield span


def _write(games: list[sources.Source], out: Path, written: Written, *, content: bool) -> None:
    if out.is_dir():
        raise UserError(f"--out {str(out)!r} is a folder; all spans go to one file, e.g. {out / 'spans.jsonl'}")
    otlp.Library()
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(f".{out.name}.part")
    with part.open("w", encoding="utf-8") as file:
        for source in games:
            file.writelines(otlp.lines(_spans(source, written, content=content)))
            written.games += 1
    part.replace(out)
    written.to.append(str(out))


def _send(games: list[sources.Source], endpoint: str, written: Written, *, content: bool) -> None:
    sender = otlp.Sender(endpoint)
    written.games, written.spans = 0, 0
    try:
        for source in games:
            for batch in otlp.batches(_spans(source, written, content=content)):
                if why := sender.send(batch):
                    raise NotSent(f"the collector at {otlp.display_url(sender.url)} did not take the spans: {why}")
            written.games += 1
    finally:
        sender.close()
    written.to.append(otlp.display_url(sender.url))
