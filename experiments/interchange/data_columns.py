"""The columns of data sets with their types: a fixed schema for each kind, without maps, which viewers cannot show."""

from collections.abc import Mapping
from typing import Literal

Kind = Literal["logs", "rewards", "sft", "dpo", "grpo"]
FACTS = {
    "game": "string",
    "arm": "string",
    "graph": "string",
    "players": "int8",
    "seed": "int64",
    "deal": "string",
    "repeat": "int32",
    "turn": "int16",
    "seat": "int8",
    "node": "string",
    "role": "string",
    "sample": "int16",
    "ask": "int8",
    "model": "string",
    "answered_by": "string",
    "state": "string",
    "injected": "string",
    "forced": "bool",
    "move": "string",
    "score_change": "int8",
    "score_kept": "int8",
    "score_strict": "int8",
    "lives": "int8",
    "end": "string",
}
"""The columns that all kinds have, with their types."""
PUBLISHED = {
    "model_name": "string",
    "players": "int8",
    "seed": "int64",
    "turn_number": "int16",
    "current_player": "int8",
    "raw_game_state_before_move": "string",
    "deck_size": "int8",
    "system_prompt": "string",
    "user_prompt": "string",
    "response_content": "string",
    "legal_moves_description_for_llm": "strings",
    "move_ratings": "floats",
}
"""The columns of HanabiLogs and HanabiRewards; moves and ratings are lists by the number of the move."""
VALUES = {
    "legal_moves": "strings",
    "ratings_by": "string",
    "one_step": "floats",
    "one_step_by": "string",
    "rollout": "floats",
    "rollout_by": "string",
    "rollout_error": "floats",
    "rollout_deals": "floats",
}
PAIR = {"chosen": "messages", "rejected": "messages"}
MOVES = dict.fromkeys(("chosen_move", "rejected_move"), "string")
COLUMNS: Mapping[Kind, Mapping[str, str]] = {
    "logs": {**PUBLISHED, "reasoning": "string", **FACTS},
    "rewards": {**PUBLISHED, **VALUES, **FACTS},
    "sft": {"prompt": "messages", "completion": "messages", "reasoning": "string", **FACTS},
    "dpo": {
        "prompt": "messages",
        **PAIR,
        **MOVES,
        **dict.fromkeys(("chosen_value", "rejected_value"), "float64"),
        "written_by_program": "bool",
        **FACTS,
    },
    "grpo": {
        "prompt": "messages",
        "legal_moves": "strings",
        "values": "floats",
        "ratings": "floats",
        "reader": "string",
        **FACTS,
    },
}
"""The columns of each kind, in order."""
KEYS: Mapping[Kind, tuple[str, ...]] = {
    "logs": ("system_prompt", "user_prompt", "response_content"),
    "rewards": ("system_prompt", "user_prompt", "response_content"),
    "sft": ("prompt", "completion"),
    "dpo": ("prompt", *PAIR),
    "grpo": ("prompt", "move"),
}
