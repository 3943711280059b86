"""A role's effect beside its controls: without the role, with a placebo, with notes of another game, and by chance.

An arm without a role also has a shorter prompt and fewer calls. A placebo keeps the prompt as long, a shuffled note
keeps its kind of content, and the baseline played once more shows how far chance alone moves a score.

That one arm shows an effect and another does not is no difference between the two. So an effect survives where each
control shows one itself, and a control explains it only where it and the removal differ, deal by deal. Else it is open.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from experiments.analysis import sentence_templates as say
from experiments.analysis.analysis import OTHER, Analysis
from experiments.analysis.conclusions import family, pvalue, widest
from experiments.analysis.differences import Difference
from experiments.analysis.statistics.estimates import ROUNDING

KINDS = ("removed", "placebo", "shuffled")


@dataclass(frozen=True)
class RoleControls:
    """What the arms of one role, or of several that are removed together, differ by from the baseline."""

    nodes: tuple[str, ...]
    counts: tuple[int, ...]
    """The player counts."""
    removed: Difference | None
    placebo: Difference | None = None
    shuffled: Difference | None = None
    noise_floor: Difference | None = None
    """The noise floor: the baseline once more."""
    exact: bool = False
    """Whether programs alone played, which know no chance."""
    beside_placebo: Difference | None = None
    """Of the removal from the placebo, deal by deal."""
    beside_shuffled: Difference | None = None
    beside_noise_floor: Difference | None = None

    @property
    def name(self) -> str:
        return " and ".join(self.nodes)

    @property
    def survives(self) -> bool | None:
        """Whether the effect stands against all three controls; False where one is shown to explain it, at least in
        part; None where one was not played or leaves it open, or no effect is shown."""
        if self.removed is None or not self.removed.claimed:
            return None
        if any(self._explained(self.removed)):
            return False
        return None if any(self._missing()) or any(self._open(self.removed)) else True

    @property
    def clause(self) -> str:
        """What the controls say of a shown effect, in a few words; empty where none is shown."""
        if self.removed is None or not self.removed.claimed:
            return ""
        if self.survives is not None:
            return say.CONTROLS_HOLD() if self.survives else say.CONTROL_EXPLAINS()
        readings = [*self._missing(), *([say.LENGTH] if self._harmful(self.removed) else [])]
        return say.CONTROLS_MISSING(readings=" or ".join(readings)) if readings else say.CONTROLS_OPEN()

    @property
    def sentence(self) -> str:
        """What the role's effect is, and which other readings are left."""
        removed = self.removed
        if removed is None:
            return say.NOT_REMOVED(role=self.name, **self._pronouns)
        if removed.claimed:
            missing = " or ".join(self._missing())
            unplayed = [say.RULES_OUT(readings=missing)] if missing else []
            survives = say.SURVIVES_EXACT() if self.exact else say.SURVIVES()
            why = "; ".join([*self._explained(removed)] or [*unplayed, *self._open(removed)] or [survives])
            return say.REMOVAL_SHOWN(role=self.name, effect=_size(removed), reasons=why, **self._pronouns)
        template = say.REMOVAL_OPEN if removed.testable else say.REMOVAL_UNTESTED
        template = say.REMOVAL_SAME if removed.same_games else template
        read = ""
        for words, control in ((say.PLACEBO_READ, self.placebo), (say.SHUFFLED_READ, self.shuffled)):
            if control is not None and control.claimed:
                read += f" {words(metric=_metric(removed), **self._pronouns)}"
        values = {"n": removed.n, "units": removed.unit, "family": family(removed.tests), **self._pronouns}
        return template(role=self.name, effect=_size(removed), read=read, **values)

    @property
    def _pronouns(self) -> Mapping[str, str]:
        """How sentences name the role, or the roles, once more."""
        if len(self.nodes) == 1:
            return {"it": "it", "its": "its", "removal": "its removal"}
        return {"it": "them", "its": "their", "removal": "their removal together"}

    def _harmful(self, removed: Difference) -> Difference | None:
        """Return the removal's difference from a placebo that is no neutral note: one shown to change more than it."""
        more = self.beside_placebo
        return more if more and more.shown_alone and more.mean * removed.mean < 0 else None

    def _missing(self) -> Iterator[str]:
        if self.noise_floor is None and not self.exact:
            yield say.CHANCE
        if self.placebo is None:
            yield say.LENGTH
        if self.shuffled is None:
            yield say.ANY_NOTE

    def _unlike(self, removed: Difference) -> Iterator[tuple[str, Difference, Difference | None]]:
        """Return the notes that take a role's content away and show no such effect, each with the removal beside it."""
        for name, control, contrast in (
            (say.PLACEBO, self.placebo, self.beside_placebo),
            (say.FOREIGN, self.shuffled, self.beside_shuffled),
        ):
            if control is not None and not (control.claimed and (control.mean > 0) == (removed.mean > 0)):
                yield name, control, contrast

    def _explained(self, removed: Difference) -> Iterator[str]:
        """Name the controls that are shown to explain the effect, at least in part."""
        if self.noise_floor and self.noise_floor.shown_alone:
            yield say.CHANCE_EXPLAINS(effect=_size(self.noise_floor, alone=True))
        for name, control, contrast in self._unlike(removed):
            if contrast and contrast.shown_alone and contrast.mean * removed.mean > 0:
                yield say.NOTE_EXPLAINS(note=name, effect=_size(control), beside=_size(contrast, alone=True))

    def _open(self, removed: Difference) -> Iterator[str]:
        """Name the controls that neither show an effect of their own nor explain it, or that are no neutral notes."""
        contrast = self.beside_noise_floor
        if self.noise_floor and not (contrast and contrast.shown_alone):
            yield say.CHANCE_OPEN(beside=_size(contrast, alone=True) if contrast else "")
        for name, control, contrast in self._unlike(removed):
            beside = _size(contrast, alone=True) if contrast else ""
            yield say.NOTE_OPEN(note=name, effect=_size(control), beside=beside)
        if self.placebo and self._harmful(removed):
            yield say.HARMS(metric=_metric(removed), effect=_size(self.placebo))


