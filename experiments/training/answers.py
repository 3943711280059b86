"""What a model answers in positions of held-out games: whether it can be read, is legal, and is the
recorded move."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hanabi_orchestrator.experiments.record import rewards
from hanabi_orchestrator.orchestrator.hanabi.moves import parse

LONGEST = 24
"""Tokens of an answer, which is a bare move."""
AT_ONCE = 16


@dataclass(frozen=True)
class Answers:
    """Shares of the positions, from 0 to 1."""

    positions: int
    usable: float
    """Answers that name a move and nothing else that the game's reader refuses, legal or not."""
    legal: float
    agreement: float
    """Answers that name the move of the game."""
    value: float
    """The mean of `experiments.rewards.scaled_move_value`: 1 for the best legal move, -1 for no
    legal move."""


def measure(model: Any, tokenizer: Any, rows: Any) -> Answers:
    """Ask a model the prompts of `export --to grpo` rows, without sampling."""
    model.eval()
    texts = []
    for start in range(0, len(rows), AT_ONCE):
        for text in asked(model, tokenizer, rows, start):
            texts.append(text)
    model.train()
    places = []
    for text, row in zip(texts, rows, strict=True):
        places.append(rewards.place(text, row["reader"], row["legal_moves"]))
    moves = []
    for place, row in zip(places, rows, strict=True):
        moves.append(place is not None and row["legal_moves"][place] == row["move"])
    columns = {name: rows[name] for name in ("reader", "legal_moves", "values")}
    values = rewards.scaled_move_value(texts, **columns)
    usable = []
    for place, text in zip(places, texts, strict=True):
        usable.append(place is not None or _is_move(text))
    legal = [place is not None for place in places]
    return Answers(
        len(rows), *(sum(counts) / len(rows) for counts in (usable, legal, moves, values))
    )


def asked(model: Any, tokenizer: Any, rows: Any, start: int) -> list[str]:
    """Return the answers to some rows at once; prompts are filled up on the left, since answers
    begin at their end."""
    import torch

    prompts: list[list[Mapping[str, str]]] = rows[start : start + AT_ONCE]["prompt"]
    texts = tokenizer.apply_chat_template(prompts, add_generation_prompt=True, tokenize=False)
    # apply_chat_template takes a padding_side and leaves it unused
    how = {
        "padding": True,
        "padding_side": "left",
        "add_special_tokens": False,
        "return_tensors": "pt",
    }
    tokens = tokenizer(texts, **how).to(model.device)
    with torch.no_grad():
        answered = model.generate(
            **tokens, max_new_tokens=LONGEST, do_sample=False, pad_token_id=tokenizer.pad_token_id
        )
    answers: list[str] = tokenizer.batch_decode(
        answered[:, tokens["input_ids"].shape[1] :], skip_special_tokens=True
    )
    return answers


def _is_move(text: str) -> bool:
    try:
        parse(text.strip())
    except ValueError:
        return False
    return True
