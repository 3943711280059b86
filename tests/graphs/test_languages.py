"""Prompts in another language: nothing left in English but what is meant to be, and the same facts."""

import re
from collections import Counter

import pytest
import yaml

from hanabi_orchestrator import graphs, prompts, roles
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal.events import Call, Event
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.models.request import ModelRequest, Scripted, messages
from hanabi_orchestrator.orchestrator.replies import writer
from hanabi_orchestrator.orchestrator.replies.reader import read
from hanabi_orchestrator.orchestrator.replies.values import entry
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from hanabi_orchestrator.roles.hanabi.plan_evaluator import PlannedChoice
from hanabi_orchestrator.roles.words import Words
from tests.roles.test_planner import PLANNERS
from tests.support.folders import TESTS
from tests.support.positions import POSITIONS, literal_views, position, turn_of
from tests.support.prove import FULL
from tests.support.small_graph import LAST, turn

CHINESE = Words("zh")
GOLDEN = TESTS / "golden"

MOVE = r"(?:play|discard) slot(?: \d)?|hint P\d (?:rank \d|red|yellow|green|white|blue)"
COLOURS = r"(?:red|yellow|green|white|blue)（"
FACT = re.compile(r"[RYGWB][1-5]|P[0-4]|\d+(?:\.\d+)?")
MEANT = {
    "Hanabi",
    "JSON",
    "null",
    "R",
    "Y",
    "G",
    "W",
    "B",
    "red",
    "hint",
    "rank",
    *(f"P{seat}" for seat in range(5)),
}
"""English words that a Chinese prompt may hold: words of a move that is spelled out, seats, the letters of colours."""


async def asked(graph: str, where: str, form: str, lang: str) -> dict[str, ModelRequest]:
    view = position(where)
    config = graphs.at(
        graphs.setting(graphs.read(graph), lang=lang, answer_format=form), view.players
    )
    return requests(config, view, await turn_of(config, view))


def keys(kind: type[roles.Reply]) -> set[str]:
    """The words of the names of a reply's parts, as keys and as labels."""
    inner = [entry(field.annotation) for field in kind.model_fields.values()]
    names = [*kind.model_fields, *(name for one in inner if one for name in one.model_fields)]
    names += [writer.label(kind, name) for name in kind.model_fields]
    return {word for name in names for word in re.findall(r"[A-Za-z]+", name)}


def english(text: str) -> set[str]:
    """The words of Latin letters, but for moves and cards."""
    rest = re.sub(MOVE, " ", re.sub(COLOURS, " ", text))
    return set(re.findall(r"[A-Za-z]+\d?", re.sub(r"\b[RYGWB][0-5]\b", " ", rest)))


@pytest.mark.parametrize("where", POSITIONS)
@pytest.mark.parametrize("form", ("json", "text"))
@pytest.mark.parametrize("graph", PLANNERS)
async def test_a_chinese_prompt_says_the_same_facts_and_nothing_in_english(
    graph: str, form: str, where: str
) -> None:
    chinese = await asked(graph, where, form, "zh")
    plainly = await asked(graph, where, form, "en")
    assert list(chinese) == list(plainly) and chinese
    for node, ask in chinese.items():
        assert [part.name for part in ask.parts] == [part.name for part in plainly[node].parts]
        assert ask.moves == plainly[node].moves
        for part, other in zip(ask.parts, plainly[node].parts, strict=True):
            meant = MEANT | keys(ask.reply) if part.name == "answer_format" else MEANT
            assert english(part.text) <= meant, (node, part.name)
            assert Counter(FACT.findall(part.text)) == Counter(FACT.findall(other.text)), (
                node,
                part.name,
            )


@pytest.mark.parametrize("players", (2, 3, 4, 5))
async def test_no_phrase_is_missing_in_whole_games(players: int) -> None:
    config = graphs.at(graphs.setting(graphs.read("tom_planner_2"), lang="zh"), players)
    for view in literal_views(players, 7)[::6]:
        for ask in requests(config, view, await turn_of(config, view)).values():
            assert all(
                not english(part.text) - MEANT for part in ask.parts if part.name != "answer_format"
            )


