"""What a report says of a run's stop rule: that there was one, where each arm stopped, and what that means."""

from collections.abc import Iterator
from typing import Any

from experiments.analysis.differences import Stopped
from experiments.analysis.stopping import ArmStop
from experiments.study.stop_rule import StopRule


def sentences(stopped: Stopped) -> Iterator[str]:
    """Before the differences."""
    rule = stopped.rule
    arms = [stopped.arms[arm] for arm in rule.arms]
    yield f"This run had a stop rule: {rule.sentence}."
    yield f"{'; '.join(stood(rule, one) for one in arms)}."
    family = (
        f"Each of the {len(arms)} arms is tested at {rule.alpha:g} / {len(arms)} (Bonferroni), so that no more than "
        f"{100 * rule.alpha:g} % of such runs show any difference where there is none"
        if len(arms) > 1
        else f"No more than {100 * rule.alpha:g} % of such runs show a difference where there is none"
    )
    yield (
        f"{family}. p and intervals of differences hold at every look; the usual ones would not, and are not shown. "
        "Intervals of mean scores and of marks are the usual ones, which do not allow for stopping."
    )
    for name in rule.alongside:
        yield f"{name} plays the baseline again, as long as any arm goes on; it stops nothing and is tested apart."
    if len({one.deals for one in arms}) > 1:
        yield "Arms stopped after different deals, so their mean scores are of different deals: compare differences."


def stood(rule: StopRule, one: ArmStop) -> str:
    """How an arm stands by the rule, in words."""
    if not one.look:
        return f"{one.arm} has not reached the first look, after {rule.looks[0]} deals"
    at = f"at look {one.look} of {one.looks}, after {one.deals} of at most {one.most} deals"
    if one.settled == "shown":
        return f"{one.arm} stopped {at}: its difference is shown"
    if one.settled == "excluded":
        return f"{one.arm} stopped {at}: a difference of {rule.effect:g} or more is excluded"
    return f"{one.arm} is open {at}" if one.over else f"{one.arm} goes on: nothing is settled {at}"


def data(stopped: Stopped) -> dict[str, Any]:
    """As plain data."""
    return {**stopped.rule.data, "level": stopped.rule.level, "stood": [_plain(one) for one in stopped.arms.values()]}


def _plain(one: ArmStop) -> dict[str, Any]:
    return {name: getattr(one, name) for name in ("arm", "look", "looks", "deals", "most", "settled", "over")}
