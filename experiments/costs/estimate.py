"""What a game costs in calls, tokens and money before it is played, and what that estimate rests on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from experiments.costs import measured as measured_costs
from experiments.costs import prompt_probe
from experiments.costs.measured import Finished, Measured
from experiments.costs.prompt_probe import POSITIONS, Asked
from experiments.design.job import Job
from experiments.design.player_spec import PlayerSpec
from experiments.results.rows import Peeked
from orchestrator.errors import UserError
from orchestrator.models import simulated
from orchestrator.models.settings import PROGRAM, REPLAY, ModelSettings, Price, settings
from orchestrator.models.simulated import SimSettings
from orchestrator.players import python_agent

Named = str | ModelSettings | SimSettings

ANSWER = 500
"""Tokens that an answer of a model is taken to have: its fields, with a rating of every move, and some sentences."""
REASONED = {"none": ANSWER, "minimal": 800, "low": 1500, "medium": 4000, "high": 10_000}
"""The same by `reasoning_effort`; what is not listed is taken to be high."""


@dataclass(frozen=True)
class Bill:
    """Of a game, or of many."""

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
        return Bill(self.calls + other.calls, self.tokens_in + other.tokens_in, self.tokens_out + other.tokens_out, usd)

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
    """What it rests on, in words."""


Table = tuple[tuple[tuple[str, int], ...], int]
"""The sitters by key with the past games that they are given, sorted; how many sit there."""


@dataclass
class Estimates:
    """Of the games of an experiment; every table is estimated once."""

    sitters: Mapping[str, PlayerSpec]
    measured: Measured = field(default_factory=Measured)
    answer: int | None = None
    """Tokens of an answer, instead of what is assumed or was measured in other games."""
    _tables: dict[Table, Estimate] = field(default_factory=dict)
    _turns: dict[tuple[str, int, int], Mapping[str, Asked]] = field(default_factory=dict)

    @classmethod
    def of(cls, sitters: Mapping[str, PlayerSpec], games: Iterable[Peeked], answer: int | None = None) -> "Estimates":
        """With the finished games among the journals of run folders. Raises UserError for a wrong `answer`."""
        if answer is not None and answer < 1:
            raise UserError(f"--answer-tokens is {answer}; an answer has at least 1")
        return cls(sitters, Measured.of(games), answer)

    def game(self, job: Job) -> Estimate:
        """What one more game such as this one costs. Raises UserError for a model that cannot be."""
        given = {seat: len(before.games) for seat, before in job.before}
        table = tuple(sorted((key, given.get(seat, 0)) for seat, key in enumerate(job.cast))), job.deal.players
        if table not in self._tables:
            self._tables[table] = self._estimate(table)
        return self._tables[table]

    def paid(self, key: str, players: int) -> dict[str, ModelSettings]:
        """The models of servers that a sitter asks at a player count, by the name that its graph's nodes say."""
        return {name: one for name, model in self._models(key, players).items() if (one := served(model))}

    def models(self, jobs: Iterable[Job]) -> list[ModelSettings]:
        """The models of servers that games ask, each once."""
        tables = {(key, job.deal.players) for job in jobs for key in job.cast}
        found = {one.model_dump_json(): one for table in sorted(tables) for one in self.paid(*table).values()}
        return list(found.values())

    def _models(self, key: str, players: int) -> dict[str, Named]:
        """All models of a sitter's nodes; what is in a node's place already is its own name."""
        config = self.sitters[key].config
        bound: dict[str, Named] = {"default": PROGRAM, **self.sitters[key].models}
        if config is None:
            return {}
        named = dict.fromkeys(node.model for node in config.nodes.values() if players in node.players)
        return {name: bound.get(name, name) for name in named}

    def _estimate(self, table: Table) -> Estimate:
        cast, players = table
        models = {one.model_dump_json(): one for key, _ in cast for one in self.paid(key, players).values()}
        if not models:
            return Estimate(NOTHING, self._nobody(table))
        # a table that was told of past games is another one, and no journal says by a line how many
        alike = [] if any(told for _, told in cast) else self._alike(table)
        return _measured(alike, list(models.values())) if alike else self._pictured(table)

    def _nobody(self, table: Table) -> str:
        """Why nothing is paid for."""
        cast, players = table
        every = [model for key, _ in cast for model in self._models(key, players).values()]
        if any(self.sitters[key].spec.startswith(python_agent.PREFIX) for key, _ in cast):
            return "a Python seat: what it asks is not known"
        return "simulated: no model is asked" if any(map(simulated.settings, every)) else "programs: no model is asked"

    def _alike(self, table: Table) -> Sequence[Finished]:
        if not self.measured.games:
            return []
        cast, players = table
        return self.measured.like([measured_costs.whose(self.sitters[key]) for key, _ in cast], players)

    def _pictured(self, table: Table) -> Estimate:
        """Of prompts, as many as programs' choices call for; every seat has an equal share of the turns."""
        cast, players = table
        turns = prompt_probe.game(players).turns / players
        bills, grounds = [], dict[str, str]()
        for key, told in cast:
            for name, model in self.paid(key, players).items():
                asked = self._turn(key, players, told).get(name, Asked(0.0, 0.0))
                answer, grounds[model.model] = self._answer(model)
                bills.append(_bill(asked, answer, model.price) * turns)
        said = [f"{name}: {ground}" if len(grounds) > 1 else ground for name, ground in grounds.items()]
        return Estimate(total(bills), f"prompt pictures; {', '.join(said)}")

    def _turn(self, key: str, players: int, told: int) -> Mapping[str, Asked]:
        """In a turn of a sitter. The same graph on other models is asked the same."""
        config = self.sitters[key].config
        assert config is not None  # nobody else asks a model
        turn = config.model_dump_json(), players, told
        if turn not in self._turns:
            self._turns[turn] = prompt_probe.turn(config, players, told)
        return self._turns[turn]

    def _answer(self, model: ModelSettings) -> tuple[float, str]:
        """Tokens of an answer, and where that is from."""
        if self.answer is not None:
            return self.answer, f"{self.answer} tokens given per answer"
        if found := self.measured.answer(model):
            return found[0], f"{found[0]:.0f} tokens per answer as in {_games(found[1])}"
        effort = model.reasoning_effort
        assumed = ANSWER if effort is None else REASONED.get(effort, REASONED["high"])
        assumed = min(assumed, model.max_tokens or assumed)
        return assumed, f"{assumed} tokens assumed per answer"