@pytest.mark.parametrize("where", POSITIONS)
async def test_chinese_prompts_are_as_stored(where: str, request: pytest.FixtureRequest) -> None:
    path = GOLDEN / "tom_planner_2-zh" / f"{where}.md"
    told = await asked("tom_planner_2", where, "json", "zh")
    text = "\n".join(
        f"=== {node}: {message.role} message\n\n{message.content}\n"
        for node, ask in told.items()
        for message in messages(ask.parts)
    )
    if request.config.getoption("--golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


def test_every_phrase_has_the_variables_of_its_english() -> None:
    listed = yaml.safe_load(prompts.text(prompts.PHRASES, "zh"))
    assert len(listed) > 80
    for phrase, chinese in listed.items():
        assert prompts.variables(phrase) == prompts.variables(chinese), phrase


def test_every_chinese_file_has_its_english_one_with_the_same_variables() -> None:
    files = [name for name in prompts.hashes() if name.startswith("zh/") and name.endswith(".md")]
    assert len(files) > 15
    for name in files:
        plainly = name.removeprefix("zh/")
        assert prompts.variables(prompts.text(plainly, "zh")) == prompts.variables(
            prompts.text(plainly)
        ), name


@pytest.mark.parametrize(
    ("graph", "said"),
    [
        ("watson", "no prompt 'strategy' in zh/sections; known: discards, final_round, history"),
        ("spin_bench_no_discards", "no prompt 'partner_knowledge' in zh/sections; known: discards"),
    ],
)
def test_a_text_that_a_language_lacks_is_named_with_those_it_has(graph: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        graphs.setting(graphs.read(graph), lang="zh")


def test_a_role_and_a_phrase_that_a_language_lacks_are_named() -> None:
    config = graphs.setting(graphs.read("tom_planner_0"), lang="zh")
    with pytest.raises(
        UserError,
        match="no prompt 'proposer' in zh/roles; known: first_order, plan_evaluator, second_",
    ):
        graphs.change(config, planner={"role": "proposer"})
    with pytest.raises(UserError, match=r"no phrase 'danced' in zh/phrases\.yaml"):
        CHINESE("danced")
    with pytest.raises(UserError, match=r"lang: .* not 'fr'"):
        graphs.setting(graphs.read("tom_planner_0"), lang="fr")


def test_the_language_is_part_of_the_config_and_its_files_of_the_seats_card() -> None:
    plainly = graphs.seat("tom_planner_2").info
    card = graphs.seat(graphs.setting(graphs.read("tom_planner_2"), lang="zh")).info
    assert card.config is not None and card.config["lang"] == "zh"
    assert {
        "zh/phrases.yaml",
        "zh/sections/rules.md",
        "zh/roles/plan_evaluator",
        "zh/answer_json.md",
    } <= set(card.prompts)
    assert (
        not any(name.startswith("zh/") for name in plainly.prompts)
        and "sections/rules.md" not in card.prompts
    )
    assert card.prompts["zh/sections/rules.md"] == prompts.hashes()["zh/sections/rules.md"]


async def test_an_unusable_answer_is_complained_of_in_the_same_language() -> None:
    brain = Scripted({})
    await turn(graphs.setting(graphs.read("tom_planner_0"), lang="zh"), brain)
    (told,) = brain.heard[1]
    assert told.content.endswith(
        "\n\n你已经回答过一次，但那个回答无法使用：it is empty。请按上面的格式重新回答一次。"
    )


def test_a_chinese_answer_in_plain_text_is_read_with_wide_marks() -> None:
    plan = "- action：play slot 2；plan：先打出；再提示；gain：1.5"
    answer = f"Plans：\n{plan}\nReasoning：可以打出。\nChosen move：play slot 2"
    moves = {
        "0": LAST.legal[0],
        "7": next(move for move in LAST.legal if str(move) == "play slot 2"),
    }
    made = read(answer, PlannedChoice, moves, "text").reply
    assert isinstance(made, PlannedChoice) and str(made.action) == "play slot 2"
    assert (made.plans[0].plan, made.plans[0].gain, made.reason) == (
        "先打出；再提示",
        1.5,
        "可以打出。",
    )


@pytest.mark.parametrize("form", ("json", "text"))
async def test_a_game_in_chinese_needs_no_second_ask(form: str) -> None:
    config = graphs.setting(graphs.read("tom_planner_2"), lang="zh", answer_format=form)
    async with fake_endpoint.serving(fake_endpoint.app()) as url:
        seat = graphs.seat(config, f"openai:fake@{url}")
        events: list[Event] = []
        await play_async(
            seat, players=3, seed=2, sink=events.append, max_turns=None if FULL else 20
        )
        await seat.aclose()
    calls = [event for event in events if isinstance(event, Call)]
    assert len(calls) > 20 and {call.outcome for call in calls} <= {"ok", "repaired"}
    assert all(
        "is there twice" in dropped for call in calls for dropped in call.dropped
    )  # the endpoint draws moves


async def test_programs_write_in_the_language_of_the_prompt() -> None:
    _, events = await turn(graphs.setting(graphs.read("tom_planner_2"), lang="zh"), "program")
    said = {event.node: str(event.reply) for event in events if isinstance(event, Call)}
    assert "提示" in said["first_order"] and "你" in said["second_order"]
