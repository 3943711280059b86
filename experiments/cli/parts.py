"""`list`; `graphs` and `roles`: show one, its prompts, and whether it is sound."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer import Argument, Option

from hanabi_orchestrator.experiments.cli import completion, export
from hanabi_orchestrator.experiments.cli.evaluate import ProbeChoice, list_probes
from hanabi_orchestrator.experiments.cli.shared_options import (
    Output,
    Players,
    Settings,
    group,
    print_json,
    print_yaml,
    say,
)
from hanabi_orchestrator.orchestrator.errors import UserError

graphs_app = group("Show a graph, or the prompts that it sends.")
roles_app = group("Show a role, or check that it is sound.")


GraphName = Annotated[
    str,
    Argument(help="A graph's name, or a path to its YAML file.", autocompletion=completion.graph),
]


@graphs_app.command("show")
def graphs_show(
    name: GraphName,
    form: Annotated[
        str | None,
        Option(
            "--as",
            help="yaml: the whole graph as a file; mermaid: the compiled graph as a diagram.",
        ),
    ] = None,
    players: Players = 3,
    settings: Settings = None,
    *,
    output: Output,
) -> None:
    """Show which node of a graph reads which."""
    from hanabi_orchestrator import graphs
    from hanabi_orchestrator.experiments.document.terminal import console
    from hanabi_orchestrator.experiments.show import graph_tree
    from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean
    from hanabi_orchestrator.orchestrator.hanabi.referee import check_players

    if form not in (None, "yaml", "mermaid"):
        raise UserError(f"--as is {form!r}; {did_you_mean(form, ('yaml', 'mermaid'), 'it can be')}")
    config = graphs.dotted(graphs.read(name), settings or ())
    if form == "mermaid":
        say(graph_tree.mermaid(config, check_players(players)))
    elif form == "yaml":
        print_yaml(config.model_dump(mode="json", exclude_defaults=True), 120)
    elif output.as_json:
        print_json(config.model_dump(mode="json"))
    else:
        graph_tree.show_graph(
            config, console(), graphs.source(name) if name in graphs.names() else name
        )


@graphs_app.command("prompt")
def graphs_prompt(
    name: GraphName,
    players: Players = 3,
    seed: Annotated[int, Option(help="HLE's own deal of this seed.")] = 1,
    turn: Annotated[int, Option(help="The turn of the game that the graph's programs play.")] = 1,
    node: Annotated[str | None, Option(help="Only the prompt of this node.")] = None,
    settings: Settings = None,
    *,
    output: Output,
) -> None:
    """Print the prompts that a graph would send for a position.

    With their size; no model is asked.
    """
    from hanabi_orchestrator import graphs
    from hanabi_orchestrator.experiments.show import prompts
    from hanabi_orchestrator.orchestrator.hanabi.referee import check_players, check_seed

    config = graphs.dotted(graphs.read(name), settings or ())
    node_prompts = prompts.node_prompts(
        config, check_players(players), check_seed(seed), turn, node
    )
    output.draw(prompts.data(node_prompts), prompts.show, node_prompts)


@roles_app.command("show")
def roles_show(
    name: Annotated[
        str, Argument(help="A role, or a section.", autocompletion=completion.role_or_section)
    ],
    *,
    output: Output,
) -> None:
    """Show a role: its sections with their fields, its reply, its marks and its instruction; or a
    section."""
    from hanabi_orchestrator import roles
    from hanabi_orchestrator.experiments.show import listing, section_fields

    roles.load()
    if name in roles.SECTIONS:
        section = roles.SECTIONS[name]
        output.lines(section_fields.data(section), *section_fields.lines(section, with_types=True))
    else:
        role = roles.get(name)
        output.draw(listing.role_data(role), listing.show_role, role)


@roles_app.command("check")
def roles_check(
    name: Annotated[str, Argument(help="A role's name.", autocompletion=completion.role)],
    *,
    output: Output,
) -> None:
    """Check a role against its interface.

    At 2 to 5 players, in every answer format, without each section or note.
    """
    from hanabi_orchestrator import roles
    from hanabi_orchestrator.roles import conformance

    problems = conformance.check(roles.get(name))
    output.lines({"role": name, "ok": not problems, "problems": problems}, *(problems or ["ok"]))
    if problems:
        raise typer.Exit(1)


Kind = Literal[
    "graphs",
    "roles",
    "partners",
    "experiments",
    "runs",
    "games",
    "positions",
    "probes",
    "references",
    "formats",
    "tasks",
]


def listed(
    kind: Annotated[
        Kind, Argument(metavar="KIND", help="graphs, roles, partners, experiments, runs, games ...")
    ],
    folder: Annotated[
        Path | None,
        Argument(
            metavar="[DIR]", help="Of runs and games: below this folder; default runs, games."
        ),
    ] = None,
    *,
    choice: ProbeChoice,
    output: Output,
) -> None:
    """List graphs, roles, partners, experiments, runs, games ...

    Also positions (packaged banks), probes (conventions with their probes), references
    (published scores), formats (of export and import), and tasks (of evaluate).
    """
    if folder is not None and kind not in ("runs", "games"):
        raise UserError(f"list {kind} takes no folder; list runs and list games do")
    from hanabi_orchestrator import roles
    from hanabi_orchestrator.experiments.record import saved
    from hanabi_orchestrator.experiments.show import listing

    if kind == "probes":
        list_probes(choice, output)
    elif kind == "graphs":
        output.show(listing.graphs_data(), [listing.graphs_table()])
    elif kind == "roles":
        output.show(
            [listing.role_data(roles.get(name)) for name in roles.names()], [listing.roles_table()]
        )
    elif kind == "partners":
        output.show(listing.partners_data(), [listing.partners_table()])
    elif kind == "games":
        games = saved.games(folder or Path("games"))
        output.rows(
            games if output.as_json else saved.told(games),
            f"there is no game in {folder or 'games'}",
        )
    elif kind == "runs":
        output.rows(saved.runs(folder or Path("runs")), f"there is no run in {folder or 'runs'}")
    else:
        output.rows(*_rows(kind))


def _rows(kind: str) -> tuple[Sequence[Mapping[str, Any]], str]:
    """The rows of a list that is a plain table, and what is said where there is none."""
    from hanabi_orchestrator.experiments.show import listing
    from hanabi_orchestrator.experiments.study import experiment, references
    from hanabi_orchestrator.experiments.tasks import task_kinds
    from hanabi_orchestrator.experiments.tasks.positions import bank

    if kind == "experiments":
        return experiment.experiments(), "there is no packaged experiment"
    if kind == "formats":
        return listing.formats(export.OF_COMMAND), "there is no format"
    if kind == "tasks":
        return task_kinds.rows(), "there is no task"
    if kind == "references":
        return references.rows(), "there is no reference"
    return bank.rows(), "there is no packaged bank"
