"""The check for authors of roles: it passes the built-in ones, and finds each kind of mistake."""

import random
from dataclasses import replace
from typing import Any

import pytest
from pydantic import Field

from hanabi_orchestrator import roles
from hanabi_orchestrator.orchestrator.hanabi.move_reading import Grounded
from hanabi_orchestrator.orchestrator.hanabi.moves import Play
from hanabi_orchestrator.orchestrator.models.request import Absent
from hanabi_orchestrator.roles import (
    Marker,
    MarkInfo,
    Notes,
    Reply,
    Role,
    Sections,
    Stated,
    Truth,
    conformance,
)
from hanabi_orchestrator.roles.hanabi.sections.history import History
from hanabi_orchestrator.roles.hanabi.sections.table import Discards, FinalRound, State
from hanabi_orchestrator.roles.legal_moves import LegalMoves
from tests.conftest import Run
from tests.support.prove import FULL


class Left(Reply):
    example = {"turns": 9}
    turns: int = Field(description="turns that are left")


def left(sections: Sections, notes: Notes) -> Left:
    """Counts the turns that are left."""
    return Left(turns=sections[State].deck_size + sections[State].players)


SOUND = Role("left", Left, (State, Discards), (State,), left, "Count the turns.")


@pytest.mark.parametrize("name", roles.names())
def test_every_built_in_role_keeps_its_promises(name: str) -> None:
    assert conformance.check(roles.get(name)) == []


def test_a_sound_role_passes_and_so_does_one_that_only_models_play() -> None:
    assert conformance.check(SOUND) == []
    assert conformance.check(replace(SOUND, solve=None)) == []
    assert conformance.check(replace(SOUND, template=None)) == []


def test_a_role_may_have_nothing_to_say_and_its_program_may_not() -> None:
    late = replace(
        SOUND,
        settled=lambda sections, notes: (
            Absent(reason="early") if sections[State].turn < 9 else None
        ),
    )

    def fails_early(sections: Sections, notes: Notes) -> Any:
        return left(sections, notes) if sections[State].turn >= 9 else Absent(reason="early")

    assert conformance.check(replace(late, solve=fails_early)) == []
    (problem, *_) = conformance.check(replace(SOUND, solve=fails_early))
    assert problem.startswith(
        "the program of role 'left' replied with Absent, not with Left; a role with nothing to"
    )


def accepts(sections: Sections, notes: Notes) -> roles.Judgement:
    """Accepts the choice that it finds where every judge finds it."""
    (choice,) = notes["choice"]
    assert isinstance(choice, roles.Choice)
    return roles.Judgement(accept=True, reason=f"{choice.action} will do")


def test_a_judge_is_checked_with_a_choice_to_judge() -> None:
    judge = Role("accepts", roles.Judgement, (State,), (), accepts, "Accept it.")
    assert conformance.check(judge) == []
    assert (
        "KeyError"
        in conformance.check(replace(judge, solve=lambda sections, notes: notes["chosen"][0]))[0]
    )


class Unexplained(Reply):
    example = {"turns": 9}
    turns: int


class Bare(Reply):
    turns: int = Field(description="turns that are left")


class Misshown(Reply):
    example = {"turns": "many", "colour": "red"}
    turns: int = Field(description="turns that are left")


class Table(Reply):
    """A dictionary: text has no form for it."""

    example = {"turns": {"P0": 3}}
    turns: dict[str, int] = Field(description="turns by player")


class Named(Reply):
    example = {"action": "play slot 4"}
    action: Grounded = Field(description="a legal move")


def chance(sections: Sections, notes: Notes) -> Left:
    return Left(turns=random.SystemRandom().randrange(10**9))


def other(sections: Sections, notes: Notes) -> Named:
    return Named(action=Play(slot=0))


def beyond(sections: Sections, notes: Notes) -> Named:
    return Named(action=Play(slot=4))


def always(sections: Sections, notes: Notes) -> Named:
    return Named(action=Play(slot=0))


def stubborn(sections: Sections, notes: Notes) -> Named:
    return Named(action=sections[LegalMoves].by_label["0"])


def untold(sections: Sections, notes: Notes) -> Left:
    return Left(turns=len(sections[History].moves))


def unsafe(sections: Sections, notes: Notes) -> Left:
    return Left(turns=len(sections[Discards].cards))


def trusting(sections: Sections, notes: Notes) -> Left:
    assert not any(isinstance(note, Absent) for replies in notes.values() for note in replies)
    return left(sections, notes)


