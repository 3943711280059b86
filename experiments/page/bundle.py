"""Writes a copy of the page that needs no software of ours: one HTML file, or a folder with a file for each game.

Both open from a disk (file://). There the page may fetch nothing, so its modules are data: addresses in the import map,
and the file of a game is a classic script. The data of a game are what the server answers about it, compressed.
"""

import base64
import gzip
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from mimetypes import guess_type
from pathlib import Path
from typing import Any

from experiments.page import assets, spoken
from experiments.page.library import Library
from experiments.page.server import Api
from experiments.page.spoken import Json
from experiments.record.files import write_atomically
from orchestrator.errors import UserError

PACKED = "gz:"
"""Before compressed data in base64."""


@dataclass
class Bundle:
    """A copy of the page of a library, game by game."""

    library: Library
    only: Sequence[str] = ()
    """The ids of the games that it holds; all if none are named."""
    values: bool = False
    """Whether to compute the values of moves and the expected scores, which takes minutes a game."""
    progress: Callable[[str, int, int], None] = lambda id, done, of: None
    api: Api = field(init=False)

    def __post_init__(self) -> None:
        self.api = Api.of(self.library)

    def write(self, out: Path) -> int:
        """Write the file, if its name ends in .html, or the folder; returns the bytes written.

        Raises UserError where something is there already, or a game is not.
        """
        if out.exists() and not (out.is_dir() and not any(out.iterdir())):
            raise UserError(f"{str(out)!r} is there already; name a new file, or a new or empty folder")
        if out.suffix == ".html":
            self._file(out)
            return out.stat().st_size
        self._folder(out)
        return sum(path.stat().st_size for path in out.rglob("*") if path.is_file())

    @property
    def ids(self) -> list[str]:
        there = [one.found.id for one in self.api.games.shelf().listed]
        if missing := [id for id in self.only if id not in there]:
            raise UserError(f"there is no game {missing[0]!r} here; ids read like {there[0]!r}")
        return [id for id in there if not self.only or id in self.only]

    def _file(self, out: Path) -> None:
        games = {id: packed(data) for id, data in self._games()}
        held = {address: _as_data(path) for address, path in self._figures()}
        write_atomically(out, page({"answers": self._answers(games), "games": games, "files": held}))

    def _folder(self, out: Path) -> None:
        (out / "games").mkdir(parents=True, exist_ok=True)
        places = {}
        for number, (id, data) in enumerate(self._games(), 1):
            places[id] = f"games/{number:05}.js"
            script = f"HANABI_BUNDLE.loaded[{json.dumps(id)}] = {json.dumps(packed(data))};\n"
            (out / places[id]).write_text(script, "utf-8")
        held = {}
        for address, path in self._files():
            held[address] = f"./{address.removeprefix('/files/')}"
            (out / held[address]).parent.mkdir(exist_ok=True)
            (out / held[address]).write_bytes(path.read_bytes())
        data = {"answers": self._answers(places), "games": places, "files": held, "loaded": {}}
        write_atomically(out / assets.INDEX, page(data))

    def _answers(self, games: Iterable[str]) -> Json:
        """What the server says of the whole; nothing of it goes on any more."""
        held, table = set(games), self.api.table({})
        table["rows"] = [row for row in table["rows"] if row[0] in held]
        run = self.api.run({}) | {"going": False, "fork": None}
        return {"run": run, "games": table, "version": {"version": run["version"], "going": False}}

    def _games(self) -> Iterator[tuple[str, Json]]:
        ids = self.ids
        for number, id in enumerate(ids, 1):
            self.progress(id, number, len(ids))
            yield id, self.game(id)

    def game(self, id: str) -> Json:
        """All that the server answers about a game, by the question."""
        whole = self.api.game({"id": id})
        found: Json = {"game": whole}
        marked = self.values or self.api.marks.kept(self.api.games.game(id))
        for turn in range(1, len(whole["turns"]) + 1):
            found |= self._turn(id, turn, whole["players"])
            if marked:
                found[f"marks?turn={turn}"] = self.api.role_marks({"id": id, "turn": str(turn)})
        if strip := self.api.strips.kept(self.api.games.game(id), compute=self.values):
            found["strip"] = strip
        return found

    def _turn(self, id: str, turn: int, players: int) -> Json:
        asked = {"id": id, "turn": str(turn)}
        calls = self.api.turn(asked)
        found = {f"turn?turn={turn}": calls}
        for key in (call["key"] for call in calls["calls"]):
            found[f"prompt?key={key}&turn={turn}"] = self.api.prompt(asked | {"key": key})
        for seat in range(players):
            found[f"beliefs?seat={seat}&turn={turn}"] = self.api.beliefs(asked | {"seat": str(seat)})
        if self.values:
            found[f"values?turn={turn}"] = self.api.turn_values(asked)
        return found

    def _files(self) -> list[tuple[str, Path]]:
        """The figures and the report, by the addresses under which the page asks for them."""
        report = self.library.root / "report.html"
        there = [("/files/report.html", report)] if self.library.kind == "run" and report.is_file() else []
        return [*self._figures(), *there]

    def _figures(self) -> list[tuple[str, Path]]:
        addresses = [one["file"] for one in self.api.run({})["figures"]]
        return [(one, self.library.root / one.removeprefix("/files/")) for one in addresses]


def packed(data: Any) -> str:
    """Data as compressed text: prompts repeat each other."""
    whole = spoken.encoded(data)
    return PACKED + base64.b64encode(gzip.compress(whole, mtime=0)).decode()


def page(data: Json) -> str:
    """The page as one text, with its modules and styles inside, and these data."""
    modules = {bare: _module(name) for bare, name in assets.modules().items()}
    text = assets.mapped(assets.text(assets.INDEX), modules)
    text = _STYLE.sub(lambda found: f"<style>\n{assets.text(found[1])}</style>", text)
    held = spoken.encoded(data).decode().replace("<", "\\u003c")
    start = f'<script>globalThis.HANABI_BUNDLE = {held};</script>\n<script type="module">import "page/app";</script>'
    text = _START.sub(lambda _: start, text)
    return text.replace('<meta charset="utf-8">', f'<meta charset="utf-8">\n{_policy(text)}', 1)


_STYLE = re.compile(r'<link rel="stylesheet" href="/static/([\w.-]+)">')
_START = re.compile(r'<script type="module" src="/static/app.js"></script>')


def _policy(text: str) -> str:
    """Nothing from elsewhere: only the scripts that are in the page, and those beside it on the disk."""
    scripts = " ".join(assets.script_hashes(text))
    rules = (
        f"default-src 'none'; script-src 'self' file: data: {scripts}; style-src 'unsafe-inline'; "
        "img-src 'self' file: data:; base-uri 'none'; form-action 'none'"
    )
    return f'<meta http-equiv="Content-Security-Policy" content="{rules}">'


def _module(name: str) -> str:
    return f"data:text/javascript;base64,{base64.b64encode(assets.text(name).encode()).decode()}"


def _as_data(path: Path) -> str:
    kind = guess_type(path.name)[0] or "application/octet-stream"
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"