def served(model: Named) -> ModelSettings | None:
    """The settings of a server's model; None where nobody is paid for answers: programs, simulated models, replays."""
    if isinstance(model, SimSettings) or simulated.settings(model):
        return None
    free = isinstance(model, str) and (model == PROGRAM or model.startswith(REPLAY))
    return None if free else settings(model)


def _bill(asked: Asked, answer: float, price: Price | None) -> Bill:
    """Of a turn."""
    tokens_out = asked.calls * answer
    usd = None if price is None else (asked.tokens_in * price.input + tokens_out * price.output) / 1e6
    return Bill(asked.calls, asked.tokens_in, tokens_out, usd)


def _measured(games: Sequence[Finished], models: Sequence[ModelSettings]) -> Estimate:
    bill = Bill(
        fmean(game.result.calls for game in games),
        fmean(game.whole(game.result.tokens_in) for game in games),
        fmean(game.whole(game.result.tokens_out) for game in games),
        measured_costs.usd(games, models),
    )
    return Estimate(bill, _games(len(games)))


def _games(count: int) -> str:
    return "1 finished game" if count == 1 else f"{count} finished games"


def unpriced(models: Iterable[ModelSettings]) -> str | None:
    """How to say what a model costs, when one has no price."""
    lacking = [one.model for one in models if one.price is None]
    if not lacking:
        return None
    said = f"models: {{default: {{model: {lacking[0]}, price: {{input: X, output: Y}}}}}}"
    return (
        f"no price is known of {', '.join(dict.fromkeys(lacking))}: give it in dollars per million tokens, `{said}` in "
        "the experiment or HANABI_PRICE='{input: X, output: Y}'; 0 for a server of your own"
    )


def grounds() -> list[str]:
    """What prompt pictures take for granted, in sentences."""
    lengths = ", ".join(
        f"{turns} at {players}" for players in (2, 3, 4, 5) if (turns := prompt_probe.game(players).turns)
    )
    return [
        f"prompt pictures: the graphs' own prompts at {POSITIONS} positions of a rule players' game, four characters a "
        f"token; a game is taken to have as many turns as that one ({lengths} players)",
        "not counted: unusable answers that are asked again, redos that a model's verdict calls for, what providers "
        "take off for prompts they have cached",
        f"an answer is taken to have {ANSWER} tokens, with reasoning_effort low {REASONED['low']}, medium "
        f"{REASONED['medium']}, high {REASONED['high']}; a model that reasons unasked may need ten times as many: "
        "--answer-tokens says how many, and a finished game in the run's folder or in --from DIR says it better",
    ]
