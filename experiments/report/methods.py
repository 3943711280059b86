"""What a paper states of a run: when, by what, on which design, by which test; as a paragraph and
as plain data."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from hanabi_orchestrator.experiments.analysis import stopping
from hanabi_orchestrator.experiments.analysis.conclusions import widest
from hanabi_orchestrator.experiments.analysis.differences import Difference
from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.provenance import Provenance
from hanabi_orchestrator.experiments.record.software import STATISTICS, software
from hanabi_orchestrator.experiments.report import run_facts
from hanabi_orchestrator.experiments.report.coalition_tables import TITLES
from hanabi_orchestrator.experiments.report.run_data import RunData
from hanabi_orchestrator.experiments.study.manifest import PLANNED, SOFTWARE
from hanabi_orchestrator.experiments.study.notes import spans
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM
from hanabi_orchestrator.orchestrator.models.simulated_settings import is_simulated
from hanabi_orchestrator.prompts import digest
from hanabi_orchestrator.roles.words import many

NAMED = 6
"""Graphs whose prompt hash a paragraph names; run.yaml has all."""


def stated(data: RunData) -> dict[str, Any]:
    """Return the facts as run.yaml and `--json` hold them; what is not known is left out."""
    run = data.run
    tested = any(effect.p is not None for effect in data.analysis.differences)
    facts = {
        **dates(data),
        "games": len(data.rows),
        "planned_games": run_folder.games(run),
        "planned": [dict(size) for size in run.get(PLANNED) or ()],
        "played_by": [dict(each) for each in run.get(SOFTWARE) or ()],
        "analysed_by": dict(software()),
        "metric": data.headline.metric,
        "baseline": data.analysis.baseline,
        "test": of_table(data, "differences") if tested else None,
        "coalitions": of_coalitions(data),
        "contrasts": of_contrasts(data),
        "intervals": of_table(data, "arms"),
        "models": models(data),
        "prompts": prompt_hashes(run),
        "exclusions": list(exclusions(data)),
    }
    return {key: fact for key, fact in facts.items() if fact not in run_facts.EMPTY}


def paragraph(data: RunData) -> str:
    """Return the paragraph."""
    return " ".join(_sentences(data, stated(data)))


def _sentences(data: RunData, facts: Mapping[str, Any]) -> Iterator[str]:
    deals = many(len({row.seed for row in data.rows}), "deal")
    design = (
        f"{many(len(data.rows), 'game')} of {many(len(data.arms), 'arm')} on {deals}, "
        f"{spans(data.players())} players"
    )
    were = "was" if len(data.rows) == 1 else "were"
    yield f"{design}, {were} played{_when(facts)}{_by(facts.get('played_by', ()))}."
    if planned := facts.get("planned"):
        most = "at most " if data.analysis.stopped else ""
        yield f"Planned: {most}{'; then '.join(map(_size, planned))}."
    yield f"Models: {'; '.join(_model(data, name, ids) for name, ids in facts['models'].items())}."
    if hashes := facts.get("prompts"):
        named = ", ".join(
            f"{graph} {text_hash}" for graph, text_hash in list(hashes.items())[:NAMED]
        )
        if len(hashes) > NAMED:
            more = f" and {len(hashes) - NAMED} more in run.yaml"
        else:
            more = ""
        yield f"Hashes of the texts of all prompts of a graph: {named}{more}."
    if data.analysis.differences:
        test = facts.get("test", "No test was made.")
        baseline = facts["baseline"]
        yield f"Arms are compared with {baseline} by the metric *{facts['metric']}*. {test}"
    for key in ("coalitions", "contrasts"):
        if key in facts:
            yield facts[key]
    yield facts["intervals"]
    statistics = facts["analysed_by"]
    libraries = " and ".join(f"{name} {statistics[name]}" for name in STATISTICS)
    yield f"Computed with {libraries} under Python {statistics['python']}."
    if "exclusions" in facts:
        yield "Excluded: " + " ".join(facts["exclusions"])
    else:
        yield "No game was excluded."


def _size(size: Mapping[str, Any]) -> str:
    """Return a planned size with its day, and how many deals of the last one were finished when it
    was planned."""
    repeats = int(size["repeats"])
    times = f", each {repeats} times" if repeats > 1 else ""
    arms = f"{many(len(size['arms']), 'arm')} on {many(int(size['deals']), 'deal')}{times}"
    if "finished" in size:
        known = f", when {many(int(size['finished']), 'deal')} were finished"
    else:
        known = ""
    return f"{arms}, {spans(size['players'])} players ({str(size['date'])[:10]}{known})"


def _when(facts: Mapping[str, Any]) -> str:
    """Return the days of the first and the last game."""
    first, last = (str(facts.get(key, ""))[:10] for key in ("first_game", "last_game"))
    if not first:
        return ""
    if first == last:
        return f" on {first} (UTC)"
    return f" from {first} to {last} (UTC)"


def _by(played_by: Iterable[Mapping[str, str]]) -> str:
    """Return the programs, systems and Pythons that played."""
    words = [_software(each) for each in played_by]
    if words:
        return f" by {', then by '.join(words)}"
    return ""


def _software(facts: Mapping[str, str]) -> str:
    commit = facts.get("commit", "")
    wheel = facts.get("wheel")
    if commit.endswith("-dirty"):
        changed = " with local changes"
    else:
        changed = ""
    if commit:
        source = f"commit {commit.removesuffix('-dirty')}{changed}"
    elif wheel:
        source = f"files {wheel}"
    else:
        source = ""
    program = facts.get("program", "")
    return (
        f"{program}{f' ({source})' if source else ''} under Python {facts.get('python')} on "
        f"{facts.get('system')}"
    )


def _model(data: RunData, name: str, ids: Sequence[str]) -> str:
    """Return a model's name, marked where it is no language model, with the ids that answered for
    it."""
    if name == PROGRAM:
        return "programs"
    fake = any(row.fake for row in data.rows if name in row.model.split("+"))
    marks = ", ".join(Provenance.of_models(name, fake=fake and not is_simulated(name)).labels)
    label = f"{name} ({marks})" if marks else name
    if ids:
        return f"{label}, answered as {', '.join(ids)}"
    return label


def dates(data: RunData) -> dict[str, str]:
    """Return when the first game began and the last one ended, in UTC; nothing without journals."""
    spans_of_games = list(_stamps(data))
    if not spans_of_games:
        return {}
    first = min(began for began, _ in spans_of_games)
    last = max(ended for _, ended in spans_of_games)
    return {"first_game": _utc(first), "last_game": _utc(last)}


def _stamps(data: RunData) -> Iterator[tuple[datetime, datetime]]:
    """Yield when each game began and ended, of those whose journals can be read and say so."""
    for row in data.rows:
        path = data.path(row)
        try:
            game = data.journals.get(path) or (Game.open(path) if path.exists() else None)
        except UserError:
            continue
        if game and game.began and game.ended:
            yield game.began, game.ended


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def models(data: RunData) -> dict[str, list[str]]:
    """Return the models by name, each with the ids by which servers said that they answered."""
    ids: dict[str, list[str]] = {}
    for row in data.rows:
        for name in row.model.split("+"):
            ids[name] = sorted(data.answerers[name].ids) if name in data.answerers else []
    return ids or {PROGRAM: []}


def prompt_hashes(run: Mapping[str, Any]) -> dict[str, str]:
    """Return by graph one hash of the texts of all its prompts, each of which run.yaml has by its
    own hash."""
    hashes = dict[str, str]()
    for seat in (run.get("seats") or {}).values():
        if texts := seat.get("prompts"):
            hashes[str(seat.get("graph"))] = digest(json.dumps(texts, sort_keys=True))
    return hashes


def exclusions(data: RunData) -> Iterator[str]:
    """Yield what is in no comparison, in sentences."""
    yield from run_facts.missing(data)
    if withheld := data.analysis.withheld:
        yield (
            f"{', '.join(withheld)}: too few moves are the model's own, so the arm is compared "
            "with none."
        )
    for effect in widest(data.analysis.differences):
        if effect.left_out:
            games = many(effect.left_out, "game")
            yield (
                f"{effect.arm}: {games} without a counterpart of the same deal, left out of its "
                "difference."
            )


def of_table(data: RunData, key: str) -> str:
    """Return how the intervals of means (`arms`), or the differences, are tested and corrected."""
    analysis = data.analysis
    if key == "arms":
        if analysis.interval == "bootstrap":
            method = "percentile bootstrap"
        else:
            method = "Student's t"
        return f"Intervals by {method} over deals."
    alone = all(effect.unit == "repeats" for effect in analysis.differences)
    if alone:
        kind = "permutation test of repeats"
    else:
        kind = "sign-flip permutation test, paired by deal"
    if any(effect.stop for effect in analysis.differences):
        kind = (
            "group-sequential sign-flip test, paired by deal, spending of the O'Brien-Fleming type"
        )
    test = f"p: two-sided {kind} ({_draws(analysis.differences)})"
    if analysis.stopped is None:
        tests = len(
            {
                (effect.arm, effect.baseline)
                for effect in analysis.differences
                if effect.p is not None
            }
        )
        if tests == 1:
            return f"{test}."
        return f"{test}, with Holm's correction for all arms ({tests})."
    looks = "; ".join(stopping.sentences(analysis.stopped)).replace(".;", ";")
    arms = len(analysis.stopped.rule.arms)
    corrected = f", with Bonferroni's correction for {arms} arms" if arms > 1 else ""
    return f"{test}, valid at every look{corrected}. {looks}"


def of_coalitions(data: RunData) -> str | None:
    """Return how the terms of a design of coalitions are tested; None without such terms."""
    study = data.coalitions
    if study is None or not study.effects:
        return None
    parts = study.design.names
    terms = [effect.difference for effect in study.effects]
    if len(parts) > 1:
        corrected = (
            f", with Holm's correction within each kind of term; the primary kind, named before "
            f"the run: {TITLES[study.design.primary]}"
        )
    else:
        corrected = ""
    return (
        f"Design of coalitions of {', '.join(parts)} (absent: {', '.join(study.absences)}), by the "
        f"metric *{data.headline.metric}*. {_combined('of a term', terms)}{corrected}."
    )


def of_contrasts(data: RunData) -> str | None:
    """Return how the combinations of arms are tested that the experiment names; None without."""
    if not data.own_contrasts:
        return None
    tests = max(contrast.tests for contrast in data.own_contrasts)
    corrected = f", with Holm's correction for {tests}" if tests > 1 else ""
    named = many(len(data.own_contrasts), "contrast")
    tested = _combined("of a contrast", data.own_contrasts)
    return (
        f"{named} named in the file, by the metric *{data.headline.metric}*. {tested}{corrected}."
    )


def _combined(what: str, differences: Sequence[Difference]) -> str:
    """Return the test of sums of arms that are weighted deal by deal."""
    if all(difference.p is None for difference in differences):
        return "No test was made"
    kind = f"sign-flip permutation test of the weighted sums {what}, deal by deal"
    return f"p: two-sided {kind} ({_draws(differences)})"


def _draws(differences: Sequence[Difference]) -> str:
    """Return `exact`, the number of random relabellings, or both."""
    draws = {difference.draws for difference in differences if difference.p is not None}
    words = ["exact"] if None in draws or not draws else []
    if random := [number for number in draws if number is not None]:
        words.append(f"{max(random):,} draws")
    return " or ".join(words)
