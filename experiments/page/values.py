"""Values of moves and expected scores for the page, from `experiments.marks`."""

from experiments.page.recorded_game import RecordedGame
from experiments.page.spoken import Json


class Values:
    """Computes and keeps them."""

    def of_turn(self, game: RecordedGame, turn: int) -> Json:
        """Raises UserError when the game has no such turn."""
        return {"basis": "not computed yet", "moves": [], "played": None, "best": None, "loss": None, "mistake": None}

    def strip(self, game: RecordedGame) -> Json:
        turns = len(game.moves)
        return {"ready": False, "done": 0, "expected": [None] * turns, "error": [None] * turns, "mistakes": []}

    def swing(self, id: str) -> float | None:
        """The biggest loss of a game's expected score in one move, where it has been computed."""
        return None
