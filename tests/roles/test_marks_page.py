"""docs/marks.md says what the code says of each mark."""

import re

import roles
from experiments.values import mark_infos
from roles.marks import Marker, MarkInfo, infos
from tests.support.folders import ROOT

PAGE = (ROOT / "docs/marks.md").read_text("utf-8")
LISTED = PAGE.partition("## Marks of roles that report")[2].partition("## What is not marked")[0]


def row(role: str, one: MarkInfo) -> str:
    best = f"{one.best:.2g}, {'higher' if one.higher else 'lower'}"
    return f"| {role} | `{one.name}` | {one.says} | {one.unit} | {best} | {one.uniform or '-'} |"


def test_the_page_lists_the_marks_of_the_roles_that_it_names() -> None:
    named = sorted(set(re.findall(r"^\| (\w+) \| `\w+` \|", LISTED, re.MULTILINE)))
    assert {"analyst", "discard_strategist", "history_analyst", "tom_interpreter", "first_order"} <= set(named)
    listed = [line for line in LISTED.splitlines() if re.match(r"\| \w+ \| `\w+` \|", line)]
    assert listed == [
        row(name, one) for name in dict.fromkeys(_order(listed)) for one in infos(roles.get(name).mark).values()
    ]


def _order(listed: list[str]) -> list[str]:
    return [line.split("|")[1].strip() for line in listed]


def test_the_page_says_what_is_prose() -> None:
    for name in roles.names():
        mark = roles.get(name).mark
        if isinstance(mark, Marker) and mark.prose:
            assert f"| {name} | {mark.prose} |" in PAGE


def test_the_page_names_every_mark_of_choosers_judges_and_trackers_and_no_other() -> None:
    """By the first cells of the tables of these sections, against what the code can give."""
    every = {name: set(mark_infos(name)) for name in roles.names()}
    own = {name: set(infos(roles.get(name).mark)) for name in roles.names()}
    assert _named("## Marks of choosers and judges", "## State tracking") == set().union(
        *(every[name] - own[name] for name in every)
    )
    assert _named("### Marks of one reply", "### A judge") == own["tracker"]


def _named(start: str, end: str) -> set[str]:
    """The names at the heads of lines and list items between two headings."""
    part = PAGE.partition(f"{start}\n")[2].partition(f"\n{end}")[0]
    heads = re.findall(r"^(?:\| |- )((?:`\w+`(?:, )?)+)", part, re.MULTILINE)
    return {name for head in heads for name in re.findall(r"\w+", head)}