def fussy(sections: Sections, notes: Notes) -> Left:
    return Left(turns=1 if sections.options["k"] == 1 else int("none"))


def infinite(reply: Any, sections: Sections, truth: Truth) -> dict[str, float]:
    return {"worth": float("inf")}


def careless(reply: Named, sections: Sections, truth: Truth) -> dict[str, float]:
    assert isinstance(reply.action, Play)
    return {"right": float(truth.own[reply.action.slot] == "R1")}


FINE = (MarkInfo("worth", "How much it is worth.", "share", 1),)
UNNAMED = Marker(lambda *_: {"worth": 1.0}, FINE, guess=lambda *_: {"price": 0.5})
OVERSURE = Marker(lambda *_: None, FINE, pairs=lambda *_: [Stated("it is so", 1.5, True)])

NAMING = replace(SOUND, reply=Named, takes=(State, LegalMoves), solve=None)

WRONG = [
    (replace(SOUND, reply=Unexplained), "field 'turns' of Unexplained has no description"),
    (replace(SOUND, reply=Bare), "the example of Bare leaves out turns"),
    (replace(SOUND, reply=Misshown), "the example of Misshown is no valid reply: turns: must be "),
    (replace(SOUND, reply=Misshown), "the example of Misshown has colour, which are no fields"),
    (replace(SOUND, template=None, solve=None), "neither a template nor a program"),
    (
        replace(SOUND, needs=(State, FinalRound)),
        "it needs the sections final_round, which it does not take",
    ),
    (replace(SOUND, template="Count to $k."), "its template has variables that no option fills: k"),
    (replace(SOUND, template=" "), "its template is empty"),
    (replace(SOUND, template="It costs 5 $."), "prompt() raised ValueError: Invalid placeholder"),
    (replace(SOUND, solve=chance), "solve() gave two replies to the same position"),
    (
        replace(SOUND, solve=other),
        "the program of role 'left' replied with Named, not with Left (first seen at 2 players, turn 1)",
    ),
    (replace(SOUND, solve=untold), "solve() raised KeyError: \"section 'history' is missing\""),
    (
        replace(SOUND, solve=fussy, options={"k": (1, 2)}),
        "solve() raised ValueError: invalid literal",
    ),
    (
        replace(NAMING, solve=beyond),
        "solve() named 'play slot 4', which is not legal (first seen at 4 players",
    ),
    (replace(NAMING, solve=always), "solve() named 'play slot 0', which was refused"),
    (replace(NAMING, solve=stubborn), "was refused, solve() raised KeyError: '0'"),
    (replace(SOUND, reply=Table, solve=None), "cannot be read back from the answer format 'text'"),
    (
        replace(SOUND, solve=unsafe),
        "without the section 'discards', which it does not need, solve() raised KeyError",
    ),
    (replace(SOUND, solve=trusting), "when nobody answered, it raised AssertionError"),
    (
        replace(SOUND, mark=infinite),
        "mark() failed: ValueError: mark 'worth' of role 'left' is inf, not a finite",
    ),
    (replace(SOUND, mark=UNNAMED), "guess() gave price, which no MarkInfo explains"),
    (
        replace(SOUND, mark=OVERSURE),
        "pairs() gave 'it is so' the chance 1.5; a chance lies between 0 and 1",
    ),
    (
        replace(NAMING, mark=careless),
        "mark() failed: IndexError: tuple index out of range (test_conformance.py, line",
    ),
]


@pytest.mark.parametrize(("role", "said"), WRONG, ids=[said for _, said in WRONG])
def test_each_mistake_is_found(role: Role, said: str) -> None:
    assert any(said in problem for problem in conformance.check(role))


def test_the_cases_are_at_every_player_count_from_the_first_turn_to_the_last() -> None:
    for players in (2, 3, 4, 5):
        views = [case.view for case in conformance.cases("hanabi") if case.view.players == players]
        assert views[0].turn == 1 and views[-1].turns_left == 1 and len(views) >= (4 if FULL else 3)


@pytest.mark.usefixtures("own_roles")
def test_the_command_says_ok_or_what_is_wrong(run: Run) -> None:
    assert run("roles", "check", "analyst")[:2] == (0, "ok\n")
    roles.add(replace(SOUND, solve=chance))
    code, out, _ = run("roles", "check", "left", "--json")
    assert code == 1 and '"ok": false' in out
    code, out, _ = run("roles", "check", "left")
    assert code == 1 and out.startswith("solve() gave two replies")
    assert run("roles", "check", "nobody")[0] == 2
