"""Reports as readers meet them: in a browser, on a phone, from half a run or from another machine's."""

import csv
import html
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import yaml

from hanabi_orchestrator.experiments.analysis.analysis import analyse
from hanabi_orchestrator.experiments.document import html as html_page
from hanabi_orchestrator.experiments.document import markdown as markdown_page
from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.record.rows import rows as read_rows
from hanabi_orchestrator.experiments.report import run_report
from hanabi_orchestrator.experiments.report.figures import drawing, scores
from hanabi_orchestrator.experiments.report.figures.figure import Figure
from hanabi_orchestrator.experiments.report.run_data import RunData, in_order
from hanabi_orchestrator.experiments.study import experiment
from hanabi_orchestrator.experiments.study.metric import headline
from hanabi_orchestrator.experiments.tasks.games.experiment_run import run as run_experiment
from tests.conftest import Run
from tests.support.prove import FULL

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)

TEXT: dict[str, Any] = {
    "name": "small",
    "graph": "best_of_k",
    "players": [2],
    "seeds": {"first": 1, "count": 3},
    "models": {"default": "sim:average"},
    "arms": {
        "one": {"change": {"proposer": {"samples": 1}}},
        "three": {"change": {"proposer": {"samples": 3}}},
        "with-a-stranger-of-a-very-long-name": {"graph": "partner:random"},
    },
    "baseline": "one",
}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ran") / "run"
    run_experiment(experiment.parse(yaml.safe_dump(TEXT)), folder)
    return folder


@pytest.fixture(scope="module")
def written(ran: Path) -> run_report.Report:
    return run_report.write(ran)


def table(folder: Path, name: str) -> list[dict[str, str]]:
    return list(
        csv.DictReader((folder / "figures" / f"{name}.csv").read_text("utf-8").splitlines())
    )


