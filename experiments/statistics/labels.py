"""What arms are called wherever their scores are shown."""

from collections.abc import Iterable

from experiments.statistics.analysis import Summary


def labels(found: Iterable[Summary]) -> dict[str, str]:
    """How arms are called: simulated ones, and programs beside models, are said to be so."""
    kinds: dict[str, tuple[bool, bool]] = {}
    for one in found:
        simulated, program = kinds.get(one.arm, (False, True))
        kinds[one.arm] = simulated or one.simulated, program and one.program
    mixed = not all(program for _, program in kinds.values())
    return {arm: labelled(arm, simulated, program and mixed) for arm, (simulated, program) in kinds.items()}


def labelled(arm: str, simulated: bool, program: bool = False) -> str:
    """What no model played must never pass for a model's."""
    return f"{arm} (simulated)" if simulated else f"{arm} (program)" if program else arm
