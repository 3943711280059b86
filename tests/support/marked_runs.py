"""A small run folder with models' games, cut off early, for tests of marks."""

from pathlib import Path

import yaml

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.record import rows
from hanabi_orchestrator.orchestrator import play
from hanabi_orchestrator.orchestrator.journal import Journal

ARMS = {"full": (), "no-historian": ("history_analyst",)}
TURNS = 6


def marked_run(folder: Path, deals: int = 2) -> Path:
    """Games of `house` with simulated models, with and without the history analyst, on the same deals."""
    for arm, without in ARMS.items():
        seat = graphs.seat(graphs.without(graphs.read("house"), *without), "sim:careless")
        for seed in range(1, deals + 1):
            path = folder / "games" / arm / rows.journal_name(2, seed, 1)
            path.parent.mkdir(parents=True, exist_ok=True)
            with Journal(path) as sink:
                play(seat, players=2, seed=seed, sink=sink, max_turns=TURNS)
    arms = {arm: {"players": [2]} for arm in ARMS}
    run = {"name": "small", "arms": arms, "seeds": list(range(1, deals + 1)), "baseline": "full"}
    (folder / "run.yaml").write_text(yaml.safe_dump(run), "utf-8")
    return folder
