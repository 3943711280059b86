"""run.yaml: what was run, with everything resolved; it grows with its run, and plays it again.

Who sat where stands under `seats` and `arms`, what they were told under `prompts`, each text once, and the cards of all
deals under `deals`. Keys of models are never in it: settings name the variables that hold them.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import yaml

from experiments.design.arms import Arm
from experiments.design.plan import Plan
from experiments.design.player_spec import PlayerSpec
from experiments.design.rerun import cards
from experiments.design.schema import Model, settled
from experiments.results.files import write_atomically
from experiments.results.run_folder import RUN, read
from graphs import prompt_texts
from graphs.config import PLAYERS
from graphs.graph_seat import label
from orchestrator.errors import UserError
from orchestrator.models.settings import PROGRAM
from orchestrator.versions import versions
from prompts import digest

try:
    from yaml import CSafeDumper as SafeDumper  # ten times as fast, where PyYAML was built with it
except ImportError:
    from yaml import SafeDumper  # type: ignore[assignment]

HEAD = """\
# What was run. The same command again goes on with it; seeds, player counts and arms may be added.
# `orchestrator experiment run run.yaml --out NEW` plays it again, by the graphs, models, deals and prompts below.
"""


def write(plan: Plan) -> None:
    """Write what is run now beside what was run before. Raises UserError when the folder is another experiment's."""
    path = plan.folder / RUN
    plan.folder.mkdir(parents=True, exist_ok=True)
    with _alone(plan.folder):
        before = read(path) if path.exists() else {}
        if before and before.get("name") != plan.experiment.name:
            raise UserError(
                f"{str(plan.folder)!r} holds the run of {before.get('name')!r}, not of {plan.experiment.name!r}; "
                "give another --out"
            )
        text = _text(_merged(before, resolved(plan, _mapping(before, "deals"))))
        if not before or path.read_text("utf-8") != text:
            write_atomically(path, text)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Parts of one run that share a folder merge one after the other."""
    held = os.open(folder, os.O_RDONLY)
    with suppress(OSError):  # a file system without locks; parts of one run write the same anyway
        fcntl.flock(held, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(held)


def resolved(plan: Plan, known: Mapping[int, str] | None = None) -> dict[str, Any]:
    """The experiment with everybody who plays in it, what they are told, and its deals; some may be `known`."""
    experiment = plan.experiment
    seats = {key: _seat(one) for key, one in sorted(plan.sitters.items())}
    texts = [prompt_texts.texts(one.config) for one in plan.sitters.values() if one.config]
    return {
        "name": experiment.name,
        "players": sorted(set(experiment.players)),
        "seeds": experiment.deals,
        "repeats": experiment.repeats,
        "journals": experiment.journals,
        "baseline": experiment.baseline,
        "experiment": experiment.model_dump(mode="json", exclude_unset=True, exclude={"record"}),
        "arms": {arm.name: _arm(plan, arm) for arm in plan.arms if arm.players},
        "labels": {called: one.key for called, one in plan.labels.items()},
        "seats": seats,
        "deals": {seed: (known or {}).get(seed) or cards(seed) for seed in plan.seeds},
        "prompts": {digest(text): text for told in texts for text in told.values()},
    }


def _arm(plan: Plan, arm: Arm) -> dict[str, Any]:
    """Who sits where; where that changes from deal to deal, only who."""
    others: Any = {seat: one.key for seat, one in arm.others(plan.first(max(PLAYERS))).items()}
    if plan.labels:
        cast = {one.key for players in arm.players for one in arm.cast(plan.first(players))}
        others = sorted(cast - {arm.everybody.key})
    told = {"players": list(arm.players), "everybody": arm.everybody.key, "others": others, "void": dict(arm.void)}
    return {key: value for key, value in told.items() if value or key == "players"}


def _seat(one: PlayerSpec) -> dict[str, Any]:
    """A sitter: all that makes it again, and hashes of all that it is told."""
    told: dict[str, Any] = {"spec": one.spec, "graph": one.name, "model": PROGRAM}
    if one.config is None:
        return told
    asked = dict.fromkeys(label(one.models.get(name, name)) for name in one.config.models)
    return told | {
        "model": "+".join(asked),
        "config": one.config.model_dump(mode="json"),
        "models": {name: _plain(settled(model)) for name, model in one.models.items()},
        "prompts": prompt_texts.hashes(one.config),
    }


def _plain(model: Model) -> Any:
    return model if isinstance(model, str) else model.model_dump(mode="json", exclude_none=True)


def _mapping(data: Mapping[str, Any], key: str) -> dict[Any, Any]:
    found = data.get(key)
    return found if isinstance(found, dict) else {}


def _merged(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Sets and mappings of both; otherwise what is said now."""
    data = dict(now)
    for name in ("players", "seeds"):
        data[name] = sorted({*before.get(name, ()), *now[name]})
    for name in ("arms", "labels", "seats", "deals", "prompts"):
        data[name] = {**_mapping(before, name), **now[name]}
    for name, arm in now["arms"].items():
        played = _mapping(_mapping(before, "arms"), name).get("players", ())
        data["arms"][name] = {**arm, "players": sorted({*played, *arm["players"]})}
    data["repeats"] = max(before.get("repeats", 1), now["repeats"])
    content = json.dumps(data, sort_keys=True)
    return {**data, "config_hash": hashlib.sha256(content.encode()).hexdigest()[:16], "versions": dict(versions())}


LAST = ("deals", "prompts")
"""Keys whose values are long."""


def _text(data: Mapping[str, Any]) -> str:
    """The YAML: short things first, a deal on a line, texts as they are."""
    first = {key: value for key, value in data.items() if key not in LAST and value != {}}
    return HEAD + "".join(
        yaml.dump(part, Dumper=_Texts, sort_keys=False, allow_unicode=True, width=width, default_flow_style=flow)
        for part, width, flow in ((first, 120, None), *(({key: _sorted(data[key])}, 1000, False) for key in LAST))
    )


def _sorted(data: Mapping[Any, Any]) -> dict[Any, Any]:
    return dict(sorted(data.items()))


class _Texts(SafeDumper):
    """Writes lines as lines."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _lines(dumper: SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Texts.add_representer(str, _lines)
