"""A role's effect beside its controls: with a note that says nothing or is of another game, with as
many calls, by chance.

An arm without a role also has a shorter prompt and fewer calls. A padded note keeps the prompt as
long and says that it is empty; a placebo and a note of another game do so, too, but may mislead
their readers. The baseline played once more shows how far chance alone moves a score.

That one arm shows an effect and another does not is no difference between the two. So an effect
survives where each control shows one itself, and a control explains it only where it and the
removal differ, deal by deal. Else it is open. Controls are tested only where the removal is
claimed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from hanabi_orchestrator.experiments.analysis import sentence_templates as say
from hanabi_orchestrator.experiments.analysis.analysis import OTHER, Analysis
from hanabi_orchestrator.experiments.analysis.compare import corrected
from hanabi_orchestrator.experiments.analysis.conclusions import family, listed, pvalue, widest
from hanabi_orchestrator.experiments.analysis.differences import Difference, alone
from hanabi_orchestrator.experiments.analysis.statistics.estimates import ROUNDING

KINDS = ("removed", "padded", "placebo", "shuffled")
NOTES = {"padded": say.PADDED, "placebo": say.PLACEBO, "shuffled": say.FOREIGN}
"""What stands in the place of a role's note, by the kind of the control."""
SAME_CALLS = 0.98
"""The share of the baseline's calls a turn from which an arm has as many; redos move it by less."""


