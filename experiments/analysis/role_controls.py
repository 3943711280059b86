"""A role's effect beside its controls: without the role, with a placebo, with notes of another game, and by chance.

An arm without a role also has a shorter prompt and fewer calls. A placebo keeps the prompt as long, a shuffled note
keeps its kind of content, and the baseline played once more shows how far chance alone moves a score.

That one arm shows an effect and another does not is no difference between the two. So an effect survives where each
control shows one itself, and a control explains it only where it and the removal differ, deal by deal. Else it is open.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from experiments.analysis.analysis import Analysis
from experiments.analysis.conclusions import pvalue, widest
from experiments.analysis.differences import Difference
from experiments.statistics.estimates import ALPHA, ROUNDING

PLACEBO, SHUFFLED = "a placebo of the same length", "the note of another game"


@dataclass(frozen=True)
class RoleControls:
    """What the arms of one role, or of several that are removed together, differ by from the baseline."""

    nodes: tuple[str, ...]
    counts: tuple[int, ...]
    """The player counts."""
    removed: Difference | None
    placebo: Difference | None = None
    shuffled: Difference | None = None
    null: Difference | None = None
    """The noise floor: the baseline once more."""
    exact: bool = False
    """Whether programs alone played, which know no chance."""
    beside_placebo: Difference | None = None
    """Of the removal from the placebo, deal by deal."""
    beside_shuffled: Difference | None = None
    beside_null: Difference | None = None

    @property
    def name(self) -> str:
        return " and ".join(self.nodes)

    @property
    def survives(self) -> bool | None:
        """Whether the effect stands against all three controls; False where one is shown to explain it, at least in
        part; None where one was not played or leaves it open, or no effect is shown."""
        if not _shown(self.removed):
            return None
        if any(self._explained()):
            return False
        return None if any(self._missing()) or any(self._open()) else True

    @property
    def sentence(self) -> str:
        """What the role's effect is, and which other readings are left."""
        if self.removed is None:
            return f"{self.name}: it was not removed in any arm, so its controls have no effect to explain."
        if not _shown(self.removed):
            used = [
                name for name, one in (("a placebo", self.placebo), ("a foreign note", self.shuffled)) if _shown(one)
            ]
            more = (
                f" {' and '.join(used).capitalize()} in its place changes the {_what(self.removed)}: its note is read."
                if used
                else ""
            )
            return f"{self.name}: removing it shows no effect{_by(self.removed)}, so there is none to explain.{more}"
        return f"{self.name}: removing it shows an effect{_by(self.removed)}{self._held()}"

    def _held(self) -> str:
        explained, missing, left = list(self._explained()), list(self._missing()), list(self._open())
        if explained:
            return f", which does not survive its controls: {'; '.join(explained)}."
        said = [f"no arm rules out {' or '.join(missing)}"] * bool(missing) + left
        if said:
            return f"; {'; '.join(said)}."
        survives = "which survives its controls: chance, a note of the same length, and any plausible note"
        return f", {survives}.{self._misleading()}"

    def _misleading(self) -> str:
        """That a placebo is no neutral note here, if it is shown to change more than the removal."""
        one, removed = self.beside_placebo, self.removed
        if one is None or removed is None or not _apart(one) or one.mean * removed.mean > 0:
            return ""
        return (
            f" A placebo changes more than the removal{_by(one, own=True)}: its readers take what it says at its word."
        )

    def _missing(self) -> Iterator[str]:
        if self.null is None and not self.exact:
            yield "chance between two runs of one arm"
        if self.placebo is None:
            yield "the length of the prompt"
        if self.shuffled is None:
            yield "that any plausible note would do"

    def _beside(self) -> Iterator[tuple[str, Difference, Difference | None]]:
        """The notes that keep a role's place and take its content away, each with the removal beside it."""
        for said, one, beside in (
            (PLACEBO, self.placebo, self.beside_placebo),
            (SHUFFLED, self.shuffled, self.beside_shuffled),
        ):
            if one is not None:
                yield said, one, beside

    def _explained(self) -> Iterator[str]:
        """The controls that are shown to explain the effect, at least in part."""
        assert self.removed is not None
        if self.null and _apart(self.null):
            yield f"the baseline differs from itself{_by(self.null, own=True)}"
        for said, one, beside in self._beside():
            if not _alike(self.removed, one) and beside and _apart(beside) and beside.mean * self.removed.mean > 0:
                size = f"the removal differs from it{_by(beside, own=True)}"
                yield f"{said} shows no such effect{_by(one)}, and {size}, so not all of it is what the note says"

    def _open(self) -> Iterator[str]:
        """The controls that neither show an effect of their own nor explain it."""
        assert self.removed is not None
        if self.null and not (self.beside_null and _apart(self.beside_null)):
            by = _by(self.beside_null, own=True) if self.beside_null else ""
            yield f"chance is not ruled out, for beside the baseline played once more it is not shown{by}"
        for said, one, beside in self._beside():
            if not _alike(self.removed, one):
                size = _by(beside, own=True) if beside else ""
                yield (
                    f"{said} leaves it open whether it is what the note says: its own effect is not shown{_by(one)}, "
                    f"nor that the removal differs from it{size}"
                )


