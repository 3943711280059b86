"""run.yaml: what was run, with everything resolved; it grows with its run."""

import hashlib
import json
from typing import Any

import yaml

from experiments.plan import Plan
from experiments.results import replace
from graphs.yaml_text import from_file, loaded
from orchestrator.errors import UserError
from orchestrator.table import versions

RUN = "run.yaml"
HEAD = "# What was run. The same command again goes on with it; seeds, player counts and arms may be added.\n"


def write(plan: Plan) -> None:
    """Write what is run now beside what was run before. Raises UserError when the folder is another experiment's."""
    path = plan.folder / RUN
    before = loaded(from_file(path, "run"), str(path)) if path.exists() else {}
    if before and before["name"] != plan.experiment.name:
        raise UserError(
            f"{str(plan.folder)!r} holds the run of {before['name']!r}, not of {plan.experiment.name!r}; "
            "give another --out"
        )
    data = _merged(before, resolved(plan))
    replace(path, HEAD + yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120, default_flow_style=None))


def resolved(plan: Plan) -> dict[str, Any]:
    """The experiment with everybody who plays in it: graphs, models, hashes of prompts."""
    experiment = plan.experiment
    arms = {
        arm.name: {
            "players": list(arm.players),
            "everybody": arm.everybody.key,
            "others": sorted({one.key for p in arm.players for one in arm.cast(plan.first(p))} - {arm.everybody.key}),
        }
        for arm in plan.arms
    }
    return {
        "name": experiment.name,
        "players": sorted(set(experiment.players)),
        "seeds": experiment.deals,
        "repeats": experiment.repeats,
        "journals": experiment.journals,
        "baseline": experiment.baseline,
        "experiment": experiment.model_dump(mode="json", exclude_unset=True),
        "arms": arms,
        "seats": {key: one.told() for key, one in sorted(plan.sitters.items())},
    }


def _merged(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Sets and mappings of both; otherwise what is said now."""
    data = dict(now)
    for name in ("players", "seeds"):
        data[name] = sorted({*before.get(name, ()), *now[name]})
    for name in ("arms", "seats"):
        data[name] = {**before.get(name, {}), **now[name]}
    data["repeats"] = max(before.get("repeats", 1), now["repeats"])
    content = json.dumps(data, sort_keys=True)
    return {**data, "config_hash": hashlib.sha256(content.encode()).hexdigest()[:16], "versions": dict(versions())}
