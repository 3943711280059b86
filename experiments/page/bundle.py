"""Writes a copy of the page that needs no software of ours: one HTML file, or a folder with a file
for each game.

Both open from a disk (file://). There the page may fetch nothing, so its modules are data:
addresses in the import map, and the file of a game is a classic script. The data of a game are what
the server answers about it, compressed.
"""

import base64
import gzip
import json
import re
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from mimetypes import guess_type
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.page import assets, spoken
from hanabi_orchestrator.experiments.page.library import Library
from hanabi_orchestrator.experiments.page.server import Api
from hanabi_orchestrator.experiments.page.spoken import Json
from hanabi_orchestrator.experiments.record.files import write_atomically
from hanabi_orchestrator.orchestrator.errors import UserError

PACKED = "gz:"
"""Before compressed data in base64."""


@dataclass
class Bundle:
    """A copy of the page of a library, game by game."""

    library: Library
    only: Sequence[str] = ()
    """The ids of the games that it holds; all if none are named."""
    values: bool = False
    """Whether to compute the values of moves and the expected scores, which takes minutes a
    game."""
    progress: Callable[[str, int, int], None] = lambda id, number, total: None

    @cached_property
    def api(self) -> Api:
        return Api(self.library)

    def write(self, out: Path) -> int:
        """Write the file, if its name ends in .html, or the folder; returns the bytes written.

        Raises UserError where something is there already, or a game is not.
        """
        if out.exists() and not (out.is_dir() and not any(out.iterdir())):
            raise UserError(
                f"{str(out)!r} is there already; name a new file, or a new or empty folder"
            )
        if out.suffix == ".html":
            games = {id: packed(data) for id, data in self._games()}
            files = {}
            for address, path in self._figures():
                kind = guess_type(path.name)[0] or "application/octet-stream"
                files[address] = (
                    f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"
                )
            write_atomically(
                out, page({"answers": self._answers(games), "games": games, "files": files})
            )
            return out.stat().st_size
        self._folder(out)
        return sum(path.stat().st_size for path in out.rglob("*") if path.is_file())

    @property
    def ids(self) -> list[str]:
        ids = [entry.journal.id for entry in self.api.games.shelf().entries]
        if missing := [id for id in self.only if id not in ids]:
            raise UserError(f"there is no game {missing[0]!r} here; ids read like {ids[0]!r}")
        return [id for id in ids if not self.only or id in self.only]

    def _folder(self, out: Path) -> None:
        (out / "games").mkdir(parents=True, exist_ok=True)
        places = {}
        for number, (id, data) in enumerate(self._games(), 1):
            places[id] = f"games/{number:05}.js"
            script = f"HANABI_BUNDLE.loaded[{json.dumps(id)}] = {json.dumps(packed(data))};\n"
            (out / places[id]).write_text(script, "utf-8")
        files = {}
        report = self.library.root / "report.html"
        reports = (
            [("/files/report.html", report)]
            if self.library.kind == "run" and report.is_file()
            else []
        )
        for address, path in [*self._figures(), *reports]:
            files[address] = f"./{address.removeprefix('/files/')}"
            (out / files[address]).parent.mkdir(exist_ok=True)
            (out / files[address]).write_bytes(path.read_bytes())
        data = {"answers": self._answers(places), "games": places, "files": files, "loaded": {}}
        write_atomically(out / assets.INDEX, page(data))

    def _answers(self, games: Container[str]) -> Json:
        """Return what the server says of the whole; nothing of it goes on any more."""
        table = self.api.ask("games")
        table["rows"] = [row for row in table["rows"] if row[0] in games]
        run = self.api.ask("run") | {"going": False, "fork": None}
        return {"run": run, "games": table, "version": {"version": run["version"], "going": False}}

    def _games(self) -> Iterator[tuple[str, Json]]:
        ids = self.ids
        for number, id in enumerate(ids, 1):
            self.progress(id, number, len(ids))
            yield id, self.game(id)

    def game(self, id: str) -> Json:
        """Return all that the server answers about a game, by the question."""
        game = self.api.games.game(id)
        page = self.api.ask("game", id=id)
        answers: Json = {"game": page}

        def ask(question: str, **query: Any) -> Any:
            texts = {name: str(value) for name, value in sorted(query.items())}
            address = f"{question}?{'&'.join(map('='.join, texts.items()))}"
            return answers.setdefault(address, self.api.ask(question, id=id, **texts))

        for turn in range(1, len(page["turns"]) + 1):
            for call in ask("turn", turn=turn)["calls"]:
                ask("prompt", turn=turn, key=call["key"])
            for seat in range(page["players"]):
                ask("beliefs", turn=turn, seat=seat)
            if self.values:
                ask("values", turn=turn)
            if self.values or self.api.marks.is_ready(game):
                ask("marks", turn=turn)
        if strip := self.api.strips.ready(game, compute=self.values):
            answers["strip"] = strip
        return answers

    def _figures(self) -> list[tuple[str, Path]]:
        """Return the figures, by the addresses under which the page asks for them."""
        addresses = [figure["file"] for figure in self.api.ask("run")["figures"]]
        figures = list[tuple[str, Path]]()
        for address in addresses:
            figures.append((address, self.library.root / address.removeprefix("/files/")))
        return figures


def packed(data: Any) -> str:
    """Return data as compressed text: prompts repeat each other."""
    return PACKED + base64.b64encode(gzip.compress(spoken.encoded(data), mtime=0)).decode()


def page(data: Json) -> str:
    """Return the page as one text, with its modules and styles inside, and these data."""
    modules = {}
    for bare, name in assets.modules().items():
        modules[bare] = (
            f"data:text/javascript;base64,{base64.b64encode(assets.text(name).encode()).decode()}"
        )
    text = assets.mapped(assets.text(assets.INDEX), modules)
    text = _STYLE.sub(lambda link: f"<style>\n{assets.text(link[1])}</style>", text)
    bundle = spoken.encoded(data).decode().replace("<", "\\u003c")
    start = (
        f'<script>globalThis.HANABI_BUNDLE = {bundle};</script>\n<script type="module">import '
        '"page/app";</script>'
    )
    text = _START.sub(lambda _: start, text)
    scripts = " ".join(assets.script_hashes(text))
    # nothing from elsewhere: only the scripts that are in the page, and those beside it on the disk
    policy = (
        f"default-src 'none'; script-src 'self' file: data: {scripts}; style-src 'unsafe-inline'; "
        "img-src 'self' file: data:; base-uri 'none'; form-action 'none'"
    )
    head = f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{policy}">'
    return text.replace('<meta charset="utf-8">', head, 1)


_STYLE = re.compile(r'<link rel="stylesheet" href="/static/([\w.-]+)">')
_START = re.compile(r'<script type="module" src="/static/app.js"></script>')
