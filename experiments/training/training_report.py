"""A training told: its curve of losses, and what the model answers in held-out positions, before,
between and after."""

from collections.abc import Mapping, Sequence
from typing import Any

from hanabi_orchestrator.experiments.document import data, html, markdown, plots
from hanabi_orchestrator.experiments.document.blocks import (
    Block,
    Column,
    Document,
    Figure,
    Heading,
    Note,
    Text,
    table,
)
from hanabi_orchestrator.experiments.document.formats import COUNT, PERCENT, SIGNED
from hanabi_orchestrator.experiments.record.files import write_atomically
from hanabi_orchestrator.experiments.training.training import Trained
from hanabi_orchestrator.roles.words import many

ANSWERED = (
    Column("rows", "rows seen", COUNT),
    Column("positions", "positions", COUNT),
    Column("usable", "usable", PERCENT, "Answers that name a move."),
    Column("legal", "legal", PERCENT, "Answers that name a legal move."),
    Column("agreement", "agreement", PERCENT, "Answers that name the move of the game."),
    Column(
        "value",
        "value",
        SIGNED,
        "The mean one-step value: 1 the best legal move, -1 no legal move.",
    ),
)


def blocks(trained: Trained) -> tuple[Block, ...]:
    """Return what a terminal shows: the training in a sentence, and its answers."""
    training = trained.training
    by = ", ".join(f"{rows:,} by {player}" for player, rows in training.answered_by.items())
    losses = [entry["loss"] for entry in trained.log]
    parts: list[Block] = [
        Text(
            f"{training.kind.upper()} of {training.model} on {many(training.rows, 'row')} of "
            f"{training.data} ({by}), seeds {training.deals}. The loss went from {losses[0]:.3f} "
            f"to {losses[-1]:.3f}."
        )
    ]
    if trained.answers:
        rows = [
            (seen, *vars(answers).values()) for seen, answers in sorted(trained.answers.items())
        ]
        caption = f"Answers without sampling in the positions of {training.held_out}."
        parts.append(table("answers", ANSWERED, rows, title="Held-out positions", caption=caption))
    return (
        *parts,
        Note(f"model: {trained.model}; settings for --model: {trained.folder / 'model.yaml'}"),
    )


def write(trained: Trained) -> None:
    """Write report.md, report.html and the curve of losses with its numbers."""
    name = trained.folder.name
    settings = table(
        "settings",
        (Column("setting", "setting"), Column("value", "value")),
        sorted((key, str(value)) for key, value in trained.training.settings.items()),
    )
    columns: list[str] = []
    for key in ("step", "loss", "reward", "rewards/accuracies", "entropy"):
        if key in trained.log[-1]:
            columns.append(key)
    rows = []
    for entry in trained.log:
        rows.append({key: entry.get(key) for key in columns})
    write_atomically(trained.folder / "figures/loss.csv", data.csv_text(rows))
    svg = plots.picture(lambda: paint(rows, columns))
    write_atomically(trained.folder / "figures/loss.svg", svg)
    svg = plots.inline(svg, "loss", "Loss by step")
    curve = Figure(
        "loss",
        "Loss by step",
        "As the trainer logged it.",
        "figures/loss.csv",
        "figures/loss.svg",
        svg,
    )
    document = Document(
        name, (*blocks(trained), Heading("Curves"), curve, Heading("Settings"), settings)
    )
    write_atomically(trained.folder / "report.md", markdown.text(document))
    write_atomically(trained.folder / "report.html", html.page(document))


def paint(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> Any:
    """Return a panel for each number that the trainer logged, by step."""
    figure, axes = plots.panels([1.4] * len(columns[1:]))
    for axis, column in zip(axes, columns[1:], strict=True):
        axis.plot(
            [row["step"] for row in rows],
            [row[column] for row in rows],
            color=plots.BLUE,
            linewidth=1.3,
        )
        axis.set_title(column)
    axes[-1].set_xlabel("step")
    return figure
