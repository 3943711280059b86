"""What a position-level ablation shows of each role, in words: which effects stand beside their
controls.

The templates come first, each with the condition under which it is printed.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from hanabi_orchestrator.experiments.analysis import coalition_sentences, conclusions
from hanabi_orchestrator.experiments.analysis.compare import Comparison, significant
from hanabi_orchestrator.experiments.analysis.sentence_templates import Template
from hanabi_orchestrator.experiments.tasks.positions.effects import Effect, Effects
from hanabi_orchestrator.roles.words import percent

SAME_DECISIONS = Template(
    "changes no decision in these positions", "all decisions are the baseline's"
)
SAME_VALUES = Template(
    "changes no value in these positions", "all decisions are worth as much as the baseline's"
)
LOSES = Template(
    "loses {size} points a decision{rollouts} {between}",
    "a positive loss, and the corrected p is below .05",
)
GAINS = Template(
    "gains {size} points a decision{rollouts} {between}",
    "a negative loss, and the corrected p is below .05",
)
LOSS_OPEN = Template(
    "may lose or gain, neither is shown nor excluded: {size} points {sign} a "
    "decision{rollouts} {between}, {p}",
    "the corrected p is .05 or more",
)
LOSS_NOT_CORRECTED = Template(
    "has no loss or gain significant after correction: {size} points {sign} a decision{rollouts} "
    "{between}, {p}, though the uncorrected interval excludes 0",
    "the 95 % interval excludes 0, and the corrected p is .05 or more",
)
FLIPS = Template(
    "{percent} of decisions differ ({least} to {most}{floor})", "how many decisions an arm changes"
)
NOTE_REMOVED = Template(
    "Without {its_note} {flips}; it {loss}.", "the arm that removes a node's note"
)
NOTE_PLACEBO = Template(
    "With a placebo of the same length {flips}; it {loss}{than_none}.",
    "the arm with a placebo in its place",
)
THAN_NONE = Template(
    ", {size} {sign} than no note", "the placebo and the removal are shown to differ"
)
NOTE_SHUFFLED = Template(
    "With its role's note from another position {flips}; it {loss}.",
    "the arm with another position's note",
)
NOTE_OTHER = Template(
    "With {other_note} {flips}; it {loss}.", "any other arm about the node's note"
)
OTHER_NOTES = {
    "added": "its note, which the graph had not before,",
    "exact": "its program's note",
    "perturbed": "errors in its note",
    "model": "another model's note",
    "advise": "its list as advice and all legal moves to choose from,",
    "gate": "its moves as the only ones to choose from",
}
HELP_OPEN = Template(
    "So these positions neither show nor exclude that the note helps.",
    "the removal is not shown to lose",
)
LENGTH_LOSES = Template(
    "So not all that is lost is the note's content: {note} loses less.",
    "this note is not shown to lose, and is shown to lose less than the removal",
)
CONTENT_OPEN = Template(
    "So whether it is the content is open: what {notes} {loses} is not shown to differ from "
    "nothing or from that.",
    "these notes are neither shown to lose nor to lose less than the removal",
)
LENGTH_RULED_OUT = Template(
    "So the length of the prompt does not explain the loss: {note} loses, too.{likewise}",
    "the removal and a note that says it is empty are shown to lose, and so is every other "
    "note in its place",
)
ALIKE = Template(
    "With {notes} decisions lose, too, and these may mislead.",
    "so are notes that may mislead, and no other is open",
)
LENGTH_OPEN = Template(
    "So the note helps, by what it says or not. {likewise} No arm rules out the length of "
    "the prompt.",
    "the same without a note that says it is empty",
)
NOTES_LIKE = {
    "padded": "a note of its length that says it is empty",
    "placebo": "a placebo of its length",
    "shuffled": "a note on another position",
}
"""What stands in the place of a note, by the kind of the arm."""
NOTE = Template("{role}: {decisions}", "for each node with an arm about its note")
FLOOR = Template(
    "Noise floor ({arm}): asked again, {percent} of decisions differ.", "the noise floor"
)
ALL_NOTES = Template(
    "{arrangement}: {flips}; it {loss}.", "the arms about all notes together, and any other"
)
ARRANGEMENTS = {
    "permuted": "The notes in another order",
    "same_compute": "As many calls of one seat",
    "same_tokens": "As many tokens of one seat",
}
OWN_HAND = Template(
    "{arm} cheats: it is told the own hand, which no seat may know. {flips}; valued by the "
    "true hand, it {loss}.",
    "a cheating arm",
)
CONVENTIONS = Template(
    "Of the conventions asked about the baseline keeps {percent}; {kept}. Not corrected.",
    "positions ask for a convention",
)
KEPT = Template("{arm} {percent}{less_often}", "for each arm but the noise floors")
UNCORRELATED = Template(
    "Of these arms {folder} has {n}: a correlation over arms takes three.", "fewer than three arms"
)
EQUAL_ARMS = Template(
    "No rank correlation of {figure} with whole games: all {n} arms are equal in one of them.",
    "it does not exist",
)
CORRELATED = Template(
    "Rank correlation of {figure} with whole games over {n} arms: {size} ({p}, by "
    "permutation of the arms).",
    "three arms or more",
)


def sentences(effects: Effects, contrasts: Mapping[str, Mapping[str, float]] = {}) -> Iterator[str]:
    """Yield what a design of coalitions shows, and contrasts, which are given by their weights;
    then a paragraph for each role with an arm, or several roles of one arm, then what concerns all
    of them."""
    if effects.designed.coalitions:
        yield from coalition_sentences.sentences(effects.designed.coalitions)
    yield from coalition_sentences.own_contrasts(effects.designed.contrasts, contrasts)
    by_nodes = defaultdict[tuple[str, ...], list[Effect]](list)
    for effect in effects.effects:
        if effect.arm.kind in ABOUT_A_NOTE:
            by_nodes[effect.arm.nodes].append(effect)
    for nodes, rows in by_nodes.items():
        yield NOTE(role=" and ".join(nodes), decisions=" ".join(_role(effects, nodes, rows)))
    yield from _conventions(effects)
    for effect in effects.effects:
        arm = effect.arm
        if arm.is_noise_floor:
            yield FLOOR(arm=arm.name, percent=percent(effect.flips))
        elif arm.cheats:
            yield OWN_HAND(arm=arm.name, **_effect(effect))
        elif arm.kind != "coalition" and arm.kind not in ABOUT_A_NOTE:
            yield ALL_NOTES(arrangement=ARRANGEMENTS.get(arm.kind, arm.name), **_effect(effect))


ABOUT_A_NOTE = ("removed", *NOTES_LIKE, *OTHER_NOTES)


def _role(effects: Effects, nodes: Sequence[str], rows: Sequence[Effect]) -> Iterator[str]:
    """Yield the sentences about the arms of a node's note, or of several nodes' notes together."""
    by_kind = {effect.arm.kind: effect for effect in rows}
    removed, placebo, shuffled = (by_kind.get(kind) for kind in ("removed", "placebo", "shuffled"))
    if removed:
        yield NOTE_REMOVED(
            its_note="its note" if len(nodes) == 1 else "their notes", **_effect(removed)
        )
    if padded := by_kind.get("padded"):
        yield NOTE_OTHER(other_note=NOTES_LIKE["padded"], **_effect(padded))
    if placebo:
        less = effects.difference(placebo.arm.name, removed.arm.name) if removed else None
        shown = less is not None and removed is not None and effects.differs(placebo, removed)
        if less and shown:
            than_none = THAN_NONE(size=f"{abs(less.mean):.2f}", sign=_sign(less, "more"))
        else:
            than_none = ""
        yield NOTE_PLACEBO(**_effect(placebo), than_none=than_none)
    if shuffled:
        yield NOTE_SHUFFLED(**_effect(shuffled))
    controls = {kind: by_kind[kind] for kind in NOTES_LIKE if kind in by_kind}
    if removed and controls:
        yield _survives(effects, removed, controls)
    for kind, title in OTHER_NOTES.items():
        for effect in (effect for effect in rows if effect.arm.kind == kind):
            value = effect.arm.purpose.value if effect.arm.purpose else None
            yield NOTE_OTHER(other_note=f"{title} ({value})" if value else title, **_effect(effect))


def _sign(test: Comparison, positive: str) -> str:
    """Return `less` or `more`; `positive`: that of a positive mean."""
    if test.mean > 0:
        return positive
    return {"less": "more", "more": "less"}[positive]


def _effect(effect: Effect) -> dict[str, str]:
    """Return how many decisions differ, and what that loses."""
    least, most = map(percent, effect.flips_between)
    differs = significant(effect.beyond_p)
    if differs or not effect.flips:
        open_ = ""
    else:
        open_ = "; more than that is not shown"
    if effect.floor is None:
        floor = ""
    else:
        floor = f"; noise floor {percent(effect.floor)}{open_}"
    flips = FLIPS(percent=percent(effect.flips), least=least, most=most, floor=floor)
    return {"flips": flips, "loss": _loss(effect)}


def _loss(effect: Effect) -> str:
    loss = effect.judged
    if loss.p is None:
        if effect.flips:
            return SAME_VALUES()
        return SAME_DECISIONS()
    values = {"size": f"{abs(loss.mean):.2f}", "rollouts": " by rollouts" if effect.rolled else ""}
    if effect.claimed:
        gains = loss.mean <= 0
        return (GAINS if gains else LOSES)(between=_between(loss, flip=gains), **values)
    if significant(loss.p):
        template = LOSS_NOT_CORRECTED
    else:
        template = LOSS_OPEN
    p = conclusions.pvalue(effect.p_holm)
    p = f"Holm-corrected p {p if p.startswith('<') else f'= {p}'}"
    return template(sign=_sign(loss, "less"), between=_between(loss), p=p, **values)


def _between(test: Comparison, *, flip: bool = False) -> str:
    if (bounds := test.interval()) is None:
        return FEW
    low, high = (-bounds[1], -bounds[0]) if flip else bounds
    return f"(95 % {_plain(low)} to {_plain(high)})"


def _plain(number: float) -> str:
    return f"{round(number, 2) + 0.0:.2f}"  # no -0.00


FEW = "(too few deals for an interval)"


def _survives(effects: Effects, removed: Effect, controls: Mapping[str, Effect]) -> str:
    """Return what the notes in its place say of the effect of a removal."""
    if not _loses(removed):
        return HELP_OPEN()
    harmless = [kind for kind, effect in controls.items() if not _loses(effect)]
    for kind in harmless:
        less = effects.difference(controls[kind].arm.name, removed.arm.name)
        if less and less.mean < 0 and effects.differs(controls[kind], removed):
            return LENGTH_LOSES(note=NOTES_LIKE[kind])
    if harmless:
        notes = conclusions.listed([NOTES_LIKE[kind] for kind in harmless])
        return CONTENT_OPEN(notes=notes, loses="loses" if len(harmless) == 1 else "lose")
    misleading = conclusions.listed([NOTES_LIKE[kind] for kind in controls if kind != "padded"])
    alike = ALIKE(notes=misleading) if misleading else ""
    if "padded" in controls:
        return LENGTH_RULED_OUT(note=NOTES_LIKE["padded"], likewise=alike and f" {alike}")
    return LENGTH_OPEN(likewise=alike)


def _loses(effect: Effect) -> bool:
    return effect.claimed and effect.judged.mean > 0


def _conventions(effects: Effects) -> Iterator[str]:
    """Yield which notes the conventions need that probes ask about, in one sentence."""
    rows = []
    for effect in effects.effects:
        if effect.keeps is not None and not effect.arm.is_noise_floor:
            rows.append(effect)
    if rows:
        kept = max(rows, key=lambda effect: effect.positions).kept or 0.0
        arms = (
            KEPT(
                arm=row.arm.name,
                percent=percent(row.keeps or 0.0),
                less_often=_less(row.keeps_less),
            )
            for row in rows
        )
        yield CONVENTIONS(percent=percent(kept), kept="; ".join(arms))


def _less(test: Comparison | None) -> str:
    """Return the difference in percentage points, where deals differ."""
    if test is None or test.p is None:
        return ""
    if (bounds := test.interval()) is None:
        return f" {FEW}"
    sign, less, more = (1, "less", "more") if test.mean > 0 else (-1, "more", "less")
    ends = sorted(bounds, key=lambda end: sign * end)
    low, high = (f"{abs(100 * end):.0f}{f' {more}' if end * test.mean < 0 else ''}" for end in ends)
    return f" (95 % {low} to {high} percentage points {less})"
