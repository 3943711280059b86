"""What a design of coalitions shows, in sentences; and the combinations of arms that an experiment
names itself."""

from collections.abc import Iterator, Mapping, Sequence

from hanabi_orchestrator.experiments.analysis import sentence_templates as say
from hanabi_orchestrator.experiments.analysis.analysis import OTHER
from hanabi_orchestrator.experiments.analysis.coalitions import CoalitionStudy, Effect, Kind
from hanabi_orchestrator.experiments.analysis.conclusions import (
    estimated,
    listed,
    pvalue,
    signed,
    size,
)
from hanabi_orchestrator.experiments.analysis.differences import Difference
from hanabi_orchestrator.experiments.analysis.statistics.estimates import ALPHA, ROUNDING
from hanabi_orchestrator.experiments.study.coalitions import FULL, Absence, label
from hanabi_orchestrator.roles.words import many

TITLES: dict[Kind, str] = {
    "shapley": "Shapley values, which divide this among the parts",
    "leave_one_out": (
        "Lost without one of them (leave-one-out, no shares: they need not sum to the whole)"
    ),
    "alone": "Added by one alone (no shares: they need not sum to the whole)",
    "banzhaf": (
        "Banzhaf values, the mean over all sets of the others (they need not sum to the whole)"
    ),
    "interaction": "Interactions of two",
    "highest_order": "Interaction of all parts at once",
}
"""How the terms of each kind are introduced."""
NAMED = 4
"""The most interactions that a verdict names."""


def sentences(study: CoalitionStudy) -> Iterator[str]:
    """Say what all parts are worth together, then the terms that the study is about, and what makes
    them no sums."""
    if study.withheld:
        yield say.WITHHELD(arms=listed(study.withheld), percent="half")
    for absence in study.design.by:
        for sentence in _of_absence(study, absence):
            several = len(study.design.by) > 1
            if several:
                yield say.COALITION_BY(absence=label(absence), coalition_sentence=sentence)
            else:
                yield sentence


def _of_absence(study: CoalitionStudy, absence: Absence) -> Iterator[str]:
    by = label(absence)
    design = study.design
    none = design.arm(absence, frozenset())
    for effect in study.of("all_parts", by):
        yield _whole(effect.difference, none, design.names)
    if len(design.names) == 1:
        return  # what the part is worth in every view is the whole difference
    if primary := study.of(design.primary, by):
        yield _terms(design.primary, primary)
    yield from _disagreements(study, by)
    if design.primary != "interaction":
        yield from _interactions(study.of("interaction", by))
    for effect in study.of("alone", by):
        difference = effect.difference
        if difference.claimed and (effect.benefit or 0) < 0 and design.primary != "alone":
            yield say.ALONE_HARMS(
                component=effect.name,
                change=_points(difference),
                none=none,
                estimate=estimated(difference),
            )


def _whole(difference: Difference, none: str, names: Sequence[str]) -> str:
    if difference.metric in OTHER:
        template = say.COALITION_WHOLE
    else:
        template = say.COALITION_WHOLE_OTHER
    if difference.mean >= 0:
        side = "more"
    elif difference.metric in OTHER:
        side = "less"
    else:
        side = "fewer"
    if len(difference.counts) > 1:
        counts = f", over {listed(list(map(str, difference.counts)))} players"
    else:
        counts = ""
    if difference.p is None and abs(difference.mean) <= ROUNDING:
        deals = many(difference.n, "deal")
        return say.COALITION_WHOLE_SAME(full=FULL, none=none, deals=deals, counts_named=counts)
    amount = f"{size(difference.mean)} {difference.measured_in} {side}"
    if len(names) == 1:
        parts = {"whole_worth": f"{names[0]} is worth", "whole_change": f"{names[0]} changes"}
    else:
        its_parts = f"its {many(len(names), 'part')}"
        parts = {
            "whole_worth": f"{its_parts} are worth together",
            "whole_change": f"{its_parts} change together",
        }
    return template(
        full=FULL,
        amount=amount,
        none=none,
        estimate=estimated(difference),
        still_open=_unclaimed(difference),
        counts_named=counts,
        **parts,
    )


def _terms(kind: Kind, effects: Sequence[Effect]) -> str:
    """Return the sentence of all terms of a kind, the largest first."""
    largest_first = sorted(effects, key=lambda effect: -effect.difference.mean)
    sizes = sorted({effect.difference.n for effect in largest_first})
    if len(sizes) == 1:
        deals = many(sizes[0], "deal")
    else:
        deals = f"{sizes[0]} to {sizes[-1]} deals"
    values = {"title": TITLES[kind], "deals": deals}
    tests = max(effect.difference.tests for effect in largest_first)
    if not any(
        effect.difference.testable and effect.difference.p is not None for effect in largest_first
    ):
        plain = ", ".join(
            f"{effect.name} {signed(effect.difference.mean)}" for effect in largest_first
        )
        return say.COALITION_UNTESTED(**values, terms=plain)
    corrected = f"p corrected for {tests}, " * (tests > 1)
    terms = "; ".join(map(_term, largest_first))
    return say.COALITION_TERMS(**values, corrected_for=corrected, terms=terms)


