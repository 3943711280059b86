"""What a position-level ablation shows of each role, in words: which effects stand beside their controls."""

from collections.abc import Iterator

from experiments.analysis import conclusions
from experiments.tasks.positions import sentence_templates as say
from experiments.tasks.positions.effects import Effect, Effects, Tested
from roles.words import percent


def sentences(effects: Effects) -> Iterator[str]:
    """Yield a paragraph for each role with an arm, then what concerns all of them."""
    for node in dict.fromkeys(e.arm.node for e in effects.effects if e.arm.node and e.arm.kind != "null"):
        if text := " ".join(_role(effects, node)):
            yield say.NOTE(role=node, decisions=text)
    yield from _conventions(effects)
    for effect in effects.effects:
        if effect.arm.kind == "null":
            yield say.FLOOR(arm=effect.arm.name, percent=percent(effect.flips))
        elif arrangement := say.ARRANGEMENTS.get(effect.arm.kind):
            yield say.ALL_NOTES(arrangement=arrangement, **_effect(effect))
        elif effect.arm.cheats:
            yield say.OWN_HAND(arm=effect.arm.name, **_effect(effect))


def _role(effects: Effects, node: str) -> Iterator[str]:
    """Yield the sentences about the arms of a node's note."""
    rows = [effect for effect in effects.effects if effect.arm.node == node]
    by_kind = {effect.arm.kind: effect for effect in rows}
    removed, placebo, shuffled = by_kind.get("removed"), by_kind.get("placebo"), by_kind.get("shuffled")
    if removed:
        yield say.NOTE_REMOVED(**_effect(removed))
    if placebo:
        less = effects.difference(placebo.arm.name, removed.arm.name) if removed else None
        shown = less is not None and less.differs
        than_none = say.THAN_NONE(size=f"{abs(less.mean):.2f}", sign=_sign(less, "more")) if less and shown else ""
        yield say.NOTE_PLACEBO(**_effect(placebo), than_none=than_none)
    if shuffled:
        yield say.NOTE_SHUFFLED(**_effect(shuffled))
    if removed and (placebo or shuffled):
        yield _survives(effects, removed, placebo, shuffled)
    for kind, title in say.OTHER_NOTES.items():
        for effect in (effect for effect in rows if effect.arm.kind == kind):
            value = f" ({effect.arm.value})" if effect.arm.value and kind != "added" else ""
            yield say.NOTE_OTHER(other_note=f"{title}{value}", **_effect(effect))


def _sign(test: Tested, positive: str) -> str:
    """Return `less` or `more`; `positive`: that of a positive mean."""
    return positive if test.mean > 0 else {"less": "more", "more": "less"}[positive]


def _effect(effect: Effect) -> dict[str, str]:
    """Return how many decisions differ, and what that loses."""
    least, most = map(percent, effect.flips_between)
    open_ = "" if (effect.beyond and effect.beyond.differs) or not effect.flips else "; more than that is not shown"
    floor = "" if effect.floor is None else f"; noise floor {percent(effect.floor)}{open_}"
    flips = say.FLIPS(percent=percent(effect.flips), least=least, most=most, floor=floor)
    return {"flips": flips, "loss": _loss(effect)}


def _loss(effect: Effect) -> str:
    loss = effect.judged
    if loss.p is None:
        return say.NO_VALUE() if effect.flips else say.NO_DECISION()
    values = {"size": f"{abs(loss.mean):.2f}", "rollouts": " by rollouts" if effect.rolled else ""}
    if effect.claimed:
        gains = loss.mean <= 0
        return (say.GAINS if gains else say.LOSES)(between=_between(loss, flip=gains), **values)
    template = say.LOSS_NOT_CORRECTED if loss.differs else say.LOSS_OPEN
    p = conclusions.pvalue(effect.p_holm)
    p = f"Holm-corrected p {p if p.startswith('<') else f'= {p}'}"
    return template(sign=_sign(loss, "less"), between=_between(loss), p=p, **values)


def _between(test: Tested, *, flip: bool = False) -> str:
    if test.bounds is None:
        return FEW
    low, high = (-test.bounds[1], -test.bounds[0]) if flip else test.bounds
    return f"(95 % {low:.2f} to {high:.2f})"


FEW = "(too few deals for an interval)"


def _survives(effects: Effects, removed: Effect, placebo: Effect | None, shuffled: Effect | None) -> str:
    """Return which controls the effect of a removal stands beside."""
    if not _loses(removed):
        return say.HELP_OPEN()
    if placebo and not _loses(placebo):
        less = effects.difference(placebo.arm.name, removed.arm.name)
        return say.LENGTH_LOSES() if less and less.differs and less.mean < 0 else say.CONTENT_OPEN()
    if shuffled and not _loses(shuffled):
        return say.HELPS_BY_CONTENT() if placebo else say.HELPS()
    controls = " and ".join(name for name, effect in (("placebo", placebo), ("shuffle", shuffled)) if effect)
    return say.CONTENT(controls=controls)


def _loses(effect: Effect) -> bool:
    return effect.claimed and effect.judged.mean > 0


def _conventions(effects: Effects) -> Iterator[str]:
    """Yield which notes the conventions need that probes ask about, in one sentence."""
    rows = [effect for effect in effects.effects if effect.keeps is not None and effect.arm.kind != "null"]
    if rows:
        kept = max(rows, key=lambda effect: effect.positions).kept or 0.0
        arms = (
            say.KEPT(arm=row.arm.name, percent=percent(row.keeps or 0.0), less_often=_less(row.keeps_less))
            for row in rows
        )
        yield say.CONVENTIONS(percent=percent(kept), kept="; ".join(arms))


def _less(test: Tested | None) -> str:
    """Return the difference in percentage points, where deals differ."""
    if test is None or test.p is None:
        return ""
    if test.bounds is None:
        return f" {FEW}"
    sign, less, more = (1, "less", "more") if test.mean > 0 else (-1, "more", "less")
    ends = sorted(test.bounds, key=lambda end: sign * end)
    low, high = (f"{abs(100 * end):.0f}{f' {more}' if end * test.mean < 0 else ''}" for end in ends)
    return f" (95 % {low} to {high} percentage points {less})"