def _metric(removed: Difference) -> str:
    return "score" if removed.metric in OTHER else removed.metric


def _size(difference: Difference, *, alone: bool = False) -> str:
    """Return the mean and its p; `alone`: its own p in the place of the corrected one."""
    if difference.same_games:
        return " (the same games)"
    p = pvalue(difference.p if alone or difference.p_holm is None else difference.p_holm)
    mean = 0.0 if abs(difference.mean) < ROUNDING else difference.mean
    return f" ({mean:+.2f}{'' if p == '-' else f', p {p}' if p.startswith('<') else f', p = {p}'})"


def role_controls(analysis: Analysis, run: Mapping[str, Any]) -> list[RoleControls]:
    """Return the roles that any arm removes, or whose notes it replaces; none where no role has a control.

    They are pooled over player counts, or one for each count. `run`: the contents of run.yaml, which says what each arm
    is for.
    """
    nodes, noise_floor = _arms(run)
    exact = bool(analysis.summaries) and all(each.provenance.only_programs for each in analysis.summaries)
    controls = []
    for names, arms in nodes.items():
        removed, placebo, shuffled = (arms.get(kind) for kind in KINDS)
        every = (*analysis.differences, *analysis.apart)
        effects = [
            {each.counts: each for each in widest([each for each in every if each.arm == arm])}
            for arm in (removed, placebo, shuffled, noise_floor)
        ]
        pairs = [each for each in analysis.contrasts if each.arm == removed]
        contrasts = [
            {each.counts: each for each in widest([each for each in pairs if each.baseline == arm])}
            for arm in (placebo, shuffled, noise_floor)
        ]
        for counts in dict.fromkeys(counts for several in effects[:3] for counts in several):
            removal, of_placebo, of_shuffled, floor = (several.get(counts) for several in effects)
            beside = (several.get(counts) for several in contrasts)
            controls.append(RoleControls(names, counts, removal, of_placebo, of_shuffled, floor, exact, *beside))
    return controls


def contrasts(run: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the pairs of arms to compare: each removal with its controls."""
    nodes, noise_floor = _arms(run)
    pairs = [
        (arms.get("removed"), control)
        for arms in nodes.values()
        for control in (arms.get("placebo"), arms.get("shuffled"), noise_floor)
    ]
    return [(removed, control) for removed, control in pairs if removed and control]


def _arms(run: Mapping[str, Any]) -> tuple[Mapping[tuple[str, ...], Mapping[str, str]], str | None]:
    """Return the arms of each kind by the nodes that they remove or replace, and that which plays the baseline."""
    purposes = {arm: entry["purpose"] for arm, entry in (run.get("arms") or {}).items() if entry.get("purpose")}
    noise_floor = next((arm for arm, purpose in purposes.items() if purpose.get("kind") == "noise_floor"), None)
    nodes: dict[tuple[str, ...], dict[str, str]] = {}
    for arm, purpose in purposes.items():
        if purpose.get("kind") in KINDS:
            nodes.setdefault(tuple(purpose.get("nodes", ())), {})[purpose["kind"]] = arm
    controlled = noise_floor is not None or any(kind != "removed" for arms in nodes.values() for kind in arms)
    return (nodes if controlled else {}), noise_floor
