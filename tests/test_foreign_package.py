"""A package of somebody else, installed beside ours, adds one of each thing that people extend, by public names alone;
each is used through the command line."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean

import pytest

from tests.roles.test_plugins import command
from tests.support.installed import install

FORMATS = """
import json
from pathlib import Path

from hanabi_orchestrator import UserError
from hanabi_orchestrator.experiments import formats, games


def write(path, out):
    lines = []
    for source in games.sources(path):
        game = source.open()
        moves = [str(move) for move in game.moves]
        lines.append(json.dumps({"deck": game.started.deck, "moves": moves}))
    out.write_text("\\n".join(lines), "utf-8")
    return formats.Written(f"{len(lines)} games written")


def read(source, out):
    paths = []
    for number, line in enumerate(Path(source).read_text("utf-8").splitlines(), 1):
        game = json.loads(line)
        paths.append(out / f"{number}.jsonl")
        games.save(paths[-1], game["deck"], game["moves"], players=["a", "b"], program="far")
    return formats.Written(f"{len(paths)} games read", data={"games": len(paths)})


EXPORT = formats.ExportFormat(says="decks and moves", write=write)
IMPORT = formats.ImportFormat(
    says="decks and moves", read=read, takes=lambda source: source.endswith(".far")
)
"""

TASK = '''
from pydantic import Field

from hanabi_orchestrator import roles
from hanabi_orchestrator.experiments import tasks


class Sum(tasks.Question):
    left: int
    right: int


class Settings(tasks.Settings):
    most: int = 3


class Answer(roles.Reply):
    example = {"total": 2}
    total: int = Field(description="the sum")


class Adding(tasks.QuestionKind[Sum]):
    """Whether sums are right."""

    role = "adding"
    reply = Answer
    measure = "right"
    most = 1

    def prompt(self, question):
        return f"What is {question.left} + {question.right}?"

    def programmed(self, question):
        if question.left == 1:
            raise tasks.NoAnswer("one is too hard")
        return Answer(total=question.left + question.right)

    def score(self, question, reply):
        return float(reply is not None and reply["total"] == question.left + question.right)


def sums(settings):
    for left in range(settings.most):
        yield Sum(name=f"{left}+2", left=left, right=2)


TASK = tasks.of_questions("adding", Adding(), Sum, sums, Settings)
'''

ROLES = '''
from dataclasses import dataclass

from pydantic import Field

from hanabi_orchestrator import roles

roles.convention("far_hints", "A hint to the far player asks for a discard.")


@roles.section
@dataclass(frozen=True)
class Far(roles.Section):
    """How far the deck is from its end."""

    name = "far"
    template = "The deck has $left cards."
    left: int

    @classmethod
    def of(cls, view, options):
        return cls(view.deck_size)

    def variables(self, words):
        return {"left": self.left}


class Distance(roles.Reply):
    example = {"left": 9}
    left: int = Field(ge=0, description="cards left to draw")


@roles.role(reply=Distance, takes=(Far,), needs=(Far,), template="Say how many cards are left.")
def far_counter(told, notes):
    """Counts what is left to draw."""
    return Distance(left=told[Far].left)


@roles.role(reply=roles.Judgement, takes=(roles.State,), needs=(roles.State,))
def never_last_token(told, notes):
    """Refuses a hint that spends the last token."""
    (choice,) = notes["choice"]
    spent = told[roles.State].tokens == 1 and str(choice.action).startswith("hint")
    return roles.Judgement(accept=not spent, reason="it spends the last token")
'''

MEASURES = """
from hanabi_orchestrator.experiments import Measure, measures

measures.add(
    Measure(key="far", of=lambda row: row.turns, says="turns played", unit="turns", better="fewer")
)
"""

GRAPH = """
name: far_graph
context: far_context
nodes:
  far_counter: {role: far_counter}
  proposer: {role: proposer, reads: [far_counter]}
  keeper: {role: never_last_token, reads: [proposer], model: program}
