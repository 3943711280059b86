"""The table of the core holds what the code says today, so that a run of it means something."""

from tests.mutation.mutants import mutants
from tests.mutation.table import Table
from tests.support.folders import ROOT

TABLE = Table.read()


def test_files_and_their_tests_are_there() -> None:
    for area in TABLE.areas.values():
        assert all(
            (ROOT / name.partition("::")[0]).is_file() for name in (*area.files, *area.tests)
        )


def test_every_named_change_can_be_made_and_has_tests() -> None:
    for one in TABLE.named:
        compile(one.mutant().make(), one.file, "exec")
        assert TABLE.area_of(one.file).tests


def test_what_is_listed_as_equivalent_is_a_mutant_still() -> None:
    assert not list(TABLE.lost())


def test_one_thing_at_a_time_is_changed() -> None:
    text = "def f(x: int, y: int = 2) -> bool:\n  if not x < y:\n    return True\n  return x in (1, y) and x or y\n"
    made = mutants("f.py", text)
    assert {(one.line, one.now) for one in made} == {
        (1, "def f(x: int, y: int=3) -> bool:"),
        (2, "if not not x < y: return True"),
        (2, "if not x <= y: return True"),
        (2, "if not x < y: pass"),
        (3, "return False"),
        (4, "return x not in (1, y) and x or y"),
        (4, "return x in (2, y) and x or y"),
        (4, "return (x in (1, y) or x) or y"),
        (4, "return (x in (1, y) and x) and y"),
    }
    assert len({one.make() for one in made} - {text}) == len(made)
