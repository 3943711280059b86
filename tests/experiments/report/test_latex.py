"""A report's tables for LaTeX, on made-up games."""

import re
from dataclasses import replace
from pathlib import Path

from hanabi_orchestrator.experiments.document.blocks import Table
from hanabi_orchestrator.experiments.document.latex import escape
from hanabi_orchestrator.experiments.report import run_report, score_tables
from tests.support.reports import BASE, BETTER, KEPT, data, games, report

AWKWARD = "50%_of {a}\\b & #1 $x^2~"


def test_tables_for_latex_are_whole_and_escaped(tmp_path: Path) -> None:
    named = [*games("base", BASE), *games(AWKWARD, BETTER)]
    run = {**KEPT, "name": "run_1", "arms": {}, "metric": "strict"}
    made = report(tmp_path, named, run, tex=True)
    tex = (tmp_path / run_report.LATEX).read_text("utf-8")
    assert r"50\%\_of \{a\}\textbackslash{}b \& \#1 \$x\textasciicircum{}2\textasciitilde{}" in tex
    keys = ("arms", "differences", "variances", "origins", "play", "seats")
    assert re.findall(r"\\label\{tab:run-1-([a-z-]+)\}", tex) == list(keys)
    for rule in (
        "toprule",
        "midrule",
        "bottomrule",
        "begin{tabular}",
        "end{tabular}",
        "caption",
        "label",
    ):
        assert tex.count(f"\\{rule}") == len(keys), rule
    widths = [len(cells) for cells in re.findall(r"\\begin\{tabular\}\{(l*r*)\}", tex)]
    bodies = re.findall(r"\\toprule\n(.*?)\\bottomrule", tex, re.DOTALL)
    for wide, body in zip(widths, bodies, strict=True):
        cells = [len(re.split(r"(?<!\\)&", line)) for line in body.splitlines() if "&" in line]
        assert len(cells) >= 2 and set(cells) == {wide}
    plain = re.sub(r"\\[%&#_{}$]", "", tex)
    assert plain.count("%") == 1 + plain.count("{!}{%\n"), (
        "only the comment at the top, and line ends of wide tables"
    )
    assert plain.count("{") == plain.count("}") and plain.count(r"\begin") == plain.count(
        r"\end"
    ) == 2 * len(keys)
    captions = re.findall(r"\\caption\{(.*)\}", tex)
    assert all(re.search(r"\d+ games on \d+ deals|Differences from", one) for one in captions), (
        "each states n"
    )
    assert "sign-flip permutation test, paired by deal (exact). " in captions[1], "of a single arm"
    assert all(ord(sign) < 128 for sign in tex) and len(re.findall(r"(?<!\\)\$", tex)) % 2 == 0
    (one,) = made.data.analysis.differences
    assert f"+{one.mean:.2f}" in tex and escape("−1 < 2") == "$-$1 $<$ 2"
    for said in (
        "seeds 1--8",
        "Protocol sparks-10",
        "metric (strict instead of kept)",
        "strict score",
        "sign-flip",
    ):
        assert said in tex, said


def test_latex_has_every_table_of_a_report_whatever_section_it_is_in(tmp_path: Path) -> None:
    made = data(tmp_path, [*games("base", BASE), *games("arm", BETTER)], KEPT)
    scores = score_tables.scores(made.analysis, made.comparable).select(["arm", "kept"])
    judged = [
        replace(scores, key=f"judged-{n}", title=f"judge {n}", caption=f"A note {n}.")
        for n in (1, 2)
    ]
    document = run_report.run_report(made, tasks=judged)
    tex = run_report.latex_tables(made, document)
    labels = re.findall(r"\\label\{tab:weak-(\S+)\}", tex)
    printed = [block for block in document.blocks if isinstance(block, Table) and block.printed()]
    assert labels == [block.key for block in printed if block.key not in ("facts", "verdict")] and {
        "judged-1",
        "judged-2",
    } < {*labels}
    assert all(f"judge {n} in weak" in tex and f"A note {n}." in tex for n in (1, 2))
