"""Names of files that are made of settings stay short, readable and different."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from hanabi_orchestrator.experiments.cli.app import app
from hanabi_orchestrator.experiments.cli.shared_options import slug
from hanabi_orchestrator.experiments.record.files import LONGEST_NAME, short_name

NAMES = st.text("ab-", min_size=1, max_size=3 * LONGEST_NAME)


@given(NAMES, NAMES)
def test_a_name_is_short_and_begins_as_it_did_and_two_names_stay_two(
    first: str, second: str
) -> None:
    assert len(short_name(first)) <= LONGEST_NAME
    assert first.startswith(short_name(first)[:-7])
    assert (short_name(first) == short_name(second)) == (first == second)
    assert short_name(first) == first or len(first) > LONGEST_NAME


def test_a_long_name_is_cut_between_words() -> None:
    name = short_name("house-verify-safety-conventions-information-without_sections-discards")
    words, _, digest = name.rpartition("-")
    assert words == "house-verify-safety-conventions" and len(digest) == 6


def test_a_game_of_many_settings_has_a_short_file_and_goes_on_in_it(tmp_path: Path) -> None:
    settings = ["options.conventions=information", "without_sections=discards", "verify=safety"]
    words = [word for setting in settings for word in ("--set", setting)]
    command = ["--json", "play", "--players", "2", *words, "--out", str(tmp_path)]
    journals = {json.loads(CliRunner().invoke(app, command).stdout)["journal"] for _ in range(2)}
    (path,) = map(Path, journals)
    assert path.name.startswith("house-") and path.name.endswith("-2p-s1.jsonl")
    assert len(path.name) <= LONGEST_NAME + len("-2p-s1.jsonl")


def test_folders_named_after_long_models_are_short() -> None:
    model = "openai:somebody/a-model-with-a-very-long-name-of-its-own"
    models = [f"{model}-{size}b@http://127.0.0.1/v1" for size in (7, 70)]
    folders = {slug("probes", model) for model in models}
    assert len(folders) == 2 and all(len(folder) <= LONGEST_NAME for folder in folders)
