"""Writes rows of HanabiLogs from games that HLE itself plays, without any code of the project.

The fields are those of the published files. The state's text is HLE's own; the answers are JSON as the models of the
published games were asked for it. It is a sample of what is known of the format, and no published data.
"""

import json
import random
from typing import Any

from tests.support.hle import pyhanabi as hle


def rows(
    players: int, seed: int, model: str = "o4-mini", turns: int = 200, *, form: str = "state"
) -> list[dict[str, Any]]:
    """The rows of one game of random legal moves. `form`: `state`, `observation` or `dictionary`."""
    dice = random.Random(f"{players} {seed} {model}")
    game = hle.HanabiGame({"players": players, "seed": seed, "random_start_player": False})
    state = game.new_initial_state()
    made = list[dict[str, Any]]()
    while True:
        while not state.is_terminal() and state.cur_player() == hle.CHANCE_PLAYER_ID:
            state.deal_random_card()
        if state.is_terminal() or len(made) == turns:
            return made
        legal = state.legal_moves()
        number = dice.randrange(len(legal))
        ratings = [round(dice.uniform(-1, 1), 2) for _ in legal]
        made.append(
            {
                "model_name": model,
                "players": players,
                "seed": seed,
                "turn_number": len(made) + 1,
                "current_player": state.cur_player(),
                "raw_game_state_before_move": _state(state, form),
                "deck_size": state.deck_size(),
                "user_prompt": f"Turn {len(made) + 1}: which move do you choose?",
                "system_prompt": "You play Hanabi.",
                "response_content": _answer(number, legal, ratings),
                "legal_moves_description_for_llm": {
                    str(n): f"({move})" for n, move in enumerate(legal)
                },
                "move_ratings": ratings,
            }
        )
        state.apply_move(legal[number])


def _answer(number: int, legal: list[Any], ratings: list[float]) -> str:
    rated = [{"action": n, "rating": rating} for n, rating in enumerate(ratings)]
    return json.dumps(
        {"move_ratings": rated, "reason": f"It is {legal[number]}.", "action": number}
    )


def _state(state: Any, form: str) -> Any:
    observation = state.observation(state.cur_player())
    if form == "state":
        return str(state)
    return str(observation) if form == "observation" else _dictionary(state, observation)


def _dictionary(state: Any, observation: Any) -> dict[str, Any]:
    """As HLE's rl_env makes it, without its vector."""
    hands = [[card.to_dict() for card in hand] for hand in observation.observed_hands()]
    known = [[_told(hint) for hint in hand] for hand in observation.card_knowledge()]
    return {
        "current_player": state.cur_player(),
        "current_player_offset": observation.cur_player_offset(),
        "life_tokens": observation.life_tokens(),
        "information_tokens": observation.information_tokens(),
        "num_players": observation.num_players(),
        "deck_size": observation.deck_size(),
        "fireworks": dict(zip("RYGWB", observation.fireworks(), strict=True)),
        "observed_hands": hands,
        "discard_pile": [card.to_dict() for card in observation.discard_pile()],
        "card_knowledge": known,
    }


def _told(hint: Any) -> dict[str, Any]:
    colour = hint.color()
    return {"color": None if colour is None else "RYGWB"[colour], "rank": hint.rank()}
