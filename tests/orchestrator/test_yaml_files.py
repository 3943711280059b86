"""Bad YAML of any kind, wherever it is read, is one sentence; what is read is plain data."""

import json

import pytest

from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.yaml_files import loaded, setting

BOMB = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 30)
)
LADDER = "a0: &a0 [1]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 60))

BAD = {
    "deep lists": (
        "[" * 5000 + "]" * 5000,
        "x.yaml has lists or mappings more than 50 levels deep",
    ),
    "deep mappings": (
        "{a: " * 5000 + "}" * 5000,
        "x.yaml has lists or mappings more than 50 levels deep",
    ),
    "deep by aliases": (LADDER, "x.yaml has lists or mappings more than 50 levels deep"),
    "an alias inside itself": (
        "&a {b: [*a]}",
        "x.yaml has an alias inside what it stands for, which never ends",
    ),
    "merged into itself": (
        "a: &a {b: 1, <<: *a}",
        "x.yaml has an alias inside what it stands for, which never ends",
    ),
    "an alias bomb": (
        BOMB,
        "x.yaml has more than 1,000,000 values, each alias counted as what it stands for",
    ),
    "a key twice": ("model: a\nmodel: b", "x.yaml says 'model' twice"),
    "a number and its text": ("1: a\n'1': b", "x.yaml says '1' twice"),
    "an unknown alias": ("a: *nobody", "x.yaml is not YAML, line 1"),
    "bytes": ("a: 1\nb: !!binary aGk=", "x.yaml is not YAML, line 2"),
    "a set": ("!!set {a, b}", "x.yaml is not YAML, line 1"),
    "a Python object": ("!!python/object:os.system {}", "x.yaml is not YAML, line 1"),
    "a list as a key": ("a: 1\n? [b]\n: 2", "x.yaml is not YAML, line 2"),
    "a NUL": ("a: \0", "x.yaml is not YAML"),
    "a tab": ("a:\n\tb: 1", "x.yaml, line 2: YAML is indented by spaces, and there is a tab"),
    "a huge number": ("9" * 5000, "x.yaml is not YAML: Exceeds the limit"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_yaml_is_one_sentence(name: str) -> None:
    text, said = BAD[name]
    with pytest.raises(UserError) as caught:
        loaded(text, "x.yaml")
    assert str(caught.value).startswith(said) and "\n" not in str(caught.value)


def test_a_setting_of_the_command_line_is_read_by_the_same_rules() -> None:
    with pytest.raises(
        UserError,
        match=r"^--set 'a\.b=\[\[.* \.\.\. has lists or mappings more than 50 levels deep$",
    ):
        setting("a.b=" + "[" * 5000, "a=b")
    with pytest.raises(UserError, match="says 'b' twice"):
        setting("a={b: 1, b: 2}", "a=b")
    assert setting("a.b={no: 1}", "a=b") == (["a", "b"], {"no": 1})


def test_what_is_read_can_be_written_as_json() -> None:
    text = "day: 2024-01-01\nat: 2024-01-01 12:00:00\ntwice: [&a {b: 1}, *a]\nmerged: {<<: *a, c: .5}\nnone:\n1: yes"
    read = loaded(text, "x.yaml")
    assert read == {
        "day": "2024-01-01",
        "at": "2024-01-01 12:00:00",
        "twice": [{"b": 1}, {"b": 1}],
        "merged": {"b": 1, "c": 0.5},
        "none": None,
        1: True,
    }
    assert json.loads(json.dumps(read))
