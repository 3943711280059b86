"""When a run may stop before its last deal: the rule of an experiment file, and as it is fixed
before the first game.

A rule that is changed while a run is played is no rule: its error rates hold only for what was laid
down before. So run.yaml records it, and a run is never continued under another one.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator

from hanabi_orchestrator.experiments.record.measures import MARK
from hanabi_orchestrator.orchestrator.errors import UserError, user_error
from hanabi_orchestrator.orchestrator.values import Frozen, OneOrMore

When = Literal["shown", "excluded", "either"]
STOP = "stop"
"""The key of the rule, in experiment files and in run.yaml."""
LOOKS = 5
"""Looks where none are named, at equal distances."""
POINT = 1.0
"""The effect that is excluded where none is named, of a score; other metrics have no usual size."""


class Stop(Frozen):
    """The rule as an experiment file writes it: `stop: {when: either, effect: 1.0, looks: [10, 20,
    40]}`."""

    when: When = "either"
    """An arm stops when its difference from the baseline is shown (the interval excludes 0), when
    every difference of the size of `effect` is excluded (the interval lies between -effect and
    +effect), or at either."""
    effect: float | None = Field(default=None, gt=0)
    """In units of the metric; 1 point if not given, for a score."""
    looks: OneOrMore[int] = ()
    """The deals after which results are looked at, ascending, always with the last; five equal
    steps if not given."""
    alpha: float = Field(default=0.05, gt=0, le=0.2)
    """The probability with which any difference is shown, in any arm and at any look, where there
    is none."""

    @field_validator("looks")
    @classmethod
    def _ascending(cls, looks: tuple[int, ...]) -> tuple[int, ...]:
        if list(looks) != sorted(set(looks)) or (looks and looks[0] < 2):
            raise ValueError(
                f"looks {list(looks)} are not numbers of deals, ascending, each once, from 2 on"
            )
        return looks


class StopRule(Frozen):
    """The rule of a run: everything that its error rate depends on, fixed before the first game."""

    when: When
    effect: float | None
    """None where nothing is to be excluded."""
    alpha: float
    looks: tuple[int, ...]
    """Numbers of deals, the first deals of the run in the order of their seeds; the last is all of
    them."""
    metric: str
    baseline: str
    alongside: tuple[str, ...] = ()
    """Arms that play the baseline again: they show the noise floor, so they settle nothing, play as
    long as any other arm, and are compared at the look that it reached, apart from the others."""
    arms: tuple[str, ...]
    """The arms that are compared. Each is tested at alpha divided by their number (Bonferroni)."""
    seeds: tuple[int, ...]
    players: tuple[int, ...]
    repeats: int

    @property
    def level(self) -> float:
        """Of each arm."""
        return self.alpha / len(self.arms)

    @property
    def most(self) -> int:
        """Deals that are played at most."""
        return self.looks[-1]

    @property
    def sentence(self) -> str:
        """What it asks for, in words."""
        looks = ", ".join(map(str, self.looks[:-1]))
        if looks:
            at = f"after {looks} and {self.most} deals"
        else:
            at = f"after {self.most} deals"
        if self.effect is not None:
            size = f"{self.effect:g} "
        else:
            size = ""
        until = {
            "shown": "its difference from the baseline is shown",
            "excluded": f"a difference of {size}or more is excluded",
            "either": (
                f"its difference from the baseline is shown, or one of {size}or more is excluded"
            ),
        }[self.when]
        return f"an arm stops as soon as {until}, by the metric {self.metric}; looked at {at}"

    @property
    def data(self) -> dict[str, Any]:
        """As run.yaml holds it: seeds, player counts and repeats stand there already."""
        hidden = {"seeds", "players", "repeats", *(() if self.alongside else ("alongside",))}
        return self.model_dump(mode="json", exclude=hidden)

    @classmethod
    def read(cls, run: Mapping[str, Any]) -> "StopRule | None":
        """Return the rule of a run.yaml; None for a run without one. Raises UserError where it
        cannot be read."""
        if not run.get(STOP):
            return None
        try:
            return cls.model_validate(
                {**run[STOP], **{key: run[key] for key in ("seeds", "players", "repeats")}}
            )
        except (ValidationError, KeyError, TypeError) as error:
            reason: object = f"stop: {error}"
            if isinstance(error, ValidationError):
                reason = user_error("run.yaml: stop", error)
            raise UserError(f"the stop rule of the run cannot be read: {reason}") from None


def resolved(
    rule: Stop,
    *,
    metric: str,
    baseline: str | None,
    arms: Sequence[str],
    alongside: Sequence[str] = (),
    seeds: Sequence[int],
    players: Sequence[int],
    repeats: int,
) -> StopRule:
    """Return the rule of an experiment. Raises UserError for one that cannot be followed."""
    if baseline is None or not arms:
        raise UserError(
            "stop: there is nothing to compare; a stop rule needs a baseline and another arm"
        )
    if metric.startswith(MARK):
        raise UserError(
            f"stop: a rule goes by what the table of results has, and {metric!r} is read from "
            "journals"
        )
    if len(seeds) < 2:
        raise UserError("stop: with a single deal there is nothing to look at in between")
    if rule.effect is None and rule.when != "shown" and metric not in ("strict", "kept"):
        raise UserError(
            f"stop: say which effect is to be excluded (effect: ...), in units of {metric}"
        )
    effect = None if rule.when == "shown" else rule.effect or POINT
    deals = len(seeds)
    if rule.looks and rule.looks[-1] > deals:
        raise UserError(
            f"stop: a look after {rule.looks[-1]} deals, and the experiment has {deals}; see "
            "seeds.count"
        )
    looks = rule.looks or [max(2, round(deals * (look + 1) / LOOKS)) for look in range(LOOKS)]
    return StopRule(
        when=rule.when,
        effect=effect,
        alpha=rule.alpha,
        looks=tuple(sorted({*looks, deals})),
        metric=metric,
        baseline=baseline,
        arms=tuple(arms),
        alongside=tuple(alongside),
        seeds=tuple(seeds),
        players=tuple(players),
        repeats=repeats,
    )


def check(before: Mapping[str, Any], now: StopRule | None, folder: str) -> None:
    """Raise UserError where a folder's run was begun under another rule, or without one; `before`:
    its run.yaml."""
    if not before:
        return
    old = StopRule.read(before)
    if old == now:
        return
    other = f"give the rule that it was begun with, or another --out than {folder!r}"
    if old is None:
        raise UserError(
            f"the run in {folder!r} was begun without a stop rule, so none can be added: its "
            "games were seen; give another --out, with other deals"
        )
    if now is None:
        raise UserError(
            f"the run in {folder!r} was begun with a stop rule ({old.sentence}), and now has "
            f"none; {other}"
        )
    changed = [name for name in StopRule.model_fields if getattr(old, name) != getattr(now, name)]
    words = "; ".join(
        f"{name} was {_short(getattr(old, name))}, is {_short(getattr(now, name))}"
        for name in changed
    )
    raise UserError(
        f"the stop rule of a run that was begun cannot change: {words}. To go on, {other}"
    )


def _short(value: object) -> str:
    if isinstance(value, tuple) and len(value) > 8:
        return f"{len(value)} values from {value[0]} to {value[-1]}"
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return str(value)
