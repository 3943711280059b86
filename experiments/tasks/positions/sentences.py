"""What a position-level ablation shows of each role, in words: which effects stand beside their controls."""

from collections.abc import Iterator

from experiments.analysis import conclusions
from experiments.tasks.positions.cheat import CHEATS
from experiments.tasks.positions.effects import Effect, Effects, Tested
from roles.words import percent

OTHER_NOTES = {
    "added": "Its note, which the graph had not before,",
    "exact": "Its program's note",
    "perturbed": "Its note with errors",
    "model": "Another model's note",
    "advise": "Its list as advice, with all legal moves to choose from,",
    "gate": "Its moves as the only ones to choose from",
}


def sentences(effects: Effects) -> Iterator[str]:
    """Yield a paragraph for each role with an arm, then what concerns all of them."""
    for node in dict.fromkeys(e.arm.node for e in effects.effects if e.arm.node and e.arm.kind != "null"):
        if text := " ".join(_role(effects, node)):
            yield f"{node}: {text[0].lower()}{text[1:]}"
    yield from _conventions(effects)
    for effect in effects.effects:
        if effect.arm.kind == "null":
            yield f"Noise floor ({effect.arm.name}): asked again, {percent(effect.flips)} of decisions are others."
        elif effect.arm.kind in ("permuted", "same_compute"):
            what = "The reports in reverse order" if effect.arm.kind == "permuted" else "As many calls of one player"
            yield f"{what}: {_flips(effect)}; it {_loss(effect)}."
        elif effect.arm.cheats:
            yield f"{effect.arm.name} {CHEATS}. {_flips(effect)}; valued by the true hand, it {_loss(effect)}."


def _role(effects: Effects, node: str) -> Iterator[str]:
    """Yield the sentences about the arms of a node's note."""
    rows = [effect for effect in effects.effects if effect.arm.node == node]
    by_kind = {effect.arm.kind: effect for effect in rows}
    removed, placebo, shuffled = by_kind.get("removed"), by_kind.get("placebo"), by_kind.get("shuffled")
    if removed:
        yield f"Without its note {_flips(removed)}; it {_loss(removed)}."
    if placebo:
        less = effects.difference(placebo.arm.name, removed.arm.name) if removed else None
        text = f"A placebo of the same length flips {percent(placebo.flips)}; it {_loss(placebo)}"
        if less and less.differs:
            text += f", {abs(less.mean):.2f} {'more' if less.mean > 0 else 'less'} than no note"
        yield f"{text}."
    if shuffled:
        yield f"Its role's note from another position flips {percent(shuffled.flips)}; it {_loss(shuffled)}."
    if removed and (placebo or shuffled):
        yield _survives(effects, removed, placebo, shuffled)
    for kind, title in OTHER_NOTES.items():
        for effect in (effect for effect in rows if effect.arm.kind == kind):
            value = f" ({effect.arm.value})" if effect.arm.value and kind != "added" else ""
            yield f"{title}{value} flips {percent(effect.flips)}; it {_loss(effect)}."


def _flips(effect: Effect) -> str:
    low, high = effect.flips_between
    text = f"{percent(effect.flips)} of decisions are others ({percent(low)} to {percent(high)}"
    if effect.floor is None:
        return f"{text})"
    more = "" if (effect.beyond and effect.beyond.differs) or not effect.flips else "; more than that is not shown"
    return f"{text}; noise floor {percent(effect.floor)}{more})"


def _loss(effect: Effect) -> str:
    loss, how = effect.judged, " by rollouts" if effect.rolled else ""
    if loss.p is None:
        return "changes no value in these positions" if effect.flips else "changes no decision in these positions"
    if not effect.claimed:
        less = "less" if loss.mean > 0 else "more"
        size = f"{abs(loss.mean):.2f} points {less} a decision{how} {_between(loss)}, {_corrected(effect)}"
        if loss.differs:
            return (
                f"has no loss or gain significant after correction: {size}, though the uncorrected interval excludes 0"
            )
        return f"may lose or gain, neither is shown nor excluded: {size}"
    verb = "loses" if loss.mean > 0 else "gains"
    return f"{verb} {abs(loss.mean):.2f} points a decision{how} {_between(loss, flip=loss.mean < 0)}"


def _corrected(effect: Effect) -> str:
    p = conclusions.pvalue(effect.p_holm)
    return f"Holm-corrected p {p if p.startswith('<') else f'= {p}'}"


def _between(test: Tested, *, flip: bool = False) -> str:
    if test.low is None or test.high is None:
        return "(too few deals for an interval)"
    low, high = (-test.high, -test.low) if flip else (test.low, test.high)
    return f"({low:.2f} to {high:.2f})"


def _survives(effects: Effects, removed: Effect, placebo: Effect | None, shuffled: Effect | None) -> str:
    """Return which controls the effect of a removal stands beside."""
    if not _loses(removed):
        return "So these positions neither show nor exclude that the note helps."
    if placebo and not _loses(placebo):
        less = effects.difference(placebo.arm.name, removed.arm.name)
        if less and less.differs and less.mean < 0:
            return "So not all that is lost is the note's content: a placebo of its length loses less."
        return "So whether it is the content is open: the placebo's loss differs neither from none nor from that."
    if shuffled and not _loses(shuffled):
        helps = "helps by what it says" if placebo else "helps, whether by what it says or not"
        return f"So the note {helps}; that a note on another position does worse is not shown."
    controls = " and ".join(name for name, effect in (("placebo", placebo), ("shuffle", shuffled)) if effect)
    return f"So the effect survives its controls ({controls}): it is the content, on this position, that is worth it."


def _loses(effect: Effect) -> bool:
    return effect.claimed and effect.judged.mean > 0


def _conventions(effects: Effects) -> Iterator[str]:
    """Yield which notes the conventions need that probes ask about, in one sentence."""
    rows = [effect for effect in effects.effects if effect.keeps is not None and effect.arm.kind != "null"]
    if rows:
        kept = max(rows, key=lambda effect: effect.positions).kept or 0.0
        arms = "; ".join(f"{row.arm.name} {percent(row.keeps or 0.0)}{_less(row.keeps_less)}" for row in rows)
        yield f"Of the conventions asked about the baseline keeps {percent(kept)}; {arms}. Not corrected."


def _less(test: Tested | None) -> str:
    """Return the difference in percentage points, where deals differ."""
    if test is None or test.p is None:
        return ""
    if test.low is None or test.high is None:
        return " (too few deals for an interval)"
    sign, less, more = (1, "less", "more") if test.mean > 0 else (-1, "more", "less")
    ends = sorted((test.low, test.high), key=lambda end: sign * end)
    low, high = (f"{abs(100 * end):.0f}{f' {more}' if end * test.mean < 0 else ''}" for end in ends)
    return f" ({low} to {high} percentage points {less})"
