"""What schemas cost on a server, with the fake endpoint in place of a real one."""

import pytest

from benchmarks import schema_cost
from hanabi_orchestrator.orchestrator.models.settings import settings


def test_every_prompt_is_asked_with_each_kind_of_schema(
    endpoint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert schema_cost.main(["--url", endpoint, "--model", "fake", "--calls", "2"]) == 0
    shown = capsys.readouterr()
    rows = [line.split() for line in shown.out.splitlines()[1:]]
    assert [row[0] for row in rows] == ["none", "string", "enum"]
    assert rows[0][3:] == ["-"] * 4 and all(row[-3:] == ["2", "of", "2"] for row in rows[1:])
    assert "2 of 2 prompts" in shown.err


def test_the_schemas_are_those_of_a_game() -> None:
    first, second = schema_cost.questions("watson", 2)
    model = settings({"model": "openai:m@http://127.0.0.1:9/v1"})
    assert schema_cost.schema(first, model, "none") is None
    assert schema_cost.schema(first, model, "string") == schema_cost.schema(second, model, "string")
    assert schema_cost.schema(first, model, "enum") != schema_cost.schema(second, model, "enum")
