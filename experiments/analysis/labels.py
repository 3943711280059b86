"""Names of arms wherever scores are shown: games without a language model are marked."""

from collections.abc import Iterable, Sequence

from experiments.analysis.differences import Difference
from experiments.analysis.summaries import Summary
from experiments.record.provenance import Provenance

CHEATS = "cheats: sees its own cards"
PRETENDED = Provenance.SIMULATED | Provenance.FAKE_SERVER


def labels(summaries: Iterable[Summary]) -> dict[str, str]:
    """Return the name of each arm: simulated models and the fake server are marked, and programs beside models."""
    summaries = list(summaries)
    arms = provenances(summaries)
    programs = all(each.only_programs for each in arms.values())
    cheating = {each.arm for each in summaries if each.cheats}
    return {
        arm: _marked(arm, () if programs else answerers.labels, cheats=arm in cheating)
        for arm, answerers in arms.items()
    }


def difference_labels(summaries: Sequence[Summary], differences: Iterable[Difference]) -> dict[tuple[str, str], str]:
    """Return by arm and the one it is compared with: the arm's name, marked by what played in either of them."""
    arms, names = provenances(summaries), labels(summaries)
    cheating = {each.arm for each in summaries if each.cheats}
    both = {(d.arm, d.baseline): (arms[d.arm] | arms[d.baseline]) & PRETENDED for d in differences}
    return {
        (arm, baseline): _marked(arm, each.labels, cheats=arm in cheating) if each else names[arm]
        for (arm, baseline), each in both.items()
    }


def provenances(summaries: Iterable[Summary]) -> dict[str, Provenance]:
    """Return who answered in each arm."""
    arms: dict[str, Provenance] = {}
    for summary in summaries:
        arms[summary.arm] = arms.get(summary.arm, Provenance(0)) | summary.provenance
    return arms


def _marked(arm: str, labels: Sequence[str], *, cheats: bool) -> str:
    marks = ", ".join([CHEATS] * cheats + list(labels))
    return f"{arm} ({marks})" if marks else arm