class Page(HTMLParser):
    """What a page would fetch, and its words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.ids: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("script", "iframe", "img", "object", "embed"):
            self.fetched.append(tag)
        self.ids += [given["id"] or ""] if "id" in given else []
        self.fetched += [value or "" for name, value in attrs if name in ("src", "srcset", "data")]
        if tag == "link":
            self.fetched.append(given.get("href") or "")

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_the_page_fetches_nothing_and_says_first_what_is_simulated(
    written: run_report.Report,
) -> None:
    text = written.html.read_text("utf-8")
    page = Page(text)
    assert page.fetched == ["data:,"] and "@import" not in text and "url(http" not in text
    assert len(page.ids) == len(set(page.ids))
    words = " ".join(page.words)
    assert "small" in words and "one, three use simulated models" in words
    assert (
        words.index("simulated models")
        < words.index("What can and cannot be concluded")
        < words.index("Scores")
    )
    assert all(arm in words for arm in TEXT["arms"])
    assert (
        '<html lang="en">' in text
        and 'name="viewport"' in text
        and text.count("aria-label=") >= len(written.drawn)
    )


def test_every_figure_lies_beside_its_table_and_the_rest_is_named_with_its_reason(
    written: run_report.Report,
) -> None:
    folder = written.folder
    names = {one.key for one in written.drawn}
    assert names == {
        "scores",
        "iqm",
        "lengths",
        "differences",
        "histogram",
        "samples",
        "turns",
        "ends",
        "ranks",
        "agreement",
        "proposals",
        "policy-2p",
        "deals",
    }
    for name in names:
        assert (folder / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (folder / "figures" / f"{name}.svg").read_text("utf-8") and table(
            folder, name
        )
    markdown = (folder / "report.md").read_text("utf-8")
    for link in re.findall(r"\]\(([^)]+)\)", markdown):
        assert (folder / link).is_file(), link
    assert (
        "- Cost and score: no call was paid for" in markdown
        and "| one (simulated) | 2 | 3 |" in markdown
    )


def test_names_of_models_bring_nothing_into_a_report(ran: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    name = "openai:<img/src=x/onerror=alert(1)>![p](http://h/p.png)</td>"
    shutil.copytree(ran, folder, ignore=shutil.ignore_patterns("figures", "report.*"))
    for file in (folder / "run.yaml", folder / "results.csv"):
        file.write_text(file.read_text("utf-8").replace("sim:average", name), "utf-8")
    run = run_folder.run(folder)
    games = tuple(run_folder.read_rows(folder))
    data = RunData(
        folder, games, analyse(games), run, in_order(list(run["arms"]), games), headline(run)
    )
    document = run_report.run_report(data)
    markdown = markdown_page.text(document)
    outside = re.sub(
        r"</?(details|summary)>", "", re.sub(r"(`{3,})\n.*?\n\1", "", markdown, flags=re.DOTALL)
    )
    assert "openai:&lt;img/src=x" in markdown and not re.search(r"<[a-z/]", outside)
    assert "http://h/p.png" in markdown and "](http" not in markdown
    assert Page(html_page.page(document)).fetched == ["data:,"]


def test_a_figure_says_what_no_model_played(written: run_report.Report) -> None:
    svg = (written.folder / "figures" / "scores.svg").read_text("utf-8")
    assert ">one (sim.)<" in svg and ">with-a-stranger-of-a-… (prog.)<" in svg
    assert (
        "(prog.): programs, no language model; (sim.): simulated models, no language models" in svg
    )


def test_a_journal_that_cannot_be_read_costs_the_figures_of_turns_alone(
    ran: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(ran, folder, ignore=shutil.ignore_patterns("figures", "report.*"))
    broken = folder / "games" / "one" / "2p-s1-r1.jsonl"
    lines = broken.read_bytes().splitlines(keepends=True)
    broken.write_bytes(b"".join([*lines[:5], b'{"v": 2, "event": "decided", half\n', *lines[5:]]))
    made = run_report.write(folder, png=False)
    assert {one.key for one in made.drawn} == {
        "scores",
        "iqm",
        "lengths",
        "differences",
        "histogram",
        "deals",
        "samples",
        "ends",
        "policy-2p",
    }
    assert (
        "not a journal line"
        in {one.title: one.why for one in made.left_out}["Rank of the chosen move"]
    )


def test_the_tables_say_what_the_games_say(written: run_report.Report) -> None:
    rows = read_rows(written.folder)
    for line in table(written.folder, "scores"):
        if line["players"]:
            found = [
                row.score_strict
                for row in rows
                if (row.arm, str(row.players)) == (line["arm"], line["players"])
            ]
            assert float(line["strict"]) == pytest.approx(sum(found) / len(found), abs=1e-4)
    for line in table(written.folder, "ends"):
        assert (
            sum(int(line[end]) for end in ("perfect", "deck_exhausted", "lives_lost", "max_turns"))
            == 3
        )
    for row in rows:
        curve = [
            line
            for line in table(written.folder, "turns")
            if (line["arm"], int(line["players"])) == (row.arm, row.players)
        ]
        of = [other for other in rows if (other.arm, other.players) == (row.arm, row.players)]
        assert float(curve[-1]["score_kept"]) == pytest.approx(
            sum(one.score_kept for one in of) / 3, abs=1e-4
        )
        assert float(curve[-1]["lives_lost"]) == pytest.approx(
            sum(3 - one.lives for one in of) / 3, abs=1e-4
        )
    curves = {
        (line["players"], line["curve"]): line["k"] for line in table(written.folder, "samples")
    }
    assert set(curves) == {("2", "sherlock, sim:average")}
    assert {line["k"] for line in table(written.folder, "samples")} == {"1", "3"}


@pytest.mark.pictures
def test_the_same_run_gives_the_same_bytes(written: run_report.Report, tmp_path: Path) -> None:
    again = tmp_path / "run"
    shutil.copytree(written.folder, again, ignore=shutil.ignore_patterns("figures", "report.*"))
    run_report.write(again)
    paths = [path.relative_to(again) for path in again.rglob("*") if path.is_file()]
    assert {path.suffix for path in paths} >= {".html", ".md", ".svg", ".png", ".csv"}
    assert [
        path
        for path in paths
        if (again / path).read_bytes() != (written.folder / path).read_bytes()
    ] == []


def test_half_a_run_and_one_without_its_journals_are_reported(
    ran: Path, written: run_report.Report, tmp_path: Path, run: Run
) -> None:
    half = tmp_path / "half"
    shutil.copytree(ran, half, ignore=shutil.ignore_patterns("figures", "report.*"))
    (half / "games" / "three" / "2p-s2-r1.jsonl").unlink()
    (half / "run.yaml").unlink()
    code, out, err = run("report", str(half), "--json", "--interval", "bootstrap")
    assert (code, err) == (0, "") and json.loads(out)["analysis"]["summaries"]
    assert "8 finished" in (half / "report.md").read_text("utf-8")
    bare = tmp_path / "bare"
    bare.mkdir()
    shutil.copy(ran / "run.yaml", bare)
    shutil.copy(ran / "results.csv", bare)
    made = run_report.write(bare, png=False)
    assert ("Whose proposal was played", "the journals are not in this folder") in [
        (o.title, o.why) for o in made.left_out
    ]
    assert table(bare, "scores") == table(written.folder, "scores")
    assert {path.suffix for path in (bare / "figures").iterdir()} == {".svg", ".csv"}


@pytest.mark.pictures
def test_a_figure_that_fails_loses_no_other(
    ran: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*given: Any) -> Any:
        raise ZeroDivisionError("no such luck")

    whole = scores.FIGURES[0]
    monkeypatch.setattr(
        scores,
        "FIGURES",
        (Figure(whole.name, whole.title, "", whole.data, broken), *scores.FIGURES[1:]),
    )
    every = drawing.all_figures
    monkeypatch.setattr(
        drawing,
        "all_figures",
        lambda data: [one for one in every(data) if FULL or one.name in ("scores", "histogram")],
    )
    folder = tmp_path / "run"
    shutil.copytree(ran, folder, ignore=shutil.ignore_patterns("figures"))
    made = run_report.write(folder, png=False)
    assert [(one.title, one.why) for one in made.left_out][-1] == (
        "Scores",
        "it failed: ZeroDivisionError: no such luck",
    )
    assert table(folder, "scores") and not (folder / "figures" / "scores.svg").exists()
    assert (
        folder / "figures" / "histogram.svg"
    ).exists() and "no such luck" in made.html.read_text("utf-8")


def test_mistakes_are_told_in_one_sentence(run: Run, tmp_path: Path) -> None:
    code, out, err = run("report", "nowhere")
    assert (code, out) == (2, "") and "there is no folder 'nowhere'" in err
    Path("results.csv").write_text("arm,players\na,two\n", "utf-8")
    code, _, err = run("report", ".")
    assert code == 2 and "is not the results.csv of a run: " in err and err.count("\n") == 1


WATCH = """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline';
  script-src 'unsafe-inline'; img-src data:">
