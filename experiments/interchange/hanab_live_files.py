"""`export --to hanab-live`: a JSON file for each game, and the addresses of their replays."""

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from experiments.interchange import hanab_live, hanab_live_address, sources
from experiments.record.files import write_atomically
from experiments.record.game import Game

ADDRESSES = "addresses.csv"
"""In the folder of an exported run: each game and its address."""


@dataclass(frozen=True)
class Written:
    """An exported game."""

    name: str
    file: Path
    address: str
    past_end: int
    """Moves that the site does not show, since no card could score any more."""

    @property
    def plain(self) -> dict[str, Any]:
        return {"game": self.name, "file": str(self.file), "address": self.address, "not_shown": self.past_end}


def export(path: Path, out: Path) -> list[Written]:
    """Write the games of a journal or a run folder; games of a run that have no move yet are left out.

    Raises UserError for a single game without moves.
    """
    games = sources.read(path)
    written = []
    for source, file in zip(games, sources.targets(games, path, out, ".json"), strict=True):
        recorded = Game.open(source.path)
        if path.is_dir() and not recorded.moves:
            continue
        game = hanab_live.game(recorded)
        write_atomically(file, json.dumps(game.data, ensure_ascii=False) + "\n")
        where = hanab_live_address.address(game.data)
        written.append(Written(source.name, file, where, game.past_end))
    if path.is_dir():
        write_atomically(out / ADDRESSES, _table(written))
    return written


def _table(written: Sequence[Written]) -> str:
    text = StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(("game", "address"))
    rows.writerows((game.name, game.address) for game in written)
    return text.getvalue()


def lines(written: Sequence[Written], out: Path) -> list[str]:
    """What a person reads: the address of a single game, or where those of many are."""
    if len(written) == 1:
        sentences = [f"file     {written[0].file}", f"address  {written[0].address}"]
    else:
        sentences = [f"{len(written)} games  {out}", f"addresses  {out / ADDRESSES}"]
    sentences.append(
        "white cards are blue there, blue ones purple; the file has the reasons as notes, the address has none"
    )
    if past := [game for game in written if game.past_end]:
        games = "this game" if len(written) == 1 else f"{len(past)} games"
        moves = sum(game.past_end for game in past)
        cut = "the last move is" if moves == 1 else f"the last {moves} moves are"
        sentences.append(f"hanab.live ends {games} earlier, when no card can score any more: {cut} cut")
    return sentences
