"""Cross-play: every ordered pair (A, B), A in exactly one seat and B in all others; the diagonal is self-play.

Or one sequence: A takes the seats of B one by one, from none of them to all.
"""

from collections.abc import Mapping

from experiments.study.arm_names import check_number
from experiments.study.arms import Arm, check
from experiments.study.experiment import Experiment
from experiments.study.file_schema import CrossPlay, SeatConfig
from experiments.study.seat_spec import PlayerSpec, player_spec
from orchestrator.players import partners
from orchestrator.players.base import PREFIX

WITH = ".with."
"""Between the two labels of a pair in an arm's name."""


def participants(seats: Mapping[str, SeatConfig] | str, experiment: Experiment) -> dict[str, PlayerSpec]:
    """The participants by label; all rule players when the config says `partners`. Raises UserError."""
    if isinstance(seats, str):
        return {name: PlayerSpec(spec=f"{PREFIX}{name}") for name in partners.names()}
    return {label: player_spec(seat, experiment) for label, seat in seats.items()}


def player_counts(
    first: PlayerSpec, other: PlayerSpec, experiment: Experiment, named: Mapping[str, SeatConfig] | str
) -> tuple[int, ...]:
    """The player counts of a pair. Of `partners`, those that do not support a count are left out there."""
    if not isinstance(named, str):
        return experiment.players
    return tuple(n for n in experiment.players if n in first.players and n in other.players)


def arms(pairs: CrossPlay, experiment: Experiment, specs: Mapping[str, PlayerSpec]) -> list[Arm]:
    """An arm for every ordered pair of the participants; for a sequence, one for each number of seats of the first,
    which sits from seat 0 on, while the second has the others. Raises UserError."""
    if pairs.sequence:
        (name, first), (_, second) = specs.items()
        listed_arms = [
            Arm(
                f"{name}-{number}",
                second,
                dict.fromkeys(range(number), first),
                players=tuple(players for players in experiment.players if players >= number),
            )
            for number in range(max(experiment.players) + 1)
        ]
    else:
        check_number(len(specs) ** 2, [f"the pairs of {len(specs)} seats"])
        listed_arms = [
            Arm(
                f"{label}{WITH}{other}",
                b,
                guest=a,
                place="rotate" if pairs.rotate else 0,
                players=player_counts(a, b, experiment, pairs.seats),
            )
            for label, a in specs.items()
            for other, b in specs.items()
        ]
    for arm in listed_arms:
        check(arm)
    return listed_arms
