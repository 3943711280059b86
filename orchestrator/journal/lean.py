"""Lean journals: without what can be computed again from the deck and the moves of a game.

They leave out the views and the replies of programs, which are nine tenths of the journal when programs play. Requests
to models and their responses are always kept, and so are decisions and moves: a lean game can be resumed and replayed
like any other.
"""

from collections.abc import Sequence

from orchestrator.hanabi.referee import Referee
from orchestrator.journal.events import Call, Event, GameEnded, GameStarted, GameSuspended, Moved, TurnStarted


def keeps(event: Event) -> bool:
    """Return whether a lean journal holds such an event."""
    return not isinstance(event, TurnStarted) and (not isinstance(event, Call) or event.of_model)


def with_views(events: Sequence[Event]) -> list[Event]:
    """Return the events with the views that a lean journal left out. Raises IllegalMove for moves that do not fit."""
    if not events or not isinstance(events[0], GameStarted):
        return list(events)
    complete, last = list(events[:1]), 0
    referee = Referee(events[0].players, events[0].deck)
    for event in events[1:]:
        if isinstance(event, TurnStarted):
            last = event.turn
        elif not isinstance(event, GameSuspended | GameEnded) and not referee.over and last < referee.turn:
            view = referee.view(own_hand=events[0].sees_own_hand(referee.seat, referee.turn))
            complete.append(TurnStarted(turn=view.turn, seat=view.seat, view=view))
            last = view.turn
        complete.append(event)
        if isinstance(event, Moved):
            referee.apply(event.past.move)
    return complete
