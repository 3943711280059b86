"""Settings of an experiment's plain data that a command line or a matrix changes:
`seeds.count=10`."""

from typing import Any

from hanabi_orchestrator.experiments.study.file_schema import SeatConfig
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.values import whole_number
from hanabi_orchestrator.orchestrator.yaml_files import setting


def put(data: dict[str, Any], text: str) -> None:
    """Apply a `--set` of the command line: `seeds.count=10`, `models.default=program`. Raises
    UserError."""
    keys, value = setting(text, "seeds.count=10")
    # its keys are dotted
    if keys[0] == "matrix" and keys[1:]:
        keys = ["matrix", ".".join(keys[1:])]
    else:
        keys = keys
    place(data, keys, value, f"--set {text!r}")


def place(data: dict[str, Any], keys: list[str], value: Any, where: str) -> None:
    """Set the value under nested keys. Raises UserError when one of the keys on the way holds no
    mapping."""
    inner: Any = data
    for done, name in enumerate(keys, 1):
        number = whole_number(name)
        # seat numbers are integers in YAML
        key = number if number is not None and number in inner else name
        if done == len(keys):
            inner[key] = value
            return
        if isinstance(short := inner.get(key), str):
            inner[key] = _long_form(keys[:done], short, keys[done])
        elif keys[:done] == ["coalitions"] and done < len(keys) and "parts" not in short:
            inner[key] = {"parts": short}
        elif keys[:done] == ["seeds"]:
            inner[key] = _range(short)
        inner = inner.setdefault(key, {})
        if not isinstance(inner, dict):
            raise UserError(f"{where}: there are no settings under {'.'.join(keys[:done])!r}")


def _range(seeds: Any) -> Any:
    """Return a count, or a list of consecutive seeds, as in run.yaml, as `first` and `count`;
    anything else unchanged."""
    if type(seeds) is int:
        return {"count": seeds}
    if not isinstance(seeds, list) or not seeds or not all(type(seed) is int for seed in seeds):
        if seeds is None:
            return {}
        return seeds
    follow = seeds == list(range(seeds[0], seeds[0] + len(seeds)))
    if follow:
        return {"first": seeds[0], "count": len(seeds)}
    return seeds


def _long_form(path: list[str], short: str, key: str) -> Any:
    """Return the mapping that the short form of a model or a seat stands for, when one of its
    settings is changed."""
    if path[-1] == "model" or path[-2:-1] == ["models"]:
        return {"model": short}
    if key in SeatConfig.model_fields and len(path) > 1:
        return {"graph": short}
    return short
