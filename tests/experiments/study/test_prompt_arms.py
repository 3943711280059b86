"""Prompts as arms: other words for one text, and the proof that nothing else changes."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from hanabi_orchestrator import graphs, prompts
from hanabi_orchestrator.experiments.study import control_arms, manifest
from hanabi_orchestrator.experiments.study import experiment as files
from hanabi_orchestrator.experiments.study.plan import Plan
from hanabi_orchestrator.graphs.replaced_texts import diff, replaced
from hanabi_orchestrator.orchestrator.errors import UserError

ROLE = "roles/tom_interpreter"
OWN = prompts.text("roles/house/tom_interpreter.md")
STATE = prompts.text("sections/state.md")


def plan(folder: Path, words: dict[str, str], model: str = "openai:some", **arm: Any) -> Plan:
    """A plan with an arm whose prompts are in files beside the experiment's."""
    (folder / "my").mkdir(exist_ok=True)
    for name, text in words.items():
        (folder / "my" / f"{Path(name).name}.md").write_text(text, "utf-8")
    named = {name: f"my/{Path(name).name}.md" for name in words}
    arms: dict[str, Any] = {"full": {}, "mine": {"prompts": named, **arm}}
    asked: dict[str, Any] = {
        "name": "words",
        "graph": "house",
        "players": [2],
        "seeds": 1,
        "baseline": "full",
    }
    asked |= {"arms": arms, "models": {"default": model}, "controls": {"noise_floor": False}}
    (folder / "words.yaml").write_text(yaml.safe_dump(asked), "utf-8")
    return Plan.resolve(files.read(folder / "words.yaml"), folder / "run")


def test_an_arm_says_one_text_in_other_words_and_all_else_is_proved_equal(tmp_path: Path) -> None:
    made = plan(tmp_path, {ROLE: "Read their minds.", "sections/state": f"THE TABLE\n{STATE}"})
    (said,) = [note for note in made.notes if note.startswith("mine")]
    assert (
        "changes roles/tom_interpreter, sections/state alone" in said
        and "equal byte for byte" in said
    )
    config = made.arms[1].everybody.config
    assert config and config.texts[f"{ROLE}.md"] == "Read their minds."


def test_a_sneaky_change_elsewhere_is_caught(tmp_path: Path) -> None:
    house = graphs.read("house")
    honest = replaced(house, {ROLE: "Read their minds."})
    assert not control_arms.proof(house, honest, [2]).side_effects
    more = graphs.dotted(honest, ["options.history.moves=3"])
    assert any(
        "the part history" in one for one in control_arms.proof(house, more, [2]).side_effects
    )
    other = honest.model_copy(update={"texts": {**honest.texts, "reports.md": "Heard: $reports"}})
    found = control_arms.proof(house, other, [2])
    assert found.replaced == ("reports", ROLE) and not found.side_effects, (
        "what is named is allowed"
    )
    silent = graphs.setting(honest, answer_format="text")
    assert any("answer" in one for one in control_arms.proof(house, silent, [2]).side_effects)


def test_an_arm_that_also_changes_something_else_says_so(tmp_path: Path) -> None:
    made = plan(tmp_path, {ROLE: "Read their minds."}, without_sections=["discards"])
    assert any("and also" in note and "discards" in note for note in made.notes)


@pytest.mark.parametrize("model", ["program", "sim:average"])
def test_models_that_read_no_words_do_not_play_an_arm_of_words(tmp_path: Path, model: str) -> None:
    with pytest.raises(
        UserError,
        match=r"'mine' would play the same games as 'full'.*simulated models read no words",
    ):
        plan(tmp_path, {ROLE: "Read their minds."}, model)
    made = plan(tmp_path, {ROLE: "Read their minds."}, model, without_sections=["discards"])
    assert made.arms[1].players == (2,)


def test_a_run_is_repeated_from_its_folder_when_the_files_are_gone(tmp_path: Path) -> None:
    made = plan(tmp_path, {ROLE: "Read their minds."})
    manifest.write(made)
    (tmp_path / "my/tom_interpreter.md").unlink()
    again = Plan.resolve(files.read(tmp_path / "run/run.yaml"), tmp_path / "again")
    assert [arm.everybody.config for arm in again.arms] == [
        arm.everybody.config for arm in made.arms
    ]
    stored = yaml.safe_load((tmp_path / "run/run.yaml").read_text("utf-8"))
    assert stored["prompts"][prompts.digest("Read their minds.")] == "Read their minds."
    with pytest.raises(
        UserError, match=r"my/tom_interpreter\.md' is to hold a prompt's new words, but there is no"
    ):
        files.read(tmp_path / "words.yaml")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (
            {"roles/tom_interpretr": "x"},
            "uses no text 'roles/tom_interpretr'; did you mean 'roles/tom_interpreter'",
        ),
        (
            {"sections/state": STATE + " $weather"},
            "sections/state has no variable $weather; it has: $",
        ),
        (
            {"sections/state": STATE.replace("$seat", "you")},
            "the new sections/state lacks the variable $seat",
        ),
        ({ROLE: "It costs $5."}, "has a $ that begins no variable"),
    ],
)
def test_a_text_that_does_not_fit_gets_one_sentence(
    tmp_path: Path, words: dict[str, str], why: str
) -> None:
    with pytest.raises(UserError) as caught:
        plan(tmp_path, words)
    assert why in str(caught.value) and "\n" not in str(caught.value)


def test_every_text_that_may_be_replaced_reaches_a_prompt_or_is_named_as_unused() -> None:
    """Whatever is replaced, nothing but the parts that hold it changes."""
    house = graphs.read("house")
    for name in (
        "sections/rules_short",
        "sections/legal_moves",
        "conventions/newest",
        "reports",
        "gate",
    ):
        known = replaced_words(house, name)
        found = control_arms.proof(
            house,
            replaced(
                house,
                {
                    name: known.replace("\n\n", "\n\nMore.\n\n", 1)
                    if "\n\n" in known
                    else known + " More."
                },
            ),
            [2],
        )
        assert not found.side_effects and found.changed, name


def replaced_words(config: graphs.GraphConfig, name: str) -> str:
    from hanabi_orchestrator.graphs.replaced_texts import replaceable

    return replaceable(config)[name]


def test_a_difference_is_shown_line_by_line() -> None:
    assert diff("a\nb", "a\nc", "x").splitlines() == [
        "--- x",
        "+++ x, replaced",
        "@@ -1,2 +1,2 @@",
        " a",
        "-b",
        "+c",
    ]


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("nowhere.md", "there is no such file"),
        ("latin.md", "it is not UTF-8 text"),
        (".", "it is no file"),
        ("/dev/zero", "it is no file"),
    ],
)
def test_a_file_that_holds_no_words_gets_one_sentence(tmp_path: Path, file: str, why: str) -> None:
    (tmp_path / "latin.md").write_bytes(b"caf\xe9")
    text = {
        "name": "e",
        "graph": "watson",
        "players": [2],
        "seeds": 1,
        "models": {"default": "sim:average"},
    }
    text |= {
        "arms": {"full": {}, "other": {"prompts": {"roles/proposer": file}}},
        "baseline": "full",
    }
    (tmp_path / "e.yaml").write_text(yaml.safe_dump(text), "utf-8")
    with pytest.raises(UserError) as caught:
        files.read(tmp_path / "e.yaml")
    assert why in str(caught.value) and "\n" not in str(caught.value)