<script>
const said = []
addEventListener("error", event => said.push(String(event.message || event.target.src)), true)
document.addEventListener("securitypolicyviolation", event => said.push("asked for " + event.blockedURI))
addEventListener("load", () => {
  const heights = [...document.querySelectorAll("svg text")].map(one => one.getBoundingClientRect().height)
  top.told.push({said, wide: document.documentElement.scrollWidth, room: document.documentElement.clientWidth,
    smallest: Math.min(...heights), figures: document.querySelectorAll("figure svg").length,
    words: document.body.innerText})
  top.document.title = JSON.stringify(top.told)
})
</script>
"""
"""Goes before a page: what it would fetch is refused, and its errors, width and words are told to that around it."""

PHONE = '<iframe srcdoc="{page}" width="390" height="800"></iframe>'
"""A browser's own window is no narrower than 500 pixels."""


@pytest.mark.skipif(
    BROWSER is None, reason="no browser is installed: Debian's is `apt-get install chromium`"
)
def test_a_browser_shows_it_on_a_phone_without_a_request_an_error_or_a_sideways_scroll(
    written: run_report.Report, tmp_path: Path
) -> None:
    text = written.html.read_text("utf-8").replace("<head>", f"<head>{WATCH}", 1)
    bad = f'{WATCH}<img src="http://127.0.0.1:9/x.png"><p style="width: 900px">wide</p><script>nothing()</script>'
    frames = [PHONE.format(page=html.escape(one)) for one in (text, bad)]
    (tmp_path / "phones.html").write_text(
        f"<title></title><script>told = []</script>{''.join(frames)}", "utf-8"
    )
    found = sorted(
        told(tmp_path / "phones.html", tmp_path / "profile"), key=lambda one: len(one["said"])
    )
    good, watched = found
    assert "asked for http://127.0.0.1:9/x.png" in watched["said"] and watched["wide"] > 390
    assert any("nothing is not defined" in one for one in watched["said"])
    assert good["said"] == [] and good["wide"] <= good["room"] <= 390
    assert good["figures"] == len(written.drawn) and good["smallest"] > 7
    assert all(arm in good["words"] for arm in TEXT["arms"])


def told(page: Path, profile: Path) -> list[dict[str, Any]]:
    """What the frames of a page told, in a browser."""
    assert BROWSER
    quiet = "no-sandbox disable-gpu disable-quic no-first-run disable-background-networking disable-component-update"
    options = [f"--{one}" for one in (*quiet.split(), "disable-sync", f"user-data-dir={profile}")]
    command = [
        BROWSER,
        "--headless",
        *options,
        "--virtual-time-budget=3000",
        "--dump-dom",
        page.as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return list(
        json.loads(html.unescape(re.findall(r"<title>(.*?)</title>", done.stdout, re.DOTALL)[0]))
    )
