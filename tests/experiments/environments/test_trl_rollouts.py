"""TRL trains on responses of whole games. The trainer needs the extra `train`; elsewhere a stand-in generates."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.environments.trl_rollouts import Rollouts
from hanabi_orchestrator.experiments.tasks.games.learning_games import LearningGames
from hanabi_orchestrator.orchestrator import play_async
from tests.experiments.environments.blind import Blind, answer

ENDS = 0


class Trainer:
    """A stand-in: its tokens are characters, its responses those of the blind model."""

    eos_token_ids = (ENDS,)
    state = SimpleNamespace(global_step=1)

    def __init__(self) -> None:
        self.processing_class = self
        self.batches: list[list[list[dict[str, str]]]] = []

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return "".join(map(chr, filter(None, ids)))

    def _tokenize_prompts(
        self, prompts: list[list[dict[str, str]]]
    ) -> tuple[list[list[int]], None, dict[str, Any]]:
        self.batches.append(prompts)
        return [[ord(letter) for letter in prompt[-1]["content"]] for prompt in prompts], None, {}

    def _generate_single_turn(self, prompt_ids: object, *_: object) -> tuple[list[list[int]], None]:
        return [[*map(ord, answer(prompt)), ENDS] for prompt in self.batches[-1]], None


async def test_rows_of_a_deal_are_decisions_of_its_games() -> None:
    trainer, (first, second) = Trainer(), Rollouts.rows([4, 9])
    rollouts = Rollouts(LearningGames("compact", 2, penalty=0.0), decisions=3)
    prompts = [first["prompt"]] * 6 + [second["prompt"]] * 6
    columns = await rollouts._columns(prompts, trainer)
    rewards = rollouts.reward([], log_metric=lambda *_: None, **columns)  # type: ignore[arg-type]
    for seed, of_deal in ((4, rewards[:6]), (9, rewards[6:])):
        result = await play_async(graphs.seat("compact", Blind()), players=2, seed=seed)
        assert of_deal == [result.score_kept] * 6
    texts = [trainer.decode(ids, True) for ids in columns["completion_ids"] or ()]
    assert texts == [sample.call.text for sample in columns["sample"] or ()] and len(set(texts)) > 2
    opening, *_ = trainer.batches
    assert len(opening) == 4 and opening[0] == opening[1] != opening[2] == opening[3]


async def test_a_response_without_its_end_was_cut_off() -> None:
    trainer = Trainer()
    trainer.eos_token_ids = (1,)
    columns = await Rollouts(LearningGames("watson", reward="move_value"))._columns(
        ["deal 1"], trainer
    )
    assert [sample.call.finish for sample in columns["sample"] or ()] == ["length"]


@pytest.mark.filterwarnings("ignore")  # of the libraries among themselves
def test_the_trainer_takes_a_step_on_whole_games(tmp_path: Path) -> None:
    trl = pytest.importorskip("trl", reason="needs the extra train")
    from datasets import Dataset

    from tests.experiments.interchange.test_trl import settings
    from tests.support.tiny_model import tiny

    model, tokenizer = tiny(["You play Hanabi. play slot 0 discard slot 1 hint P1 red rank 2"] * 20)
    rollouts = Rollouts(LearningGames("compact", 2, ["1=partner:piers"], "move_value"), decisions=2)
    trainer = trl.GRPOTrainer(
        model,
        rollouts.reward,
        args=trl.GRPOConfig(
            **settings(tmp_path, num_generations=4, max_completion_length=4, max_steps=1)
        ),
        train_dataset=Dataset.from_list(rollouts.rows(range(20001, 20005))),
        processing_class=tokenizer,
        rollout_func=rollouts,
    )
    trainer.train()
    logged = [entry for entry in trainer.state.log_history if "reward" in entry]
    assert len(logged) == 1 and all(-1 <= entry["reward"] <= 1 for entry in logged)
    assert all({"usable", "legal", "forced"} <= set(entry) for entry in logged)