@dataclass(frozen=True)
class RoleControls:
    """What the arms of one role, or of several that are removed together, differ by from the
    baseline."""

    nodes: tuple[str, ...]
    counts: tuple[int, ...]
    """The player counts."""
    removed: Difference | None
    padded: Difference | None = None
    placebo: Difference | None = None
    shuffled: Difference | None = None
    noise_floor: Difference | None = None
    """The baseline once more."""
    same_compute: Difference | None = None
    """An arm of other roles with as many calls as the baseline."""
    exact: bool = False
    """Whether programs alone played, which know no chance."""
    fewer_calls: bool = False
    """Whether the arm without the role asks models less often a turn than the baseline."""
    contrasts: Mapping[str, Difference] = field(default_factory=dict)
    """The removal's difference from its controls, deal by deal, by their kind; corrected for all
    removals that are claimed, that from the noise floor excepted."""

    @property
    def name(self) -> str:
        return " and ".join(self.nodes)

    @property
    def survives(self) -> bool | None:
        """Whether the effect stands against chance, length, another game's note and, where the arm
        has fewer calls, the number of calls; False where a control is shown to explain it, at least
        in part; None where one was not played or leaves it open, or no effect is shown."""
        if self.removed is None or not self.removed.claimed:
            return None
        if any(self._explained(self.removed)):
            return False
        if any(self._missing()) or any(self._open(self.removed)):
            return None
        return True

    @property
    def clause(self) -> str:
        """What the controls say of a shown effect, in a few words; empty where none is shown."""
        if self.removed is None or not self.removed.claimed:
            return ""
        if self.survives is not None:
            if self.survives:
                return say.CONTROLS_HOLD(explanations=self._explanations)
            return say.CONTROL_EXPLAINS()
        misleading = [name for name in self._alike(self.removed) if name != say.PADDED]
        alike = (
            [say.CONTROLS_ALIKE(notes=listed(misleading), metric=_metric(self.removed))]
            if misleading
            else []
        )
        missing = [*self._missing()]
        if missing:
            rest = say.CONTROLS_MISSING(readings=" or ".join(missing))
        else:
            rest = say.CONTROLS_OPEN()
        return "; ".join([*(alike if say.LENGTH in missing else ()), rest])

    @property
    def sentence(self) -> str:
        """What the role's effect is, and which other readings are left."""
        removed = self.removed
        if removed is None:
            return say.NOT_REMOVED(role=self.name, **self._pronouns)
        if removed.claimed:
            reasons = "; ".join(
                [*self._explained(removed)]
                or [*self._unruled(removed)]
                or [self._survival(removed)]
            )
            return say.REMOVAL_SHOWN(
                role=self.name, effect=_size(removed), reasons=reasons, **self._pronouns
            )
        if removed.testable:
            template = say.REMOVAL_OPEN
        else:
            template = say.REMOVAL_UNTESTED
        if removed.same_games:
            template = say.REMOVAL_SAME
        else:
            template = template
        values = {
            "n": removed.n,
            "units": removed.unit,
            "family": family(removed.tests),
            **self._pronouns,
        }
        return template(role=self.name, effect=_size(removed), **values)

    @property
    def _pronouns(self) -> Mapping[str, str]:
        """How sentences name the role, or the roles, once more."""
        if len(self.nodes) == 1:
            return {"it": "it", "its": "its", "removal": "its removal"}
        return {"it": "them", "its": "their", "removal": "their removal together"}

    @property
    def _notes(self) -> Mapping[str, Difference]:
        """The controls that put another note in the place of the role's, by kind, as far as they
        were played."""
        notes = {"padded": self.padded, "placebo": self.placebo, "shuffled": self.shuffled}
        return {kind: difference for kind, difference in notes.items() if difference is not None}

    @property
    def _explanations(self) -> str:
        """Name what a surviving effect is not explained by, with its verb: `chance and the length
        ... do`."""
        calls = [say.CALLS_SHORT] if self.fewer_calls else []
        names = [*([] if self.exact else [say.CHANCE]), say.LENGTH, *calls]
        return f"{listed(names)} {'does' if len(names) == 1 else 'do'}"

    def _survival(self, removed: Difference) -> str:
        notes = listed(list(self._alike(removed)))
        values = {"explanations": self._explanations, "notes": notes, "metric": _metric(removed)}
        return say.SURVIVES(**values, mislead=say.MISLEAD)

    def _missing(self) -> Iterator[str]:
        """Name the readings that no arm rules out."""
        if self.noise_floor is None and not self.exact:
            yield say.CHANCE
        if self.padded is None:
            yield say.LENGTH
        if self.shuffled is None:
            yield say.ANY_NOTE
        if self.fewer_calls and self.same_compute is None:
            yield say.CALLS

    def _alike(self, removed: Difference) -> Iterator[str]:
        """Name the notes that show an effect in the direction of the removal's."""
        for kind, control in self._notes.items():
            if control.claimed and (control.mean > 0) == (removed.mean > 0):
                yield NOTES[kind]

    def _unlike(self, removed: Difference) -> Iterator[tuple[str, Difference, Difference | None]]:
        """Return the notes that show no such effect, each with the removal beside it."""
        alike = [*self._alike(removed)]
        for kind, control in self._notes.items():
            if NOTES[kind] not in alike:
                yield NOTES[kind], control, self.contrasts.get(kind)

    def _explained(self, removed: Difference) -> Iterator[str]:
        """Name the controls that are shown to explain the effect, at least in part."""
        if self.noise_floor and self.noise_floor.shown_alone:
            yield say.CHANCE_EXPLAINS(effect=_size(self.noise_floor, alone=True))
        for name, control, contrast in self._unlike(removed):
            if contrast and contrast.claimed and contrast.mean * removed.mean > 0:
                yield say.NOTE_EXPLAINS(note=name, effect=_size(control), beside=_size(contrast))

    def _unruled(self, removed: Difference) -> Iterator[str]:
        """Name what no arm rules out, what notes that may mislead show, and the controls that leave
        it open."""
        missing = [*self._missing()]
        misleading = [name for name in self._alike(removed) if name != say.PADDED]
        if misleading and say.LENGTH in missing:
            yield say.CONTROLS_ALIKE(notes=listed(misleading), metric=_metric(removed))
        if missing:
            yield say.RULES_OUT(readings=" or ".join(missing))
        yield from self._open(removed)

    def _open(self, removed: Difference) -> Iterator[str]:
        """Name the controls that neither show an effect of their own nor explain it."""
        contrast = self.contrasts.get("noise_floor")
        if self.noise_floor and not (contrast and contrast.shown_alone):
            yield say.CHANCE_OPEN(beside=_size(contrast, alone=True) if contrast else "")
        for name, control, contrast in self._unlike(removed):
            beside = _size(contrast) if contrast else ""
            yield say.NOTE_OPEN(note=name, effect=_size(control), beside=beside)
        calls = self.same_compute
        if (
            self.fewer_calls
            and calls
            and not (calls.claimed and (calls.mean > 0) == (removed.mean > 0))
        ):
            yield say.CALLS_OPEN(effect=_size(calls))
        more = self.contrasts.get("placebo")
        if (
            self.placebo
            and self.padded is None
            and more
            and more.claimed
            and more.mean * removed.mean < 0
        ):
            yield say.HARMS(metric=_metric(removed), effect=_size(self.placebo))


def _metric(removed: Difference) -> str:
    if removed.metric in OTHER:
        return "score"
    return removed.metric


def _size(difference: Difference, *, alone: bool = False) -> str:
    """Return the mean and its p; `alone`: its own p in the place of the corrected one."""
    if difference.same_games:
        return " (the same games)"
    p = pvalue(difference.p if alone or difference.p_holm is None else difference.p_holm)
    if abs(difference.mean) < ROUNDING:
        mean = 0.0
    else:
        mean = difference.mean
    return f" ({mean:+.2f}{'' if p == '-' else f', p {p}' if p.startswith('<') else f', p = {p}'})"


