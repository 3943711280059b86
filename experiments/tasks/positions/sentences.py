"""What a position-level ablation shows of each role, in words: which effects stand beside their controls."""

from collections.abc import Iterator

from experiments.statistics.power import ALPHA
from experiments.tasks.positions.cheat import CHEATS
from experiments.tasks.positions.effects import Effect, Found, Tested, difference
from roles.words import percent

OTHER_NOTES = {
    "exact": "Its program's note",
    "perturbed": "Its note with errors",
    "model": "Another model's note",
    "advise": "Its list as advice, with all legal moves to choose from,",
    "gate": "Its moves as the only ones to choose from",
}


def sentences(found: Found) -> list[str]:
    """A paragraph for each role with an arm, then what concerns all of them."""
    nodes = list(dict.fromkeys(one.arm.node for one in found.effects if one.arm.node and one.arm.kind != "null"))
    return [*(_named(str(node), " ".join(_of_role(found, str(node)))) for node in nodes), *_of_all(found)]


def _named(node: str, said: str) -> str:
    """A paragraph that begins with the role's name."""
    return said if said.startswith(f"{node}: ") else f"{node}: {said[:1].lower()}{said[1:]}"


def _of_role(found: Found, node: str) -> Iterator[str]:
    by = {one.arm.kind: one for one in found.effects if one.arm.node == node}
    removed, placebo, shuffled = by.get("removed"), by.get("placebo"), by.get("shuffled")
    if removed:
        yield f"{node}: without its note {_flips(removed)}; it {_loss(removed)}."
    if placebo:
        beside = _beside(found, removed, placebo)
        yield f"A placebo of the same length flips {percent(placebo.flips)}; it {_loss(placebo)}{beside}."
    if shuffled:
        yield f"Its role's note from another position flips {percent(shuffled.flips)}; it {_loss(shuffled)}."
    if removed and (placebo or shuffled):
        yield _survives(found, removed, placebo, shuffled)
    for kind, called in OTHER_NOTES.items():
        for one in (e for e in found.effects if e.arm.node == node and e.arm.kind == kind):
            value = f" ({one.arm.value})" if one.arm.value else ""
            yield f"{called}{value} flips {percent(one.flips)}; it {_loss(one)}."


def _flips(one: Effect) -> str:
    low, high = one.flips_between
    said = f"{percent(one.flips)} of decisions are others ({percent(low)} to {percent(high)}"
    if one.floor is None:
        return f"{said})"
    shown = one.beyond is not None and one.beyond.p is not None and one.beyond.p < ALPHA
    return (
        f"{said}; noise floor {percent(one.floor)}{'; more than that is not shown' if not shown and one.flips else ''})"
    )


def _loss(one: Effect) -> str:
    loss, how = one.judged, " by rollouts" if one.rolled else ""
    if loss.p is None:
        return "loses nothing" if not one.flips else "loses nothing by value"
    if not one.claimed:
        return f"is not shown to lose or gain: {_points(loss.mean)}{how} {_between(loss)}"
    verb = "loses" if loss.mean > 0 else "gains"
    return f"{verb} {abs(loss.mean):.2f} points a decision{how} {_between(loss, flip=loss.mean < 0)}"


def _points(mean: float) -> str:
    return f"{abs(mean):.2f} points {'less' if mean > 0 else 'more'} a decision"


def _between(one: Tested, *, flip: bool = False) -> str:
    if one.low is None or one.high is None:
        return "(too few deals for an interval)"
    low, high = (-one.high, -one.low) if flip else (one.low, one.high)
    return f"({low:.2f} to {high:.2f})"


def _beside(found: Found, removed: Effect | None, placebo: Effect) -> str:
    """The placebo beside the removal, where they differ."""
    apart = difference(found, placebo.arm.name, removed.arm.name) if removed else None
    if apart is None or apart.p is None or apart.p >= ALPHA:
        return ""
    return f", {abs(apart.mean):.2f} {'more' if apart.mean > 0 else 'less'} than no note"


def _conventions(found: Found) -> Iterator[str]:
    """Which notes the conventions need that probes ask about, in one sentence."""
    told = [one for one in found.effects if one.keeps is not None and one.arm.kind != "null"]
    if told:
        kept = max(told, key=lambda one: one.positions).kept or 0.0
        arms = "; ".join(f"{one.arm.name} {percent(one.keeps or 0.0)}{_less(one.keeps_less)}" for one in told)
        yield f"Of the conventions asked about the baseline keeps {percent(kept)}; {arms}. Not corrected."


def _less(one: Tested | None) -> str:
    """The difference in percentage points, where deals differ."""
    if one is None or one.p is None:
        return ""
    if one.low is None or one.high is None:
        return " (too few deals for an interval)"
    less, more = ("less", "more") if one.mean > 0 else ("more", "less")
    ends = sorted((one.low, one.high), key=lambda end: end * (1 if one.mean > 0 else -1))
    low, high = (f"{abs(100 * end):.0f}{_side(end, one.mean, more)}" for end in ends)
    return f" ({low} to {high} percentage points {less})"


def _side(end: float, mean: float, other: str) -> str:
    """The other direction, where an end of an interval lies on the other side of 0."""
    return f" {other}" if end * mean < 0 else ""


def _survives(found: Found, removed: Effect, placebo: Effect | None, shuffled: Effect | None) -> str:
    """Which controls the effect of a removal stands beside."""
    if not (removed.claimed and removed.judged.mean > 0):
        return "So these positions show no worth of the note."
    if placebo and not (placebo.claimed and placebo.judged.mean > 0):
        apart = difference(found, placebo.arm.name, removed.arm.name)
        if apart and apart.p is not None and apart.p < ALPHA and apart.mean < 0:
            return "So not all that is lost is the note's content: a placebo of its length loses less."
        return "So whether it is the content is open: the placebo's loss differs neither from none nor from that."
    if shuffled and not (shuffled.claimed and shuffled.judged.mean > 0):
        helps = "helps by what it says" if placebo else "helps, whether by what it says or not"
        return f"So the note {helps}; that a note on another position does worse is not shown."
    controls = " and ".join(name for name, one in (("placebo", placebo), ("shuffle", shuffled)) if one)
    return f"So the effect survives its controls ({controls}): it is the content, on this position, that is worth it."


def _of_all(found: Found) -> Iterator[str]:
    yield from _conventions(found)
    for one in found.effects:
        if one.arm.kind == "null":
            yield f"Noise floor ({one.arm.name}): asked again, {percent(one.flips)} of decisions are others."
        elif one.arm.kind in ("permuted", "same_compute"):
            what = "The reports in reverse order" if one.arm.kind == "permuted" else "As many calls of one player"
            yield f"{what}: {_flips(one)}; it {_loss(one)}."
        elif one.arm.cheats:
            yield f"{one.arm.name} {CHEATS}. {_flips(one)}; valued by the true hand, it {_loss(one)}."
