"""Whole games as rollouts of TRL's `GRPOTrainer` (tested with trl 1.16):

    games = Rollouts(LearningGames("compact", seats=["1=partner:piers"]))
    deals = Dataset.from_list(games.rows(range(20001, 20101)))
    GRPOTrainer(model, games.reward, train_dataset=deals,
                rollout_func=games, args=GRPOConfig(num_generations=8, ...))

A row of a group is a decision in a game of the group's deal, with the prompt of the table, so that
the trained model is the one that later plays. TRL's `environment_factory` would offer the moves as
tools, which is another prompt.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hanabi_orchestrator.experiments.tasks.games.learning_games import LearningGames, Sample
from hanabi_orchestrator.orchestrator import event_loop
from hanabi_orchestrator.orchestrator.models.request import (
    Key,
    Message,
    ModelRequest,
    ModelResponse,
)

DEAL = "deal "


@dataclass(frozen=True)
class Rollouts:
    """A `rollout_func` in one process; all games of a batch are played together, each step one
    batch of prompts."""

    games: LearningGames
    decisions: int = 1
    """How many responses of a game are trained on, drawn at random: a group of 32 rows with 4 has 8
    games."""

    @staticmethod
    def rows(seeds: Iterable[int]) -> list[dict[str, str]]:
        """Return the rows of a training set: a deal each."""
        return [{"prompt": f"{DEAL}{seed}"} for seed in seeds]

    @staticmethod
    def reward(
        completions: Sequence[Any], *, sample: Sequence[Sample], log_metric: Any, **_: Any
    ) -> list[float]:
        """Return the rewards of the drawn responses, for `reward_funcs`; logs the shares of usable
        and legal ones."""
        for name in sample[0].metrics:
            log_metric(name, sum(response.metrics[name] for response in sample) / len(sample))
        return [response.reward for response in sample]

    def __call__(self, prompts: Sequence[str], trainer: Any) -> dict[str, list[Any] | None]:
        """Return the tokens and the reward of a row for each prompt, in order."""
        return event_loop.run(
            self._columns(prompts, trainer), "a cell of a notebook has a loop: train in a script"
        )

    async def _columns(self, prompts: Sequence[str], trainer: Any) -> dict[str, list[Any] | None]:
        games = []
        for deal, rows_of_deal in Counter(prompts).items():
            games += [deal] * -(-rows_of_deal // self.decisions)
        batch = _Batch(trainer, playing=len(games))
        chance = random.Random(f"{trainer.state.global_step} {games}")
        played = await asyncio.gather(*(self._played(deal, batch) for deal in games))
        rows: dict[str, list[_Row]] = {}
        for deal, row_of in zip(games, played, strict=True):
            size = self.decisions
            rows.setdefault(deal, []).extend(
                chance.sample(row_of, size)
                if len(row_of) >= size
                else chance.choices(row_of, k=size)
            )
        ordered = [rows[deal].pop(0) for deal in prompts]
        tokens = [tokens for _, tokens in ordered]
        return {
            "prompt_ids": [response_tokens.prompt_ids for response_tokens in tokens],
            "completion_ids": [response_tokens.completion_ids for response_tokens in tokens],
            "logprobs": None
            if tokens[0].logprobs is None
            else [response_tokens.logprobs for response_tokens in tokens],
            "sample": [sample for sample, _ in ordered],
        }

    async def _played(self, deal: str, batch: "_Batch") -> "list[_Row]":
        """Play a game and return its responses with their tokens."""
        player = _Player(batch)
        game = await self.games.play(int(deal.removeprefix(DEAL)), lambda _: player)
        batch.leave()
        return [(sample, player.tokens[sample.call.key]) for sample in self.games.samples(game)]


@dataclass(frozen=True)
class _Tokens:
    prompt_ids: list[int]
    completion_ids: list[int]
    logprobs: list[float] | None


_Row = tuple[Sample, _Tokens]


@dataclass
class _Batch:
    """Generates for all games together, as soon as each of them waits for a response."""

    trainer: Any
    playing: int
    waiting: list[tuple[list[Mapping[str, str]], asyncio.Future[_Tokens]]] = field(
        default_factory=list
    )

    def leave(self) -> None:
        """Leave the round: a game is over."""
        self.playing -= 1
        self._generate()

    async def tokens(self, prompt: list[Mapping[str, str]]) -> _Tokens:
        response: asyncio.Future[_Tokens] = asyncio.get_running_loop().create_future()
        self.waiting.append((prompt, response))
        self._generate()
        return await response

    def _generate(self) -> None:
        if not self.waiting or len(self.waiting) < self.playing:
            return
        requests = self.waiting
        self.waiting = []
        # trl 1.16 generates with every backend in these two alone; its public helper is for vLLM
        prompt_ids, _, _ = self.trainer._tokenize_prompts([prompt for prompt, _ in requests])
        completion_ids, logprobs = self.trainer._generate_single_turn(prompt_ids, None, {}, 1)
        for n, (_, response) in enumerate(requests):
            response.set_result(_Tokens(prompt_ids[n], completion_ids[n], logprobs and logprobs[n]))


@dataclass
class _Player:
    """The trained model in the seats of a game, with the tokens of its responses."""

    batch: _Batch
    tokens: dict[Key, _Tokens] = field(default_factory=dict)

    async def __call__(
        self, request: ModelRequest, messages: tuple[Message, ...], /
    ) -> ModelResponse:
        tokens = await self.batch.tokens(
            [{"role": part.role, "content": part.content} for part in messages]
        )
        self.tokens[request.key] = tokens
        trainer = self.batch.trainer
        ended = tokens.completion_ids[-1] in trainer.eos_token_ids
        text = trainer.processing_class.decode(tokens.completion_ids, skip_special_tokens=True)
        return ModelResponse(text=text, finish="stop" if ended else "length")

    async def aclose(self) -> None:
        """Nothing to close."""