def _shown(one: Difference | None) -> bool:
    return one is not None and one.claimed


def _alike(removed: Difference, control: Difference) -> bool:
    """Whether the control, which takes only the content away, shows an effect of the same sign."""
    return control.claimed and (control.mean > 0) == (removed.mean > 0)


def _apart(one: Difference) -> bool:
    """Whether a difference that is tested alone is shown."""
    return one.p is not None and one.p < ALPHA


def _what(one: Difference) -> str:
    return "score" if one.metric in ("strict", "kept") else one.metric


def _by(one: Difference, *, own: bool = False) -> str:
    """`own`: with its own p in the place of the corrected one."""
    if one.p is None and one.alike == one.n:
        return " (the same games)"
    p = pvalue(one.p if own or one.p_holm is None else one.p_holm)
    mean = 0.0 if abs(one.mean) < ROUNDING else one.mean
    return f" ({mean:+.2f}{'' if p == '-' else f', p {p}' if p.startswith('<') else f', p = {p}'})"


KINDS = ("removed", "placebo", "shuffled")


def role_controls(found: Analysis, run: Mapping[str, Any]) -> list[RoleControls]:
    """The roles that any arm removes, or whose notes it replaces; none where no role has a control.

    `run`: the contents of run.yaml, which says what each arm is for.
    """
    arms, null = _arms(run)
    exact = bool(found.summaries) and all(one.provenance.only_programs for one in found.summaries)
    return [replace(one, exact=exact) for nodes, of in arms.items() for one in _roles(nodes, of, null, found)]


def contrasts(run: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The pairs of arms to compare: each removal with its controls."""
    arms, null = _arms(run)
    pairs = [
        (of.get("removed"), other) for of in arms.values() for other in (of.get("placebo"), of.get("shuffled"), null)
    ]
    return [(removed, other) for removed, other in pairs if removed and other]


Arms = Mapping[str, str]
"""The arm of each kind."""


def _arms(run: Mapping[str, Any]) -> tuple[Mapping[tuple[str, ...], Arms], str | None]:
    """By the nodes that arms remove or replace: their arms; and the arm that plays the baseline again."""
    purposes = {arm: one["purpose"] for arm, one in (run.get("arms") or {}).items() if one.get("purpose")}
    null = next((arm for arm, one in purposes.items() if one.get("kind") == "null"), None)
    found: dict[tuple[str, ...], dict[str, str]] = {}
    for arm, one in purposes.items():
        if one.get("kind") in KINDS:
            found.setdefault(tuple(one.get("nodes", ())), {})[one["kind"]] = arm
    controlled = null is not None or any(kind != "removed" for of in found.values() for kind in of)
    return (found if controlled else {}), null


def _of(found: Analysis, arm: str | None) -> list[Difference]:
    return widest([one for one in (*found.differences, *found.apart) if one.arm == arm])


def _roles(nodes: tuple[str, ...], arms: Arms, null: str | None, found: Analysis) -> Iterator[RoleControls]:
    """Pooled over player counts, or one for each count."""
    of = {kind: _of(found, arms.get(kind)) for kind in KINDS}
    for at in dict.fromkeys(one.counts for several in of.values() for one in several):
        mine = {kind: _at(several, at) for kind, several in of.items()}
        floor = _at(_of(found, null), at)
        pairs = [one for one in found.contrasts if one.arm == arms.get("removed")]
        beside = (
            _at(widest([one for one in pairs if one.baseline == other]), at)
            for other in (arms.get("placebo"), arms.get("shuffled"), null)
        )
        yield RoleControls(nodes, at, mine["removed"], mine["placebo"], mine["shuffled"], floor, False, *beside)


def _at(found: Sequence[Difference], counts: tuple[int, ...]) -> Difference | None:
    return next((one for one in found if one.counts == counts), None)


def data(found: Sequence[RoleControls]) -> list[dict[str, Any]]:
    """As plain data, with the sentence of each."""
    return [{**asdict(one), "survives": one.survives, "said": one.sentence} for one in found]
