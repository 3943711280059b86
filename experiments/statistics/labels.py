"""Names of arms wherever scores are shown: games without a language model are marked."""

from collections.abc import Iterable

from experiments.statistics.analysis import Summary


def labels(found: Iterable[Summary]) -> dict[str, str]:
    """By arm: simulated models are marked, and so are programs when there are models beside them."""
    players: dict[str, tuple[bool, bool]] = {}
    for one in found:
        simulated, program = players.get(one.arm, (False, True))
        players[one.arm] = simulated or one.simulated, program and one.program
    mixed = not all(program for _, program in players.values())
    return {arm: labelled(arm, simulated, program and mixed) for arm, (simulated, program) in players.items()}


def labelled(arm: str, simulated: bool, program: bool = False) -> str:
    """The name of an arm, marked when no language model played."""
    return f"{arm} (simulated)" if simulated else f"{arm} (program)" if program else arm
