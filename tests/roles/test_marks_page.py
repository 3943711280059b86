"""docs/marks.md says what the code says of each mark."""

import re

import roles
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
