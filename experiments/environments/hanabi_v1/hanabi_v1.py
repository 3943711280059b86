"""Whole games of Hanabi for verifiers: a task is a deal, and each seat is an agent, frozen or
learning, or a program.

Every request is a trace of its own, for the prompts of the project stand alone; its reward is that
of `LearningGames`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
import verifiers.v1 as vf

from hanabi_orchestrator.experiments.tasks.games.learning_games import LearningGames, Reward
from hanabi_orchestrator.orchestrator.errors import ModelError
from hanabi_orchestrator.orchestrator.models.request import (
    Key,
    Message,
    ModelRequest,
    ModelResponse,
)

__all__ = ["HanabiDeals", "HanabiEnv", "OneRequest"]
SEAT = vf.AgentConfig(runtime=vf.SubprocessConfig())


class OneRequest(vf.Harness[vf.HarnessConfig]):
    """Sends the messages of a task as one request, in this process."""

    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: Any,
        trace: Any,
        runtime: Any,
        endpoint: str,
        secret: str,
        mcp_urls: Any,
        data: Any,
    ) -> Any:
        messages = [message.model_dump(exclude_none=True) for message in data.prompt]
        endpoint = f"{endpoint}/chat/completions"
        headers = {"Authorization": f"Bearer {secret}"}
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout()) as session,
            session.post(
                endpoint, json={"model": ctx.model, "messages": messages}, headers=headers
            ) as response,
        ):
            return vf.ProgramResult(int(not response.ok), "", await response.text())


class DealData(vf.TaskData):
    players: int
    seed: int
    """Of HLE's deal; it is in no prompt."""


class DealsConfig(vf.TasksetConfig):
    players: int = 2
    first: int = 20001
    """The seed of the first deal; keep the deals that you evaluate on, such as 1 to 50, out of
    training."""
    deals: int = 1000


class HanabiDeals(vf.Taskset[vf.Task[DealData], DealsConfig]):
    def load(self) -> Iterator[Any]:
        for seed in range(self.config.first, self.config.first + self.config.deals):
            data = DealData(
                name=f"{self.config.players} players, deal {seed}",
                players=self.config.players,
                seed=seed,
            )
            yield vf.Task[DealData](data)


class HanabiEnvConfig(vf.EnvConfig):
    player0: vf.AgentConfig = SEAT
    player1: vf.AgentConfig = SEAT
    player2: vf.AgentConfig = SEAT
    player3: vf.AgentConfig = SEAT
    player4: vf.AgentConfig = SEAT
    graph: str = "compact"
    """The graph that asks the agents: compact, watson, sherlock, or any other."""
    seats: list[str] = []
    """Seats of programs, as `N=SPEC`: `1=partner:piers`, `1=house`."""
    frozen: list[int] = []
    """Seats whose agents are asked, and not trained; `--env.player1.model` gives them another
    model."""
    reward: Reward = "score_kept"
    penalty: float = 1.0
    """What an unusable response loses."""
    journals: Path | None = None
    """A folder for the journals of the games."""


class HanabiEnv(vf.Env[HanabiEnvConfig]):
    async def setup(self, agents: Any) -> None:
        for seat in self.config.frozen:
            getattr(agents, f"player{seat}").trainable = False

    async def run(self, task: Any, agents: Any) -> None:
        deal = task.data
        config = self.config
        games = LearningGames(
            config.graph, deal.players, config.seats, config.reward, config.penalty
        )
        traces: dict[Key, Any] = {}
        journal = (
            config.journals
            and config.journals / f"{deal.players}p-s{deal.seed}-{uuid4().hex[:8]}.jsonl"
        )
        game = await games.play(
            deal.seed, lambda seat: Player(getattr(agents, f"player{seat}"), traces), journal
        )
        assert game.result
        for sample in games.samples(game):
            trace = traces[sample.call.key]
            trace.record_reward(config.reward, sample.reward)
            scores = {
                "score_kept": game.result.score_kept,
                "score_strict": game.result.score_strict,
            }
            trace.record_metrics({**sample.metrics, **scores})
            trace.info["hanabi"] = {
                "seed": deal.seed,
                "turn": sample.call.turn,
                "seat": sample.call.seat,
            }


@dataclass
class Player:
    """An agent as the model of a seat."""

    agent: Any
    traces: dict[Key, Any]

    async def __call__(
        self, request: ModelRequest, messages: tuple[Message, ...], /
    ) -> ModelResponse:
        prompt = [{"role": message.role, "content": message.content} for message in messages]
        trace = await self.agent.run(
            vf.Task(vf.TaskData(name=f"turn {request.place.turn}", prompt=prompt))
        )
        if not trace.ok or not trace.assistant_messages:
            raise ModelError(
                trace.last_error.message if trace.last_error else "the agent gave no response"
            )
        self.traces[request.key] = trace
        call = trace.calls[-1]
        reply = trace.assistant_messages[-1]
        return ModelResponse(
            text=reply.content or "", finish=call.finish_reason, reasoning=reply.reasoning_content
        )

    async def aclose(self) -> None:
        """Nothing to close."""