def _term(effect: Effect) -> str:
    difference = effect.difference
    if difference.same_games:
        return say.COALITION_SAME(component=effect.name)
    p = pvalue(difference.p_holm)
    if difference.bounds is None:
        bounds = ""
    else:
        bounds = "{} to {}, ".format(*map(signed, difference.bounds))
    return say.COALITION_TERM(
        component=effect.name,
        mean=signed(difference.mean),
        limits=bounds,
        chance=p if p.startswith("<") else f"= {p}",
        still_open=_unclaimed(difference),
    )


def _unclaimed(difference: Difference) -> str:
    """Return the clause that says why a term is no claim; empty for a claim."""
    if difference.claimed or difference.p is None:
        return ""
    if difference.p_holm is None or difference.p_holm >= ALPHA:
        return say.COALITION_OPEN()
    if difference.spent:
        return say.COALITION_SPENT()
    return say.COALITION_FLATTERED()


def _disagreements(study: CoalitionStudy, by: str) -> Iterator[str]:
    """Say where leave-one-out is shown not to be a part's share."""
    losses = {effect.name: effect.difference for effect in study.of("leave_one_out", by)}
    shares = {effect.name: effect.difference for effect in study.of("shapley", by)}
    for effect in study.of("disagreement", by):
        gap = effect.difference
        if not gap.claimed:
            continue
        if effect.benefit is not None:
            gains = effect.benefit
        else:
            gains = gap.mean
        yield (say.DISAGREE_MORE if gains > 0 else say.DISAGREE_LESS)(
            component=effect.name,
            worth=_points(losses[effect.name]),
            value=signed(shares[effect.name].mean),
            gap=signed(gap.mean),
            estimate=estimated(gap),
        )


def _interactions(effects: Sequence[Effect]) -> Iterator[str]:
    """Tell redundant from complementary pairs, those that are shown."""
    claims = [effect for effect in effects if effect.difference.claimed]
    claims.sort(key=lambda effect: -abs(effect.difference.mean))
    for effect in claims[:NAMED]:
        difference = effect.difference
        gain = effect.benefit
        if gain is None:
            template = say.INTERACT
        elif gain > 0:
            template = say.COMPLEMENTARY
        else:
            template = say.REDUNDANT
        yield template(
            components=listed(effect.parts),
            size=size(difference.mean),
            unit=difference.measured_in,
            change=_points(difference),
            estimate=estimated(difference),
        )
    if len(claims) > NAMED:
        more = many(len(claims) - NAMED, "more shown interaction")
        yield say.MORE_PAIRS(more_shown=more)
    if effects and not claims:
        sizes = [effect.difference.mde for effect in effects if effect.difference.mde is not None]
        unit = effects[0].difference.measured_in
        if len(sizes) == len(effects):
            detects = say.DETECTS_INTERACTION(size=size(max(sizes)), unit=unit)
        else:
            detects = ""
        if len(effects) > 1:
            yield say.NO_INTERACTION(pairs=many(len(effects), "pair"), detects=detects)
        else:
            pair = listed(effects[0].parts)
            yield say.NO_INTERACTION_OF_BOTH(components=pair, detects=detects)


def _points(difference: Difference) -> str:
    return f"{signed(difference.mean)} {difference.measured_in}"


def own_contrasts(
    differences: Sequence[Difference], weights: Mapping[str, Mapping[str, float]]
) -> Iterator[str]:
    """Say what the combinations of arms show that an experiment names."""
    for difference in differences:
        values: dict[str, object] = {
            "name": difference.arm,
            "weights": in_words(weights[difference.arm]),
            "change": _points(difference),
        }
        if difference.p is None or not difference.testable:
            yield say.OWN_CONTRAST_UNTESTED(**values, n=difference.n, units=difference.units)
        else:
            yield say.OWN_CONTRAST(
                **values, estimate=estimated(difference), still_open=_unclaimed(difference)
            )


def in_words(weights: Mapping[str, float]) -> str:
    """Return a combination as `full - none`, `0.5 full + 0.5 half - none`."""
    parts = []
    for arm, weight in weights.items():
        times = "" if abs(weight) == 1 else f"{abs(weight):g} "
        parts.append(f"{'-' if weight < 0 else '+'} {times}{arm}")
    return " ".join(parts).removeprefix("+ ")
