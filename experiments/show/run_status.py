"""How a run stands, as `experiment status` prints it."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import chain
from typing import Any

from rich.console import Console
from rich.text import Text

SHOWN = 5
"""Failed and suspended games that are named."""
WIDTH = 10
"""Characters of a name before its fact."""


def show(data: Mapping[str, Any], console: Console) -> None:
    for name, fact in facts(data):
        console.print(Text.assemble((f"{name:<{WIDTH}}", "bold"), fact), soft_wrap=True)


def facts(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Give the facts of a run with their names, in the order of the lines."""
    yield "run", f"{data['experiment']} in {data['run']}"
    players = [*map(_player, data["players"]), *data["silent"]]
    for player in players or ["no process: it is not running"]:
        yield "played by", player
    things = data.get("things", "games")
    yield things, _games(data)
    for sentence in (data.get("stop") or {}).get("stood", ()):
        yield "stop rule", sentence
    if things == "games":
        turns = f"{data['turns']:,} turns, "
    else:
        turns = ""
    usd = f", ${data['usd']:.2f}" if data["usd"] else ""
    yield "so far", f"{turns}{data['tokens']:,} tokens{usd}"
    for load in chain.from_iterable(process["models"] for process in data["players"]):
        if "busy" in load:
            calls = f"{load['busy']} calls in flight, {load['now']} allowed now, "
        else:
            calls = ""
        if load.get("rate_limited"):
            limited = f", {load['rate_limited']} rate-limited (429)"
        else:
            limited = ""
        yield "model", f"{load['model']}: {calls}{load['most']} at most{limited}"
    for state in ("failed", "suspended"):
        games = [f"{game}: {reason}" for game, reason in data[state].items()]
        hidden = [f"and {len(games) - SHOWN} more"] if len(games) > SHOWN else []
        yield from ((state, game) for game in (*games[:SHOWN], *hidden))
    if any(process["paused_since"] for process in data["players"]):
        yield "next", f"orchestrator experiment control {data['run']} resume"
    elif not data["players"] and not data["silent"]:
        over = data["games"] == data["finished"] or (data.get("stop") or {}).get("over")
        yield (
            "next",
            f"orchestrator report {data['run']}" if over else "repeat the command that started it",
        )


def _player(process: Mapping[str, Any]) -> str:
    since = datetime.fromtimestamp(process["began"]).strftime("%H:%M:%S")
    if process.get("shard"):
        shard = f", shard {process['shard']}"
    else:
        shard = ""
    if process["stopping"]:
        state = ", stopping at the end of the turns in play"
    else:
        state = ""
    if process["paused_since"]:
        state = (
            ", paused since "
            f"{datetime.fromisoformat(process['paused_since']).astimezone():%H:%M:%S}"
        )
    return (
        f"process {process['pid']} of {process['user']} on {process['host']} since "
        f"{since}{shard}{state}"
    )


def _games(data: Mapping[str, Any]) -> str:
    bound = " at most" if data.get("stop") else ""
    if data["games"]:
        planned = f" of{bound} {data['games']}"
    else:
        planned = ""
    parts = [f"{data['finished']}{planned} finished"]
    counts = {
        "in play": data["playing"],
        "failed": len(data["failed"]),
        "suspended": len(data["suspended"]),
    }
    if not data["players"]:
        counts["begun and not finished"] = data["begun"]
    parts += [f"{number} {name}" for name, number in counts.items() if number]
    return ", ".join(parts)
