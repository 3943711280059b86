"""`graphs`, `roles`, `partners` and `games`: list and show them."""

from pathlib import Path
from typing import Annotated

import typer

from experiments.cli.shared_options import Import, Json, Players, Settings, group, print_blocks, print_rows, printed

graphs_app = group("List and show graphs.")
roles_app = group("List, show and check roles.")
partners_app = group("List rule players.")
games_app = group("List games.")


@graphs_app.command("list")
def graphs_list(imports: Import = None, as_json: Json = False) -> None:
    """List the graphs."""
    from experiments.show import listing

    print_blocks(listing.graphs_data(), [listing.graphs_table()], as_json=as_json)


@graphs_app.command("show")
def graphs_show(
    name: Annotated[str, typer.Argument(help="A graph's name, or a path to its YAML file.")],
    mermaid: Annotated[bool, typer.Option("--mermaid", help="The compiled graph as a Mermaid diagram.")] = False,
    as_yaml: Annotated[bool, typer.Option("--yaml", help="The whole graph as a YAML file.")] = False,
    players: Players = 3,
    settings: Settings = None,
    imports: Import = None,
    as_json: Json = False,
) -> None:
    """Show which node of a graph reads which."""
    import yaml

    import graphs
    from experiments.document.terminal import console
    from experiments.show import graph_tree
    from orchestrator.hanabi.referee import check_players

    config = graphs.dotted(graphs.read(name), settings or ())
    if mermaid:
        print(graph_tree.mermaid(config, check_players(players)))
    elif as_yaml:
        print(yaml.safe_dump(config.model_dump(mode="json", exclude_defaults=True), sort_keys=False, width=120), end="")
    elif as_json:
        printed(config.model_dump(mode="json"))
    else:
        graph_tree.show_graph(config, console(), graphs.source(name) if name in graphs.names() else name)


@graphs_app.command("prompt")
def graphs_prompt(
    name: Annotated[str, typer.Argument(help="A graph's name, or a path to its YAML file.")],
    players: Players = 3,
    seed: Annotated[int, typer.Option(help="HLE's own deal of this seed.")] = 1,
    turn: Annotated[int, typer.Option(help="The turn of the game that the graph's programs play.")] = 1,
    node: Annotated[str | None, typer.Option(help="Only the prompt of this node.")] = None,
    settings: Settings = None,
    imports: Import = None,
    as_json: Json = False,
) -> None:
    """Print the prompts that a graph would send for a position, with their size; no model is asked."""
    import graphs
    from experiments.document.terminal import console
    from experiments.show import prompts
    from orchestrator.hanabi.referee import check_players, check_seed

    config = graphs.dotted(graphs.read(name), settings or ())
    node_prompts = prompts.node_prompts(config, check_players(players), check_seed(seed), turn, node)
    printed(prompts.data(node_prompts)) if as_json else prompts.show(node_prompts, console())


@roles_app.command("list")
def roles_list(imports: Import = None, as_json: Json = False) -> None:
    """List the roles."""
    import roles
    from experiments.show import listing

    print_blocks(
        [listing.role_data(roles.get(name)) for name in roles.names()], [listing.roles_table()], as_json=as_json
    )


@roles_app.command("show")
def roles_show(name: str, imports: Import = None, as_json: Json = False) -> None:
    """Show the sections of a role, its reply and its instruction."""
    import roles
    from experiments.document.terminal import console
    from experiments.show import listing

    role = roles.get(name)
    printed(listing.role_data(role)) if as_json else listing.show_role(role, console())


@roles_app.command("check")
def roles_check(name: str, imports: Import = None, as_json: Json = False) -> None:
    """Check a role against its interface: at 2 to 5 players, in every answer format, without each section or note."""
    from rich.text import Text

    import roles
    from experiments.document.terminal import console
    from roles.hanabi import conformance

    problems = conformance.check(roles.get(name))
    if as_json:
        printed({"role": name, "ok": not problems, "problems": problems})
    else:
        console().print(Text("\n".join(problems) or "ok"), soft_wrap=True)
    if problems:
        raise typer.Exit(1)


@partners_app.command("list")
def partners_list(as_json: Json = False) -> None:
    """List the rule players that can take a seat."""
    from experiments.show import listing

    print_blocks(listing.partners_data(), [listing.partners_table()], as_json=as_json)


@games_app.command("list")
def games_list(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder below which to look.")] = Path("games"),
    as_json: Json = False,
) -> None:
    """List the games below a folder: graph, model, deal, score, turns, and whether they are finished."""
    from experiments.record import saved

    games = saved.games(folder)
    print_rows(games if as_json else saved.told(games), f"there is no game in {folder}", as_json=as_json)
