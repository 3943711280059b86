"""The `.env` of this folder or of one above: keys alone, of one's own file alone, and it is said which."""

import os
from pathlib import Path

import pytest

from hanabi_orchestrator.experiments.cli import env_file
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models import keys
from tests.conftest import Run

TEXT = """
export LAB_API_KEY=sk-lab
HANABI_TEMPERATURE = "0.5"
AZURE_OPENAI_ENDPOINT=https://models.example
http_proxy=http://127.0.0.1:1
SSL_CERT_FILE=/nonexistent
PATH=/nonexistent
HANABI_KEY_HOSTS=models.example
LD_PRELOAD=x
OPENAI_BASE_URL=http://models.example
EMPTY_API_KEY
"""


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What a test sets is gone after it; it stands two folders below the files."""
    kept = {
        name: text
        for name, text in os.environ.items()
        if name not in ("http_proxy", "AZURE_OPENAI_ENDPOINT")
    }
    monkeypatch.setattr(os, "environ", kept)
    (tmp_path / "me" / "work").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "me" / "work")


def test_only_keys_and_settings_are_read(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(TEXT, "utf-8")
    before = dict(os.environ)
    (note,) = env_file.load()
    more = {name: text for name, text in os.environ.items() if before.get(name) != text}
    assert more == {
        "LAB_API_KEY": "sk-lab",
        "HANABI_TEMPERATURE": "0.5",
        "AZURE_OPENAI_ENDPOINT": "https://models.example",
    }
    names = "LAB_API_KEY, HANABI_TEMPERATURE, AZURE_OPENAI_ENDPOINT"
    assert note.startswith(f"{names} from {tmp_path / '.env'} (") and keys.allowed() == set()


def test_the_environment_goes_first_and_nothing_is_said_of_what_is_not_taken(
    tmp_path: Path,
) -> None:
    os.environ["LAB_API_KEY"] = "mine"
    (tmp_path / ".env").write_text("LAB_API_KEY=file\n", "utf-8")
    assert list(env_file.load()) == [] and os.environ["LAB_API_KEY"] == "mine"


def test_a_key_of_the_environment_goes_to_no_endpoint_of_a_file(tmp_path: Path) -> None:
    os.environ["AZURE_OPENAI_API_KEY"] = "mine"
    (tmp_path / ".env").write_text(TEXT, "utf-8")
    list(env_file.load())
    assert "AZURE_OPENAI_ENDPOINT" not in os.environ


def test_a_file_of_another_user_is_not_read_and_one_above_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = tmp_path / "me" / ".env"
    mine = tmp_path / ".env"
    theirs.write_text("LAB_API_KEY=theirs\n", "utf-8")
    mine.write_text("LAB_API_KEY=mine\n", "utf-8")
    real = Path.stat

    def stat(path: Path, **options: bool) -> os.stat_result:
        status = real(path, **options)
        return os.stat_result([*status[:4], 65534, *status[5:10]]) if path == theirs else status

    monkeypatch.setattr(Path, "stat", stat)
    assert list(env_file.load()) == [
        f"{theirs} is not read: it belongs to another user",
        f"LAB_API_KEY from {mine}",
    ]
    assert os.environ["LAB_API_KEY"] == "mine"


def test_pipes_devices_folders_and_lost_links_are_skipped(tmp_path: Path) -> None:
    os.mkfifo(".env")
    (tmp_path / "me" / ".env").symlink_to("/dev/zero")
    (tmp_path / ".env").mkdir()
    notes = [note for note in env_file.load() if str(tmp_path) in note]
    assert [note.partition(" is not")[0] for note in notes] == [
        str(Path.cwd() / ".env"),
        str(tmp_path / "me" / ".env"),
    ]
    Path(".env").unlink()
    Path(".env").symlink_to("nowhere")
    assert env_file.unread(Path(".env")) == ""


def test_a_file_that_is_no_text_is_one_sentence() -> None:
    Path(".env").write_bytes(b"LAB_API_KEY=\xff")
    with pytest.raises(UserError, match="it is not UTF-8 text"):
        list(env_file.load())


def test_the_command_says_which_file_it_read(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("LAB_API_KEY=sk-lab\n", "utf-8")
    code, _, err = run("list", "graphs")
    assert (code, err) == (0, f"note: LAB_API_KEY from {tmp_path / '.env'}\n")
    os.environ.pop("LAB_API_KEY")
    assert run("list", "graphs", "-q")[2] == ""