def role_controls(analysis: Analysis, run: Mapping[str, Any]) -> list[RoleControls]:
    """Return the roles that any arm removes, or whose notes it replaces; none where no role has a
    control.

    They are pooled over player counts, or one for each count. `run`: the contents of run.yaml,
    which says what each arm is for.
    """
    every = (*analysis.differences, *analysis.apart)
    exact = bool(analysis.summaries) and all(
        each.provenance.only_programs for each in analysis.summaries
    )
    noise_floor = _once(run, "noise_floor")
    same_compute = _once(run, "same_compute", analysis.baseline)
    controls = []
    for nodes, arms in _arms(run).items():
        named = {**arms, "noise_floor": noise_floor, "same_compute": same_compute}
        effects = {kind: _by_counts(every, arm) for kind, arm in named.items() if arm}
        removed = arms.get("removed")
        pairs = [each for each in analysis.contrasts if each.arm == removed]
        from_each = {}
        for kind, arm in named.items():
            if arm:
                from_each[kind] = _by_counts(pairs, arm, as_baseline=True)
        for counts in dict.fromkeys(chain.from_iterable(effects[kind] for kind in arms)):
            at = {}
            for kind, differences in effects.items():
                if counts in differences:
                    at[kind] = differences[counts]
            pairs_at = {}
            for kind, differences in from_each.items():
                if counts in differences:
                    pairs_at[kind] = differences[counts]
            removal = at.pop("removed", None)
            fewer = removed is not None and _fewer_calls(analysis, removed)
            role = RoleControls(
                nodes, counts, removal, **at, exact=exact, fewer_calls=fewer, contrasts=pairs_at
            )
            controls.append(role)
    return _corrected(controls)


def _corrected(controls: Sequence[RoleControls]) -> list[RoleControls]:
    """Return them with the removals' differences from notes corrected together, of those removals
    that are claimed."""
    places = []
    for number, role in enumerate(controls):
        for kind in role.contrasts:
            if kind in NOTES and role.removed is not None and role.removed.claimed:
                places.append((number, kind))
    ps = corrected([controls[number].contrasts[kind].p for number, kind in places])
    tests = sum(p is not None for p in ps)
    pairs = [{**role.contrasts} for role in controls]
    for (number, kind), p in zip(places, ps, strict=True):
        pairs[number][kind] = alone(pairs[number][kind], p, tests)
    replaces = list[RoleControls]()
    for role, contrasts in zip(controls, pairs, strict=True):
        replaces.append(replace(role, contrasts=contrasts))
    return replaces


def _by_counts(
    differences: Sequence[Difference], arm: str, *, as_baseline: bool = False
) -> Mapping[tuple[int, ...], Difference]:
    """Return the widest differences of an arm, or of those from it, by player counts."""
    of_arm = []
    for each in differences:
        if arm == (each.baseline if as_baseline else each.arm):
            of_arm.append(each)
    return {each.counts: each for each in widest(of_arm)}


def _fewer_calls(analysis: Analysis, arm: str) -> bool:
    """Return whether an arm asks models less often a turn than the baseline."""
    calls = {
        each.arm: (each.means["calls"] or 0.0) / (each.means["turns"] or 1.0)
        for each in analysis.summaries
    }  # the last of an arm is pooled
    return calls.get(arm, 0.0) < SAME_CALLS * calls.get(analysis.baseline or "", 0.0)


def contrasts(run: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the pairs of arms to compare: each removal with its controls."""
    noise_floor = _once(run, "noise_floor")
    pairs = []
    for arms in _arms(run).values():
        for control in (*(arms.get(kind) for kind in NOTES), noise_floor):
            pairs.append((arms.get("removed"), control))
    return [(removed, control) for removed, control in pairs if removed and control]


def gates(run: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the controls of notes with the arm that removes the same nodes, where there is one."""
    gates = {}
    for arms in _arms(run).values():
        for kind in NOTES:
            if "removed" in arms and kind in arms:
                gates[arms[kind]] = arms["removed"]
    return gates


def _once(run: Mapping[str, Any], kind: str, of: str | None = None) -> str | None:
    """Return the arm of a kind that a run has once; `of`: the arm that it is matched to."""
    for arm, entry in (run.get("arms") or {}).items():
        purpose = entry.get("purpose") or {}
        if purpose.get("kind") == kind and purpose.get("of") == of:
            return str(arm)
    return None


def _arms(run: Mapping[str, Any]) -> Mapping[tuple[str, ...], Mapping[str, str]]:
    """Return the arms of each kind by the nodes that they remove or replace; none where there is no
    control."""
    purposes = {}
    for arm, entry in (run.get("arms") or {}).items():
        if entry.get("purpose"):
            purposes[arm] = entry["purpose"]
    nodes: dict[tuple[str, ...], dict[str, str]] = {}
    for arm, purpose in purposes.items():
        if purpose.get("kind") in KINDS:
            nodes.setdefault(tuple(purpose.get("nodes", ())), {})[purpose["kind"]] = arm
    others = set(chain.from_iterable(nodes.values())) - {"removed"}
    if others or _once(run, "noise_floor") is not None:
        return nodes
    return {}
