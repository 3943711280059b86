"""run.yaml: the manifest of a run, with everything resolved. It grows with the run, and can be
played again.

`seats` and `arms` say what sat where, `prompts` holds every prompt text once, `deals` the cards of
all deals, `software` what every command was run by, and `by_hand` what was changed while the run
was played. A report adds `methods`: what a paper states of the finished games. It holds no API
keys: settings name their environment variables.
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import chain, product
from pathlib import Path
from typing import Any

import yaml

from hanabi_orchestrator.experiments.record import rows
from hanabi_orchestrator.experiments.record.files import locked, write_atomically
from hanabi_orchestrator.experiments.record.run_folder import (
    IMPORTS,
    RUN,
    check_imports,
    imports,
    read,
    run,
)
from hanabi_orchestrator.experiments.record.software import software
from hanabi_orchestrator.experiments.study.arms import Arm
from hanabi_orchestrator.experiments.study.experiment import POSITIONS
from hanabi_orchestrator.experiments.study.notes import BY_HAND, void
from hanabi_orchestrator.experiments.study.plan import Plan
from hanabi_orchestrator.experiments.study.rerun import cards
from hanabi_orchestrator.experiments.study.seat_spec import PlayerSpec
from hanabi_orchestrator.experiments.study.stop_rule import STOP
from hanabi_orchestrator.graphs import prompt_files
from hanabi_orchestrator.graphs.config import PLAYERS
from hanabi_orchestrator.graphs.graph_seat import label
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM
from hanabi_orchestrator.orchestrator.versions import versions
from hanabi_orchestrator.prompts import digest

PLANNED = "planned"
"""The key with every size that the run was planned to have, the first one first, each with its
date."""

try:
    from yaml import CSafeDumper as SafeDumper  # ten times as fast, where PyYAML was built with it
except ImportError:
    from yaml import SafeDumper  # type: ignore[assignment]

HEAD = """\
# What was run. The same command again goes on with it; seeds, player counts and arms may be added.
# `orchestrator experiment run run.yaml --out NEW` plays it again, by the graphs, models, deals \
and prompts below.
"""


def write(plan: Plan) -> None:
    """Merge this plan into the folder's run.yaml. Raises UserError when the folder holds another
    experiment."""
    path = plan.folder / RUN
    plan.folder.mkdir(parents=True, exist_ok=True)
    with locked(plan.folder):
        before = read(path) if path.exists() else {}
        if before and before.get("name") != plan.experiment.name:
            raise UserError(
                f"{str(plan.folder)!r} holds the run of {before.get('name')!r}, not of "
                f"{plan.experiment.name!r}; give another --out"
            )
        data = _merged(before, resolved(plan, before.get("deals")))
        sizes = _planned(before, data, plan.folder)
        stated = {METHODS: before[METHODS]} if METHODS in before else {}
        text = _text({**data, PLANNED: sizes, **stated})
        if not before or path.read_text("utf-8") != text:
            write_atomically(path, text)


def _planned(
    before: Mapping[str, Any], now: Mapping[str, Any], folder: Path
) -> list[Mapping[str, Any]]:
    """Return the sizes that were planned; a new one says how many deals of the last were finished
    by then.

    None for tasks without deals of their own.
    """
    if "seeds" not in now:
        return []
    sizes: list[Mapping[str, Any]] = list(before.get(PLANNED) or ())
    size = {
        "deals": len(now["seeds"]),
        "players": list(now["players"]),
        "repeats": now["repeats"],
        "arms": sorted(now["arms"]),
    }
    if sizes and all(sizes[-1].get(name) == value for name, value in size.items()):
        return sizes
    finished = {"finished": _finished(sizes[-1], before, folder)} if sizes else {}
    return [*sizes, {"date": datetime.now(UTC).isoformat(timespec="seconds"), **size, **finished}]


def _finished(size: Mapping[str, Any], run: Mapping[str, Any], folder: Path) -> int:
    """Return how many deals all arms of a planned size have finished; of a single deal, how many of
    its repeats."""
    played = {(row.arm, *row.pairing) for row in rows.rows(folder)}
    repeats = range(1, int(size["repeats"]) + 1)
    seeds = list(run["seeds"])
    arms = {arm: (run["arms"].get(arm) or {}).get("players", ()) for arm in size["arms"]}

    def finished(seed: int, repeat: int) -> bool:
        games = [*chain.from_iterable(product([arm], counts) for arm, counts in arms.items())]
        return all((arm, players, seed, repeat) in played for arm, players in games)

    if len(seeds) == 1:
        return sum(finished(seeds[0], repeat) for repeat in repeats)
    alls = []
    for seed in seeds:
        alls.append(all(finished(seed, repeat) for repeat in repeats))
    return sum(alls)


def note(folder: Path, change: Mapping[str, Any]) -> None:
    """Note in run.yaml what was changed by hand while the run was played; nothing before there is
    one."""
    path = folder / RUN
    if not path.exists():
        return
    with locked(folder):
        data = read(path)
        write_atomically(path, _text({**data, BY_HAND: [*(data.get(BY_HAND) or ()), dict(change)]}))


def complete(folder: Path, methods: Mapping[str, Any]) -> None:
    """Write into run.yaml what a report states of the finished games, while its lock is held. A
    folder without a run.yaml of this program stays as it is."""
    record = run(folder)
    if "config_hash" in record:
        write_atomically(folder / RUN, _text({**record, METHODS: dict(methods)}))


def check_code(folder: Path) -> None:
    """Raise UserError when the run in a folder was begun with other code of a user's own than is
    imported now."""
    if (path := folder / RUN).exists():
        check_imports(read(path), f"the run in {str(folder)!r}")


def resolved(plan: Plan, dealt: Mapping[int, str] | None = None) -> dict[str, Any]:
    """Return the experiment with all its seats, prompt texts and deals; decks that were `dealt` are
    not dealt again."""
    experiment = plan.experiment
    dealt = dealt or {}
    named = {seed: " ".join(deck.cards) for seed, deck in experiment.decks.items()}
    seats = {key: _seat(spec) for key, spec in sorted(plan.specs.items())}
    texts = [prompt_files.texts(spec.config) for spec in plan.specs.values() if spec.config]
    games: dict[str, Any] = {}
    if experiment.task != POSITIONS:
        games = {
            "seeds": experiment.numbers,
            "journals": experiment.journals,
            "metric": plan.metric,
        }
        games |= {STOP: plan.stop.data} if plan.stop else {}
    prompts = {}
    for contents in texts:
        for text in contents.values():
            prompts[digest(text)] = text
    return {
        "name": experiment.name,
        "players": sorted(set(experiment.players)),
        "repeats": experiment.repeats,
        "baseline": experiment.baseline,
        **games,
        **plan.recorded,
        "experiment": experiment.model_dump(mode="json", exclude_unset=True, exclude={"record"}),
        **imports(),
        "arms": {arm.name: _arm(plan, arm) for arm in plan.arms if arm.players},
        "remarks": [
            *plan.all_remarks,
            *(void(arm.name, arm.void) for arm in plan.arms if arm.void and not arm.players),
        ],
        "labels": {label: spec.key for label, spec in plan.labels.items()},
        "seats": seats,
        "deals": {seed: named.get(seed) or dealt.get(seed) or cards(seed) for seed in plan.seeds},
        "prompts": prompts,
    }


def _arm(plan: Plan, arm: Arm) -> dict[str, Any]:
    """Return what sits where; only what, where that changes from deal to deal."""
    guests: Any = {seat: spec.key for seat, spec in arm.guests(plan.first(max(PLAYERS))).items()}
    if plan.labels:
        keys = set()
        for players in arm.players:
            for spec in arm.lineup(plan.first(players)):
                keys.add(spec.key)
        guests = sorted(keys - {arm.everybody.key})
    data = {
        "players": list(arm.players),
        "everybody": arm.everybody.key,
        "others": guests,
        "void": dict(arm.void),
        "purpose": arm.purpose and arm.purpose.model_dump(mode="json", exclude_defaults=True),
        "notes": dict(arm.sources),
        "floor": arm.floor,
        "remarks": list(arm.remarks),
    }
    return {key: value for key, value in data.items() if value or key == "players"}


def _seat(spec: PlayerSpec) -> dict[str, Any]:
    """Return a player: everything needed to build it again, and hashes of its prompt texts."""
    data: dict[str, Any] = {"spec": spec.spec, "graph": spec.name, "model": PROGRAM}
    if spec.config is None:
        return data
    models = dict.fromkeys(label(spec.models.get(name, name)) for name in spec.config.models)
    return data | {
        "model": "+".join(models),
        "config": spec.config.model_dump(mode="json"),
        "models": spec.plain_models,
        "prompts": prompt_files.hashes(spec.config),
    }


def _merged(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Return the union of both for sets and mappings; the new value for everything else."""
    data = dict(now)
    for name in ("players", "seeds"):
        if name in now:
            data[name] = sorted({*before.get(name, ()), *now[name]})
    for name in ("arms", "labels", "seats", "deals", "prompts"):
        data[name] = {**(before.get(name) or {}), **now[name]}
    for name, arm in now["arms"].items():
        old = (before.get("arms") or {}).get(name)
        played = old.get("players", ()) if isinstance(old, dict) else ()
        data["arms"][name] = {**arm, "players": sorted({*played, *arm["players"]})}
    if IMPORTS in before:
        data[IMPORTS] = {**before[IMPORTS], **data.get(IMPORTS, {})}
    data["repeats"] = max(before.get("repeats", 1), now["repeats"])
    config_hash = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]
    now_by = dict(software())
    by = [*(before.get(SOFTWARE) or ())]
    by += [now_by] if now_by not in by else []
    by_hand = {BY_HAND: before[BY_HAND]} if BY_HAND in before else {}
    return {
        **data,
        "config_hash": config_hash,
        "versions": dict(versions()),
        SOFTWARE: by,
        **by_hand,
    }


SOFTWARE = "software"
METHODS = "methods"
"""Keys of run.yaml with what each command was run by, and with what a report states of the finished
games."""
LAST = ("deals", "prompts")
"""Keys with long values, which are written last."""


def _text(data: Mapping[str, Any]) -> str:
    """Return the YAML: short values first, a deck a line, texts line by line."""
    first = {key: value for key, value in data.items() if key not in LAST and value not in ({}, [])}
    last = {key: dict(sorted(data[key].items())) for key in LAST if data.get(key)}
    parts: list[tuple[Any, int, bool | None]] = [
        (first, 120, None),
        *(({key: last[key]}, 1000, False) for key in last),
    ]
    return HEAD + "".join(
        yaml.dump(
            part,
            Dumper=_Texts,
            sort_keys=False,
            allow_unicode=True,
            width=width,
            default_flow_style=flow,
        )
        for part, width, flow in parts
    )


class _Texts(SafeDumper):
    """Writes multi-line texts as blocks."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


_Texts.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
    ),
)