decides: proposer
check: {judge: keeper, redo: proposer}
options: {conventions: far_hints}
"""

CONTEXT = """
name: far_context
order: cache
sections: [rules, conventions, state, far, own_deductions, partner_deductions, discards, history, legal_moves]
"""

FILES = {
    "__init__.py": ROLES,
    "formats.py": FORMATS,
    "task.py": TASK,
    "measures.py": MEASURES,
    "far_graph.yaml": GRAPH,
    "contexts/far_context.yaml": CONTEXT,
}
POINTS = {
    "hanabi_orchestrator.roles": {"far": "hanabi_far"},
    "hanabi_orchestrator.graphs": {"far": "hanabi_far"},
    "hanabi_orchestrator.measures": {"far": "hanabi_far.measures"},
    "hanabi_orchestrator.tasks": {"adding": "hanabi_far.task:TASK"},
    "hanabi_orchestrator.exports": {"far": "hanabi_far.formats:EXPORT"},
    "hanabi_orchestrator.imports": {"far": "hanabi_far.formats:IMPORT"},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    install(tmp_path, "hanabi_far", FILES, POINTS)
    return tmp_path


def done(folder: Path, *arguments: str) -> str:
    code, out, err = command(folder, *arguments)
    assert (code, err) == (0, ""), err
    return out


def test_its_formats_write_games_and_read_them_back(folder: Path) -> None:
    result = json.loads(done(folder, "play", "--graph", "watson", "--players", "2", "--json"))
    out = done(folder, "export", result["journal"], "all.far", "--to", "far")
    assert out == "1 games written\n"
    assert done(folder, "import", "all.far", "--out", "back") == "1 games read\n"
    turns = json.loads(done(folder, "show", "back/1.jsonl", "--json"))
    assert turns["result"]["score_strict"] == result["score_strict"]
    assert turns["result"]["turns"] == result["turns"]
    (folder / "all.text").write_bytes((folder / "all.far").read_bytes())
    done(folder, "import", "all.text", "--from", "far", "--out", "named")
    assert (folder / "named" / "1.jsonl").is_file()


def test_its_graph_role_section_context_convention_and_verifier_play(folder: Path) -> None:
    result = json.loads(done(folder, "play", "--graph", "far_graph", "--players", "2", "--json"))
    journal = (folder / result["journal"]).read_text("utf-8")
    lines = [json.loads(line) for line in journal.splitlines()]
    counted = [line for line in lines if line["event"] == "call" and line["node"] == "far_counter"]
    assert counted[0]["reply"] == {"left": 40} and len(counted) >= result["turns"]
    reasons = [line["why"] for line in lines if line["event"] == "verdict" and not line["accepted"]]
    assert set(reasons) == {"it spends the last token"}
    assert "conventions/far_hints.md" in lines[0]["seats"][0]["prompts"]
    prompt = done(folder, "graphs", "prompt", "far_graph", "--node", "proposer", "--players", "2")
    assert "A hint to the far player asks for a discard." in prompt
    prompt = done(folder, "graphs", "prompt", "far_graph", "--node", "far_counter")
    assert "The deck has 35 cards." in prompt


def test_its_convention_is_an_option_of_our_graphs_and_its_measure_compares_arms(
    folder: Path,
) -> None:
    (folder / "two.yaml").write_text(TWO, "utf-8")
    done(folder, "experiment", "run", "two.yaml", "--out", "two", "--json", "-q")
    report = json.loads(done(folder, "report", "two", "--json"))
    assert report["metric"]["metric"] == "far"
    turns: dict[str, list[int]] = {}
    with (folder / "two" / "results.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            turns.setdefault(row["arm"], []).append(int(row["turns"]))
    differences = {line["arm"]: line["mean"] for line in report["analysis"]["differences"]}
    assert differences["piers"] == pytest.approx(fmean(turns["piers"]) - fmean(turns["plain"])) != 0
    assert set(turns) == {"plain", "agreed", "piers"}


TWO = """
name: two
graph: cac_generator
players: [2]
seeds: 2
metric: far
models: {default: program}
baseline: plain
arms: {plain: {}, agreed: {options: {conventions: far_hints}}, piers: {seats: {1: "partner:piers"}}}
"""


def test_its_task_is_asked_goes_on_and_reports(folder: Path) -> None:
    asked = ("evaluate", "task", "adding", "--out", "sums", "--json", "-q")
    first = json.loads(done(folder, *asked))
    (row,) = first["adding"]
    assert (row["questions"], row["unread"]) == (3, "1 of 3")
    assert row["mean"] == pytest.approx(2 / 3)
    calls = (folder / "sums" / "calls.jsonl").read_text("utf-8")
    assert json.loads(done(folder, *asked))["adding"] == first["adding"]
    assert (folder / "sums" / "calls.jsonl").read_text("utf-8") == calls, "nothing is asked twice"
    more = json.loads(done(folder, *asked, "--samples", "2", "--workers", "2"))
    assert more["adding"][0]["unread"] == "2 of 6"
    assert json.loads(done(folder, "report", "sums", "--json"))["adding"] == more["adding"]
    status = json.loads(done(folder, "experiment", "status", "sums", "--json"))
    assert (status["finished"], status["games"]) == (6, 6)
    code, _, err = command(folder, *asked, "--set", "most=4")
    assert code == 2 and "another asked: most 3, not 4" in " ".join(err.split())
    code, _, err = command(folder, *asked, "--set", "least=4")
    assert code == 2 and "unknown key 'least'" in err
    rows = json.loads(done(folder, "list", "tasks", "--json"))
    assert {"task": "adding", "from": "hanabi-far", "asks": "Whether sums are right."} in rows


def test_a_run_of_a_task_that_is_not_there_says_so(folder: Path, tmp_path: Path) -> None:
    done(folder, "evaluate", "task", "adding", "--out", "sums", "-q", "--json")
    (folder / "hanabi_far-1.0.dist-info" / "entry_points.txt").write_text("", "utf-8")
    for asked in (("report", "sums"), ("experiment", "status", "sums")):
        code, out, err = command(folder, *asked)
        sentence = "'sums' is a run of a task that is not known here: a task of your own needs"
        assert (code, out) == (2, "") and sentence in " ".join(err.split())


def test_a_list_says_who_brings_a_format(folder: Path) -> None:
    rows = json.loads(done(folder, "list", "formats", "--json"))
    assert {
        "format": "far",
        "for": "import",
        "from": "hanabi-far",
        "holds": "decks and moves",
    } in rows
    sources = {row["format"]: row["from"] for row in rows if row["for"] == "export"}
    assert (sources["far"], sources["hanab-live"]) == ("hanabi-far", "built-in")


def test_a_deck_or_a_move_that_does_not_fit_is_one_sentence(folder: Path) -> None:
    (folder / "bad.far").write_text(json.dumps({"deck": ["R1"], "moves": []}), "utf-8")
    code, out, err = command(folder, "import", "bad.far", "--out", "back")
    assert (code, out) == (2, "") and "Traceback" not in err and err.startswith("error: ")
    assert not (folder / "back").exists()


BROKEN: Mapping[str, tuple[dict[str, str], str]] = {
    "its module is missing": (
        {"bad": "hanabi_bad.nothing:EXPORT"},
        "plugin 'hanabi-bad' (bad = hanabi_bad.nothing:EXPORT) cannot be loaded: ModuleNotFoundError",
    ),
    "its name is missing": (
        {"bad": "hanabi_bad:NOTHING"},
        "plugin 'hanabi-bad' (bad = hanabi_bad:NOTHING) cannot be loaded: AttributeError",
    ),
    "it is of another type": (
        {"bad": "hanabi_bad:THING"},
        "is no export format: its type is str, not ExportFormat",
    ),
    "its name is taken": (
        {"far": "hanabi_bad:THING"},
        "export format 'far' is there twice: by hanabi-bad and by hanabi-far; uninstall one",
    ),
    "its name is ours": (
        {"atif": "hanabi_bad:THING"},
        "export format 'atif' is there twice: by built-in and by hanabi-bad; uninstall one",
    ),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_package_is_one_sentence_and_everything_else_goes_on(
    folder: Path, fault: str
) -> None:
    points, sentence = BROKEN[fault]
    (name,) = points
    group = "hanabi_orchestrator.exports"
    install(folder, "hanabi_bad", {"__init__.py": "THING = 'x'"}, {group: points})
    journal = json.loads(done(folder, "play", "--graph", "watson", "--json"))["journal"]
    code, out, err = command(folder, "export", journal, "out", "--to", name)
    assert (code, out) == (2, "") and sentence in " ".join(err.split()) and "Traceback" not in err
    listed = json.loads(done(folder, "list", "formats", "--json"))
    holds = {row["format"]: row["holds"] for row in listed if row["for"] == "export"}
    assert sentence in holds[name]
    done(folder, "export", journal, "live.json", "--to", "hanab-live")
    if name != "far":
        done(folder, "export", journal, "all.far", "--to", "far")
