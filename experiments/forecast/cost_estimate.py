"""Estimates of what a game costs in calls, tokens and money before it is played, and what they are
based on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from statistics import fmean

from hanabi_orchestrator.experiments.forecast import measured
from hanabi_orchestrator.experiments.forecast.measured import Measured
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.study import prompt_positions
from hanabi_orchestrator.experiments.study.file_schema import Model
from hanabi_orchestrator.experiments.study.job import Job
from hanabi_orchestrator.experiments.study.prompt_positions import POSITIONS, TurnLoad
from hanabi_orchestrator.experiments.study.seat_spec import PlayerSpec
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models import list_prices, simulated_settings
from hanabi_orchestrator.orchestrator.models.list_prices import price_of
from hanabi_orchestrator.orchestrator.models.price import Price
from hanabi_orchestrator.orchestrator.models.settings import (
    PROGRAM,
    REPLAY,
    ModelSettings,
    settings,
)
from hanabi_orchestrator.orchestrator.models.simulated_settings import SimSettings
from hanabi_orchestrator.orchestrator.players import python_agent
from hanabi_orchestrator.roles.words import many

ANSWER = 500
"""Assumed tokens of a response: its fields, with a rating of every move, and some sentences."""
REASONED = {"none": ANSWER, "minimal": 800, "low": 1500, "medium": 4000, "high": 10_000}
"""The same by `reasoning_effort`; values that are not listed count as high."""
PROBED = "prompt probe"
"""The first words of the basis of an estimate without measurements."""


@dataclass(frozen=True)
class Bill:
    """The cost of a game, or of many."""

    calls: float = 0.0
    tokens_in: float = 0.0
    tokens_out: float = 0.0
    usd: float | None = 0.0
    """None when a price is not known."""

    @property
    def tokens(self) -> float:
        return self.tokens_in + self.tokens_out

    def __add__(self, other: "Bill") -> "Bill":
        usd = None if self.usd is None or other.usd is None else self.usd + other.usd
        return Bill(
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            usd,
        )

    def __mul__(self, times: float) -> "Bill":
        usd = self.usd if self.usd is None else self.usd * times
        return Bill(self.calls * times, self.tokens_in * times, self.tokens_out * times, usd)


NOTHING = Bill()


def total(bills: Iterable[Bill]) -> Bill:
    return sum(bills, NOTHING)


@dataclass(frozen=True)
class Estimate:
    bill: Bill
    """Of one game."""
    basis: str
    """What the estimate is based on, in words."""


Lineup = tuple[tuple[tuple[str, int], ...], int]
"""The seats, each as the key of its spec and how many past games it is shown, sorted; and the
player count."""


@dataclass
class Estimates:
    """Estimates for the games of an experiment; every lineup is estimated once."""

    specs: Mapping[str, PlayerSpec]
    measured: Measured = field(default_factory=Measured)
    answer: int | None = None
    """Tokens of a response, instead of an assumption or a measurement."""
    _lineups: dict[Lineup, Estimate] = field(default_factory=dict)
    """The estimates so far."""
    _turns: dict[tuple[str, int, int], Mapping[str, TurnLoad]] = field(default_factory=dict)
    """By graph, player count and past games shown, the load of a turn on each model, by the name
    that nodes use."""

    @classmethod
    def prepare(
        cls, specs: Mapping[str, PlayerSpec], games: Mapping[Path, Game], answer: int | None = None
    ) -> "Estimates":
        """Return estimates with the journals of run folders as measurements. Raises UserError."""
        if answer is not None and answer < 1:
            raise UserError(f"--answer-tokens is {answer}; a response has at least 1 token")
        return cls(specs, Measured.select(games), answer)

    def game(self, job: Job) -> Estimate:
        """Return the cost of one more game like this one. Raises UserError for an impossible
        model."""
        records = {seat: len(games.games) for seat, games in job.records}
        lineup = (
            tuple(sorted((key, records.get(seat, 0)) for seat, key in enumerate(job.lineup))),
            job.deal.players,
        )
        if lineup not in self._lineups:
            self._lineups[lineup] = self._estimate(lineup)
        return self._lineups[lineup]

    def paid(self, key: str, players: int) -> dict[str, ModelSettings]:
        """Return the models on servers that a player, by the key of its spec, asks at a player
        count; by name."""
        paids = dict[str, ModelSettings]()
        for name, model in self._models(key, players).items():
            if paid := served(model):
                paids[name] = paid
        return paids

    def models(self, jobs: Iterable[Job]) -> list[ModelSettings]:
        """Return the models on servers that games ask, each once."""
        players = set()
        for job in jobs:
            for key in job.lineup:
                players.add((key, job.deal.players))
        models = chain.from_iterable(
            self.paid(key, count).values() for key, count in sorted(players)
        )
        return list({model.model_dump_json(): model for model in models}.values())

    def _models(self, key: str, players: int) -> dict[str, Model]:
        """Return all models of a player's nodes by name; a name that is not bound stands for
        itself."""
        config = self.specs[key].config
        bound: dict[str, Model] = {"default": PROGRAM, **self.specs[key].models}
        if config is None:
            return {}
        named = dict.fromkeys(
            node.model for node in config.nodes.values() if players in node.players
        )
        return {name: bound.get(name, name) for name in named}

    def _estimate(self, lineup: Lineup) -> Estimate:
        seats, players = lineup
        specs = [self.specs[key] for key, _ in seats]
        paid = {}
        for key, _ in seats:
            for model in self.paid(key, players).values():
                paid[model.model_dump_json()] = model
        if not paid:
            every = list[Model]()
            for key, _ in seats:
                every.extend(self._models(key, players).values())
            if any(spec.spec.startswith(python_agent.PREFIX) for spec in specs):
                return Estimate(NOTHING, "a Python seat: its calls are not known")
            simulated = any(map(simulated_settings.settings, every))
            return Estimate(
                NOTHING, f"{'simulated' if simulated else 'programs'}: no model is asked"
            )
        # the first and the last line of a journal do not say how many past games were shown: no
        # measurements then
        games = () if any(records for _, records in seats) else self.measured.like(specs, players)
        if not games:
            return self._probed(lineup)
        bill = Bill(
            fmean(game.result.calls for game in games),
            fmean(game.extrapolated(game.result.tokens_in) for game in games),
            fmean(game.extrapolated(game.result.tokens_out) for game in games),
            measured.usd(games, list(paid.values())),
        )
        return Estimate(bill, many(len(games), "finished game"))

    def _probed(self, lineup: Lineup) -> Estimate:
        """Estimate from the prompts of a probe; every seat has an equal share of the turns."""
        seats, players = lineup
        turns = prompt_positions.game(players).turns / players
        bills = []
        sources = dict[str, str]()
        for key, records in seats:
            for name, model in self.paid(key, players).items():
                config = self.specs[key].config
                assert config is not None  # only graphs ask models
                # the same for the same graph on other models
                turn_key = config.model_dump_json(), players, records
                if turn_key not in self._turns:
                    self._turns[turn_key] = prompt_positions.turn_load(config, players, records)
                load = self._turns[turn_key].get(name, TurnLoad(0.0, 0.0))
                answer, sources[model.model] = self._answer(model)
                if density := self.measured.density(model):
                    load = TurnLoad(load.calls, load.tokens_in * density[0])
                    sources[model.model] += f", prompts as the server counted them in {density[1]}"
                bills.append(bill_of(load, answer, price_of(model)) * turns)
        answers = []
        for name, source in sources.items():
            answers.append(f"{name}: {source}" if len(sources) > 1 else source)
        return Estimate(total(bills), f"{PROBED}; {', '.join(answers)}")

    def _answer(self, model: ModelSettings) -> tuple[float, str]:
        """Return the tokens of a response, and where the number is from."""
        if self.answer is not None:
            return self.answer, f"{self.answer} tokens given per response"
        if mean := self.measured.answer(model):
            return mean[0], f"{mean[0]:.0f} tokens per response as in {mean[1]}"
        assumed = assumed_answer(model)
        return assumed, f"{assumed} tokens assumed per response"


def served(model: Model) -> ModelSettings | None:
    """Return the settings of a model on a server; None for what costs nothing: programs, simulated
    models, replays."""
    if isinstance(model, SimSettings) or simulated_settings.settings(model):
        return None
    free = isinstance(model, str) and (model == PROGRAM or model.startswith(REPLAY))
    if free:
        return None
    return settings(model)


def assumed_answer(model: ModelSettings) -> int:
    """Return the tokens that a response is assumed to have, reasoning included."""
    effort = model.reasoning_effort
    if effort is None:
        assumed = ANSWER
    else:
        assumed = REASONED.get(effort, REASONED["high"])
    return min(assumed, model.max_tokens or assumed)


def bill_of(load: TurnLoad, answer: float, price: Price | None) -> Bill:
    """Return the cost of a load, with responses of so many tokens."""
    tokens_out = load.calls * answer
    usd = (
        None if price is None else (load.tokens_in * price.input + tokens_out * price.output) / 1e6
    )
    return Bill(load.calls, load.tokens_in, tokens_out, usd)


def about_prices(models: Sequence[ModelSettings]) -> list[str]:
    """Say that prices are estimates, and how to give the price of a model that has none, as far as
    needed."""
    sentences = [caution] if (caution := list_prices.caution(models)) else []
    if lacking := [model.model for model in models if price_of(model) is None]:
        example = f"models: {{default: {{model: {lacking[0]}, price: {{input: X, output: Y}}}}}}"
        sentences.append(
            f"no price is known for {', '.join(dict.fromkeys(lacking))}: give it in dollars per "
            f"million tokens, `{example}` in the experiment or HANABI_PRICE='{{input: X, output: "
            "Y}'; 0 for a server of your own"
        )
    return sentences


ASSUMPTIONS_IN_BRIEF = (
    f"{PROBED}: retries are left out, the length of responses is assumed; --answer-tokens, or a "
    "finished game (--from DIR), says better (docs/running.md)"
)
"""The assumptions on one line; `assumptions` has them in full."""


def assumptions() -> list[str]:
    """Say what estimates by a prompt probe assume, in sentences."""
    lengths = ", ".join(
        f"{prompt_positions.game(players).turns} at {players}" for players in (2, 3, 4, 5)
    )
    return [
        f"{PROBED}: the graphs' own prompts at {POSITIONS} positions of a game of rule players, "
        "at 3.2 characters a token unless calls of the model say better; every game is assumed "
        f"to last as many turns as that one ({lengths} players)",
        "not included: retries after unusable responses, redos after a model's verdict, and "
        "providers' discounts for cached prompts",
        f"a response is assumed to have {ANSWER} tokens, with reasoning_effort low "
        f"{REASONED['low']}, medium {REASONED['medium']}, high {REASONED['high']}; a model that "
        "reasons by default may need ten times as many. Give the number with --answer-tokens, "
        "or, better, a finished game in the run's folder or in --from DIR",
    ]
