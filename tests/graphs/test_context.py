"""Contexts by name, by file and inside a graph; and the picture of a graph."""

from io import StringIO
from pathlib import Path

import pytest
import yaml
from rich.console import Console

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.show.graph_tree import show_graph
from hanabi_orchestrator.graphs import named
from hanabi_orchestrator.graphs.attempts import steps
from hanabi_orchestrator.graphs.config import parse
from hanabi_orchestrator.graphs.context import Context, read
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.orchestrator.errors import UserError
from tests.conftest import Run
from tests.support.small_graph import LAST, nodes, small

MINE = {
    "name": "mine",
    "answer_format": "json",
    "sections": ["rules", "state", {"history": 3}, "legal_moves"],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a graph and the context that it names."""
    (tmp_path / "context.yaml").write_text(yaml.safe_dump(MINE), "utf-8")
    (tmp_path / "graph.yaml").write_text(small(context="./context.yaml"), "utf-8")
    return tmp_path


async def test_a_context_file_is_found_beside_its_graph_and_held_by_the_config(
    folder: Path,
) -> None:
    config = graphs.read(folder / "graph.yaml")
    assert config.context == Context.model_validate(MINE)
    assert [part.section for part in config.context_of("proposer").sections][:2] == [
        "rules",
        "state",
    ]
    (folder / "context.yaml").unlink()
    again = graphs.GraphConfig.model_validate(graphs.seat(config).info.config)
    assert again.context == config.context  # a journal needs no file to say what was played
    assert (await graphs.seat(again)(LAST, {})).move in LAST.legal


def test_the_card_has_a_hash_of_every_section_of_an_inlined_context(folder: Path) -> None:
    hashed = graphs.seat(graphs.read(folder / "graph.yaml")).info.prompts
    assert {name for name in hashed if name.startswith(("sections/", "contexts/"))} == {
        f"sections/{name}.md" for name in ("rules", "state", "history", "legal_moves")
    }


def test_a_context_may_stand_in_the_graph_and_be_a_nodes_own(folder: Path) -> None:
    inside = parse(small(context=MINE))
    assert inside.context == graphs.read(folder / "graph.yaml").context
    own = nodes(proposer={"role": "proposer", "context": "context.yaml"})
    config = parse(small(nodes=own), "graph", folder)
    assert (
        config.context_of("proposer").name == "mine"
        and config.context_of("aggregator").name == "sherlock"
    )


def test_a_setting_names_a_context_file_from_the_working_directory(folder: Path, run: Run) -> None:
    for arguments in (
        ["--graph", "watson", "--set", "context=context.yaml"],
        ["--graph", "graph.yaml"],
    ):
        code, out, err = run("play", *arguments, "--players", "2", "--json")
        assert (code, err) == (0, "") and '"turns"' in out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("no.yaml", "graph: context: cannot read context 'no.yaml'"),
        (
            {"name": "x", "sections": ["nope"]},
            "graph: context: context: sections: unknown section 'nope'; known: card_counts",
        ),
        (
            {"name": "x", "section": []},
            "graph: context: context: unknown key 'section'; did you mean 'sections'? Known: name",
        ),
        (7, "graph: context"),
    ],
)
def test_a_wrong_context_is_one_sentence(given: object, said: str) -> None:
    with pytest.raises(UserError) as caught:
        parse(small(context=given))
    assert str(caught.value).startswith(said) and "\n" not in str(caught.value)


def test_a_context_file_that_is_no_context_is_named(tmp_path: Path) -> None:
    (tmp_path / "list.yaml").write_text("- rules", "utf-8")
    with pytest.raises(
        UserError, match=r"context 'list\.yaml' is not a context: a YAML mapping with the keys name"
    ):
        parse(small(context="list.yaml"), "graph", tmp_path)


# The picture


def picture(config: graphs.GraphConfig, width: int) -> str:
    screen = StringIO()
    show_graph(config, Console(file=screen, width=width), "built-in")
    return screen.getvalue()


def test_the_steps_of_a_graph_are_its_serial_depth() -> None:
    first, second = steps(graphs.read("house"))
    assert set(first) == {"history_analyst", "tom_interpreter", "discard_strategist"}
    assert second == ["aggregator"]


@pytest.mark.parametrize("width", (80, 120))
@pytest.mark.parametrize("name", graphs.names("hanabi"))
def test_a_picture_fits_the_terminal_and_names_every_node(name: str, width: int) -> None:
    config = graphs.read(name)
    shown = picture(config, width)
    assert all(len(line) <= width for line in shown.splitlines())
    assert (
        all(node in shown for node in config.nodes)
        and "calls per turn: " in shown
        and "default (" in shown
    )


def test_a_picture_shows_what_is_set() -> None:
    config = graphs.setting(
        graphs.read("house"), answer_format="text", order="faithful", remembers=["aggregator"]
    )
    thrice = {"samples": 3, "model": "program"}
    config = graphs.change(
        config, discard_strategist=thrice, history_analyst={"options": {"history": 9}}
    )
    config = graphs.dotted(
        graphs.without_sections(config, "discards"), ["options.rules.scoring=kept"]
    )
    shown = picture(config, 120)
    for said in (
        "on program; 3 samples",
        "options {history: 9}",
        "instead of the context's: order faithful, answer_format text, options {rules: {scoring: kept}}",
        "without the sections: discards",
        "remembers for its next turn: aggregator",
        "models: default (3 nodes), program (1 node)",
        "reads history_analyst, tom_interpreter, discard_strategist",
    ):
        assert said in shown


def test_only_our_own_context_gives_room_to_reason() -> None:
    """The papers' contexts ask for a few sentences."""
    assert {name for name in named.contexts() if read(name).reason_words} == {"house"}


@pytest.mark.parametrize(
    ("graph", "told"), [("sherlock", True), ("watson", True), ("spin_bench", False)]
)
def test_a_second_ask_with_a_schema_says_its_form_where_the_first_one_said_another(
    graph: str, told: bool
) -> None:
    request = requests(graphs.read(graph), LAST, {})["proposer"]
    assert request.second_form == "json_schema" and bool(request.second_format) == told
    assert told == ('{"<a legal move>": <number from -1 to 1>}' in request.second_format)


def test_a_request_counts_what_lists_have_one_entry_for() -> None:
    (request,) = requests(graphs.read("mycroft"), LAST, {}).values()
    assert request.counts == {"players": 5, "others": 4, "slots": 4}
