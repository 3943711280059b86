"""A role's effect beside its controls: without the role, with a placebo, with notes of another game, and by chance.

An arm without a role also has a shorter prompt and fewer calls. A placebo keeps the prompt as long, a shuffled note
keeps its kind of content, and the baseline played once more shows how far chance alone moves a score.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from experiments.statistics.analysis import Analysis
from experiments.statistics.conclusions import pvalue, widest
from experiments.statistics.differences import Difference
from experiments.statistics.power import ALPHA


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

    @property
    def name(self) -> str:
        return " and ".join(self.nodes)

    @property
    def survives(self) -> bool | None:
        """Whether the effect stands against all three controls; None where one was not played, or nothing is shown."""
        if any(self._missing()) or not _shown(self.removed):
            return None
        return not any(self._doubts())

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
                f" {' and '.join(used).capitalize()} in its place changes the score: its note is read." if used else ""
            )
            return f"{self.name}: removing it shows no effect{_by(self.removed)}, so there is none to explain.{more}"
        doubts, missing = list(self._doubts()), list(self._missing())
        effect = f"{self.name}: removing it shows an effect{_by(self.removed)}"
        if doubts:
            return f"{effect}, which does not survive its controls: {'; '.join(doubts)}."
        if missing:
            return f"{effect}; no arm rules out {' or '.join(missing)}."
        survives = "which survives its controls: chance, a note of the same length, and any plausible note"
        return f"{effect}, {survives}.{self._misleading()}"

    def _misleading(self) -> str:
        """That a placebo is no neutral note here, if it costs clearly more than the removal."""
        assert self.removed is not None and self.placebo is not None
        high = self.placebo.high
        if self.removed.mean >= 0 or high is None or high >= self.removed.mean:
            return ""
        return " A placebo costs more than the removal: its readers take what it says at its word."

    def _missing(self) -> Iterator[str]:
        if self.null is None and not self.exact:
            yield "chance between two runs of one arm"
        if self.placebo is None:
            yield "the length of the prompt"
        if self.shuffled is None:
            yield "that any plausible note would do"

    def _doubts(self) -> Iterator[str]:
        """The other readings that the controls leave."""
        assert self.removed is not None
        if self.null and self.null.low is not None and self.null.high is not None:
            if (self.null.p or 1) < ALPHA:
                yield f"the baseline differs from itself{_by(self.null)}"
            elif self.null.low <= self.removed.mean <= self.null.high:
                yield f"chance alone may do as much ({self.null.low:+.2f} to {self.null.high:+.2f})"
        for said, one in (
            ("a placebo of the same length", self.placebo),
            ("the note of another game", self.shuffled),
        ):
            if one is not None and not _alike(self.removed, one):
                yield f"{said} shows no such effect{_by(one)}, so what the note says is not shown to matter"


def _shown(one: Difference | None) -> bool:
    return one is not None and one.claimed


def _alike(removed: Difference, control: Difference) -> bool:
    """Whether the control, which takes only the content away, shows an effect of the same sign."""
    return control.claimed and (control.mean > 0) == (removed.mean > 0)


def _by(one: Difference) -> str:
    if one.p is None and one.alike == one.n:
        return " (the same games)"
    p = pvalue(one.p if one.p_holm is None else one.p_holm)
    return f" ({one.mean:+.2f}{'' if p == '-' else f', p {p}' if p.startswith('<') else f', p = {p}'})"


KINDS = ("removed", "placebo", "shuffled")


def role_controls(found: Analysis, run: Mapping[str, Any]) -> list[RoleControls]:
    """The roles that any arm removes, or whose notes it replaces; none where no role has a control.

    `run`: the contents of run.yaml, which says what each arm is for.
    """
    purposes = {arm: one["purpose"] for arm, one in (run.get("arms") or {}).items() if one.get("purpose")}
    arms = {
        (one["kind"], tuple(one.get("nodes", ()))): arm for arm, one in purposes.items() if one.get("kind") in KINDS
    }
    named = list(dict.fromkeys(nodes for _, nodes in arms))
    null = next((arm for arm, one in purposes.items() if one.get("kind") == "null"), None)
    if null is None and not any(kind != "removed" for kind, _ in arms):
        return []
    made = list[RoleControls]()
    exact = bool(found.summaries) and all(one.program for one in found.summaries)
    for nodes in named:
        of = {kind: _of(found, arms.get((kind, nodes))) for kind in KINDS}
        made += (replace(one, exact=exact) for one in _roles(nodes, of, _of(found, null)))
    return made


def _of(found: Analysis, arm: str | None) -> list[Difference]:
    return widest([one for one in (*found.differences, *found.apart) if one.arm == arm])


def _roles(
    nodes: tuple[str, ...], of: Mapping[str, Sequence[Difference]], null: Sequence[Difference]
) -> Iterator[RoleControls]:
    """Pooled over player counts, or one for each count."""
    counts = dict.fromkeys(one.counts for several in of.values() for one in several)
    for at in counts:
        mine = {kind: next((one for one in several if one.counts == at), None) for kind, several in of.items()}
        floor = next((one for one in null if one.counts == at), None)
        yield RoleControls(nodes, at, mine["removed"], mine["placebo"], mine["shuffled"], floor)


def data(found: Sequence[RoleControls]) -> list[dict[str, Any]]:
    """As plain data, with the sentence of each."""
    return [{**asdict(one), "survives": one.survives, "said": one.sentence} for one in found]
