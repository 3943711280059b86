"""The expected final score over the turns of a game, and its mistakes.

The strip looks at the game from above: all hands are face up, and the players go on as convention
players who see no more than players do. Only the order of the deck is drawn anew, so that the strip
is not the luck of the deck. A swing compares the move that was made with a convention player's on
the same decks, before the next card is drawn.
"""

from collections.abc import Callable

from hanabi_orchestrator.experiments.record.game import Game, Turn
from hanabi_orchestrator.experiments.record.rows import Metric
from hanabi_orchestrator.experiments.values.move_values import Mistake, Strip
from hanabi_orchestrator.experiments.values.position import OpenPosition, open_positions
from hanabi_orchestrator.experiments.values.rollout_store import RolloutStore
from hanabi_orchestrator.experiments.values.rollouts import OpenRollouts, mean_and_error, points
from hanabi_orchestrator.experiments.values.turn_values import ROLLOUTS, turn_values
from hanabi_orchestrator.orchestrator.hanabi.rollout_game import act

DEALS = 24
"""Orders of the deck that are tried for each turn."""

BASIS = (
    "expected final score from the true hands, the deck in any order, when convention players go "
    "on from there"
)


def strip(
    story: Game,
    *,
    deals: int = DEALS,
    rollouts: int = ROLLOUTS,
    metric: Metric = "strict",
    store: RolloutStore | None = None,
    mistakes: bool = True,
    done: Callable[[int], None] | None = None,
) -> Strip:
    """Return the expected score after each turn of a game, finished or not, and its mistakes.

    `deals`: orders of the deck for each turn, at least 2. `rollouts`: as in `turn_values`, for the
    mistakes of each turn. `mistakes`: whether to look for them, which takes most of the time.
    `done` is told how many turns are done.
    """
    store = store or RolloutStore()
    before: list[tuple[float, float]] = []
    swings: list[tuple[float, float]] = []
    every_mistake: list[Mistake] = []
    for number, (turn, position) in enumerate(
        zip(story.turns, open_positions(story), strict=True), 1
    ):
        value, swing = _turn(turn, position, deals, metric, store)
        before.append(value)
        swings += [swing] if turn.moved else []
        every_mistake += _mistake(story, number, rollouts, metric, store) if mistakes else []
        if done:
            done(number)
    if story.result:
        before.append((float(getattr(story.result, f"score_{metric}")), 0.0))
    after = before[1 : len(swings) + 1]
    return Strip(
        basis=BASIS,
        metric=metric,
        start=before[0][0] if before else 0.0,
        expected=tuple(value for value, _ in after),
        errors=tuple(error for _, error in after),
        swings=tuple(value for value, _ in swings),
        swing_errors=tuple(error for _, error in swings),
        mistakes=tuple(every_mistake),
    )


def mistakes_of(
    story: Game,
    *,
    rollouts: int = ROLLOUTS,
    metric: Metric = "strict",
    store: RolloutStore | None = None,
    done: Callable[[int], None] | None = None,
) -> list[Mistake]:
    """Return the mistakes of a game, oldest first; arguments as in `strip`."""
    store = store or RolloutStore()
    mistakes = list[Mistake]()
    for number in range(1, len(story.turns) + 1):
        mistakes += _mistake(story, number, rollouts, metric, store)
        if done:
            done(number)
    return mistakes


def _mistake(
    story: Game, number: int, rollouts: int, metric: Metric, store: RolloutStore
) -> list[Mistake]:
    """Return that of a turn, if there is one."""
    if story.turn(number).moved is None:
        return []
    worst = turn_values(
        story, number, rollouts=rollouts, metric=metric, store=store, every=False
    ).mistake
    if worst:
        return [worst]
    return []


def _turn(
    turn: Turn, position: OpenPosition, deals: int, metric: Metric, store: RolloutStore
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the expected score before a turn, and what its move changed; each with its error."""
    rollouts = OpenRollouts(position, store)
    before = points(rollouts.ends(None, 0, deals), metric)
    played = turn.moved.past.move if turn.moved else None
    swing = (0.0, 0.0)
    usual = (
        position.game.dealt(position.game.hands, position.deck).taken_over().decide()
        if played
        else None
    )
    if played and usual != act(played):  # a convention player's own move changes nothing
        after = points(rollouts.ends(played, 0, deals), metric)
        swing = mean_and_error(
            [later - earlier for later, earlier in zip(after, before, strict=True)]
        )
    rollouts.keep()
    return mean_and_error(before), swing
