"""How a run stands, as `experiment status` prints it."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from rich.console import Console
from rich.text import Text

SHOWN = 5
"""Failed and suspended games that are named."""
WIDTH = 10
"""Characters of a name before its fact."""


def show(data: Mapping[str, Any], console: Console) -> None:
    for name, fact in _facts(data):
        console.print(Text.assemble((f"{name:<{WIDTH}}", "bold"), fact), soft_wrap=True)


def _facts(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "run", f"{data['experiment']} in {data['run']}"
    for process in data["players"]:
        yield "played by", _player(process)
    for sentence in data["silent"]:
        yield "played by", sentence
    if not data["players"] and not data["silent"]:
        yield "played by", "no process: it is not running"
    yield data.get("things", "games"), _games(data)
    for sentence in (data.get("stop") or {}).get("stood", ()):
        yield "stop rule", sentence
    yield "so far", _spent(data)
    for process in data["players"]:
        for load in process["models"]:
            yield "model", _load(load)
    for name in ("failed", "suspended"):
        yield from _named(name, data[name])
    if step := _next(data):
        yield "next", step


def _player(process: Mapping[str, Any]) -> str:
    since = datetime.fromtimestamp(process["began"]).strftime("%H:%M:%S")
    shard = f", shard {process['shard']}" if process.get("shard") else ""
    state = ", stopping at the end of the turns in play" if process["stopping"] else ""
    if process["paused_since"]:
        state = f", paused since {datetime.fromisoformat(process['paused_since']).astimezone():%H:%M:%S}"
    return f"process {process['pid']} of {process['user']} on {process['host']} since {since}{shard}{state}"


def _games(data: Mapping[str, Any]) -> str:
    most = " at most" if data.get("stop") else ""
    planned = f" of{most} {data['games']}" if data["games"] else ""
    parts = [f"{data['finished']}{planned} finished"]
    counts = {"in play": data["playing"], "failed": len(data["failed"]), "suspended": len(data["suspended"])}
    if not data["players"]:
        counts["begun and not finished"] = data["begun"]
    parts += [f"{number} {name}" for name, number in counts.items() if number]
    return ", ".join(parts)


def _spent(data: Mapping[str, Any]) -> str:
    usd = f", ${data['usd']:.2f}" if data["usd"] else ""
    turns = f"{data['turns']:,} turns, " if data.get("things", "games") == "games" else ""
    return f"{turns}{data['tokens']:,} tokens{usd}"


def _load(load: Mapping[str, Any]) -> str:
    limited = f", {load['rate_limited']} rate-limited (429)" if load.get("rate_limited") else ""
    calls = f"{load['busy']} calls in flight, {load['now']} allowed now, " if "busy" in load else ""
    return f"{load['model']}: {calls}{load['most']} at most{limited}"


def _named(what: str, games: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for game, why in list(games.items())[:SHOWN]:
        yield what, f"{game}: {why}"
    if len(games) > SHOWN:
        yield what, f"and {len(games) - SHOWN} more"


def _next(data: Mapping[str, Any]) -> str:
    if any(process["paused_since"] for process in data["players"]):
        return f"orchestrator experiment control {data['run']} resume"
    if data["players"] or data["silent"]:
        return ""
    if data["games"] == data["finished"] or (data.get("stop") or {}).get("over"):
        return f"orchestrator report {data['run']}"
    return "repeat the command that started it"
