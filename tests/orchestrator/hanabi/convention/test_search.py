"""Search: rollouts keep the table's rules and the conventions, deals are drawn fairly, and the planner uses both."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from random import Random
from typing import Any

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.graphs.config import checked
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi import belief
from hanabi_orchestrator.orchestrator.hanabi.cards import (
    ANY,
    COLOURS,
    COPIES_OF,
    HAND_SIZES,
    INDEX,
    Card,
)
from hanabi_orchestrator.orchestrator.hanabi.convention import rollout_table as table
from hanabi_orchestrator.orchestrator.hanabi.convention.common_knowledge import (
    CommonKnowledge,
    PublicMove,
    common_knowledge,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import (
    LITERAL,
    STRANGER,
    Convention,
)
from hanabi_orchestrator.orchestrator.hanabi.convention.past_moves import past_moves
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import HOUSE_STEPS, Scene, decide
from hanabi_orchestrator.orchestrator.hanabi.convention.rollout import RolloutGame
from hanabi_orchestrator.orchestrator.hanabi.convention.search import Deals, candidates
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, HintColour, HintRank, Move, Play
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, deal
from hanabi_orchestrator.orchestrator.hanabi.rollout_game import NONE, act, move, numbered
from hanabi_orchestrator.orchestrator.hanabi.search import Trial, best, search
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Decided
from hanabi_orchestrator.orchestrator.table.seat import Decision, GameContext
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import ConventionFacts
from tests.orchestrator.hanabi.test_view import disguised
from tests.support.positions import events_of, partners_game, random_game
from tests.support.small_graph import turn
from tests.test_games import check_game, of

NEWEST = Convention()
TABLES = {
    2: (NEWEST, NEWEST),
    3: (NEWEST, Convention("oldest", "oldest"), STRANGER),
    4: (LITERAL, Convention("adapts", "adapts"), NEWEST, NEWEST),
    5: (NEWEST,) * 5,
}


def dealt(players: int, seed: int, customs: tuple[Convention, ...]) -> RolloutGame:
    cards = numbered(deal(seed))
    size = HAND_SIZES[players]
    hands = [cards[seat * size : (seat + 1) * size] for seat in range(players)]
    return RolloutGame(CommonKnowledge.start(customs), 0, None).dealt(
        hands, cards[: players * size - 1 : -1]
    )


def scene(view: View, now: CommonKnowledge) -> Scene:
    return Scene(
        view.seat, now, {hand.seat: hand.cards for hand in view.hands}, view.legal, view.turns_left
    )


def conventional(players: int, seed: int) -> Iterator[tuple[Referee, Scene, Move]]:
    """A game of convention players: the referee before each move, what its player decides by, and the move."""
    referee = Referee(players, deal(seed))
    customs = (NEWEST,) * players
    while not referee.over:
        at = scene(referee.view(), common_knowledge(customs, referee.view().history))
        made = decide(at, HOUSE_STEPS)[0]
        yield referee, at, made
        referee.apply(made)


def same(game: RolloutGame, view: View, now: CommonKnowledge) -> bool:
    """Whether a rollout stands where the table does, and everybody knows the same."""
    tables = (
        game.tokens,
        game.lives,
        tuple(game.tops),
        len(game.deck),
        game.turns_left,
        game.seat,
    ) == ((view.tokens, view.lives, view.fireworks, view.deck_size, view.turns_left, view.seat))
    piles = game.piles == (now.piles.playable, now.piles.dead, now.piles.critical)
    known = (game.common, game.literal) == (
        [list(h) for h in now.common],
        [list(h) for h in now.literal],
    )
    return tables and piles and known


@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_a_rollout_keeps_the_rules_of_the_table_and_the_common_knowledge(players: int) -> None:
    game = dealt(players, 10_003, TABLES[players])
    now = CommonKnowledge.start(TABLES[players])
    before = None
    for before in random_game(players, 10_003):
        view = before.view()
        if view.history:
            now = now.after(PublicMove.from_past(view.history[-1]))
            game.apply(act(view.history[-1].move))
        assert not game.over and same(game, view, now)
    assert before is not None
    game.apply(act(before.view(0).history[-1].move))
    assert game.over and (game.score, game.lives) == (before.score_strict, before.lives)


@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_a_rollout_is_played_as_convention_players_play(players: int) -> None:
    """All but always: of the own hand it reckons slot by slot."""
    game = dealt(players, 10_001, (NEWEST,) * players)
    made = 0
    agreed = 0
    for _, _, chosen in conventional(players, 10_001):
        assert not game.over
        made = made + 1
        agreed = agreed + (move(game.decide()) == chosen)
        game.apply(act(chosen))
    assert game.over and agreed >= 0.97 * made > 40


def taught(card: str) -> tuple[Scene, RolloutGame]:
    """P1 holds a card in slot 1 that everybody takes for R1 or B3, and B4 in slot 0: a blue hint leaves R1 alone."""
    hand = tuple(Card(one) for one in ("B4", card, "W3", "W4", "Y3"))
    start = CommonKnowledge.start((NEWEST, NEWEST))
    believed = 1 << INDEX[Card("R1")] | 1 << INDEX[Card("B3")]
    start = replace(start, common=(start.common[0], (ANY, believed, ANY, ANY, ANY)))
    own = [INDEX[Card("G4")]] * 5
    game = RolloutGame(start, 0, None).dealt([own, numbered(hand)], [INDEX[Card("Y1")]])
    return Scene(
        0, start, {1: hand}, [HintColour(to=1, colour="W"), HintColour(to=1, colour="B")]
    ), game


@pytest.mark.parametrize(("card", "fits"), (("R1", True), ("G2", False)))
def test_a_hint_is_no_help_that_makes_a_partner_sure_of_a_card_that_does_not_fit(
    card: str, fits: bool
) -> None:
    """Such a false belief comes from a partner who does not keep to the convention."""
    (at, game), blue = taught(card), HintColour(to=1, colour="B")
    effect = at.effect_of(blue)
    assert effect.says is None and effect.learned == (1,)
    says, _, _, plays = table.read_hint(game.state, 0, 1, COLOURS.index("B"), NONE)
    assert effect.helps == effect.plays == plays == fits and says == NONE
    assert (decide(at)[0] == blue) == fits


ADVISERS = ("tom_interpreter", "discard_strategist", "aggregator")


def middle(players: int = 2, after: int = 30) -> Scene:
    return next(
        at for number, (_, at, _) in enumerate(conventional(players, 10_002)) if number == after
    )


def test_deals_are_drawn_from_the_exact_belief() -> None:
    at = middle()
    deals = Deals(at, Random(1))
    drawn = []
    for _ in range(600):
        game = deals.draw()
        assert game is not None
        whole = [*game.counts]
        for card in [*game.deck, *(card for hand in game.hands for card in hand)]:
            whole[card] += 1
        assert (
            whole == list(COPIES_OF) and numbered(at.hands[1 - at.seat]) == game.hands[1 - at.seat]
        )
        drawn.append(game.hands[at.seat])
    for slot, belief_of in enumerate(at.beliefs):
        for card, weight in enumerate(belief_of.weights):
            share = sum(hand[slot] == card for hand in drawn) / len(drawn)
            assert abs(share - weight / belief_of.total) < 0.08


def test_a_better_move_is_found_and_a_usual_one_that_is_best_is_kept() -> None:
    """On the last turn a card that fits is worth its point, and any other move nothing."""
    games = (conventional(4, seed) for seed in range(10_009, 10_030))
    endings = (at for game in games for _, at, _ in game if at.turns_left == 1)
    last = next(at for at in endings if any(belief.playable == 1.0 for belief in at.beliefs))
    play = decide(last)[0]
    idle = next(one for one in last.legal if not isinstance(one, Play))
    found = search(Deals(last, Random(1)), idle, 40, moves=[idle, play])
    assert best(found).move == play and best(found).gain(found[0]) == (1.0, 0.0)
    assert best(search(Deals(last, Random(1)), play, 40, moves=[play, idle])).move == play
    assert [trial.scores for trial in search(Deals(last, Random(1)), play, 0)] == [[]] * len(
        candidates(last, play)
    )


def test_hands_that_fit_the_cards_in_sight_are_equally_likely_whatever_slot_is_drawn_first() -> (
    None
):
    """One slot is one of two fives, another one of three, of which one may be in either: five hands."""
    (at,) = [at for number, (_, at, _) in enumerate(conventional(2, 10_010)) if number == 0]
    held = [card for hand in at.hands.values() for card in hand]
    fives = [Card(f"{colour}5") for colour in "RYGWB" if Card(f"{colour}5") not in held]
    one = fives[:2]
    other = [fives[0], *fives[2:4]]
    masks = [sum(1 << INDEX[card] for card in cards) for cards in (one, other)]
    mine = (masks[0], masks[1], *(ANY,) * 3)
    known = tuple(
        mine if seat == at.seat else hand for seat, hand in enumerate(at.knowledge.common)
    )
    deals = Deals(replace(at, knowledge=replace(at.knowledge, common=known)), Random(1))
    count = 2000
    drawn = [game.hands[at.seat] for _ in range(count) if (game := deals.draw())]
    pairs = [(INDEX[a], INDEX[b]) for a in one for b in other if a != b]
    assert len(drawn) == count and len(pairs) == 5
    for pair in pairs:
        assert sum((hand[0], hand[1]) == pair for hand in drawn) / count == pytest.approx(
            0.2, abs=0.03
        )


@pytest.mark.parametrize("players", (2, 4))
def test_near_the_end_every_deal_is_played_as_often_as_it_would_be_drawn(players: int) -> None:
    for referee, at, _ in conventional(players, 10_014):
        if referee.view().deck_size > 1:
            assert not Deals(at, Random(1)).every(10_000)
            continue
        drawn = Deals(at, Random(1))
        every = {(*game.hands[at.seat], *game.deck): share for game, share in drawn.every(10_000)}
        assert sum(every.values()) == pytest.approx(1) and not drawn.every(len(every) - 1)
        games = [game for _ in range(2000) if (game := drawn.draw())]
        times = Counter((*game.hands[at.seat], *game.deck) for game in games)
        assert set(times) <= set(every)
        for cards, share in every.items():
            assert times[cards] / len(games) == pytest.approx(share, abs=0.05)


def test_where_every_deal_is_played_the_better_move_is_chosen_by_however_little() -> None:
    close = [Trial(Play(slot=slot), [20.0, 21.0 + slot], (0.999, 0.001)) for slot in (0, 1)]
    assert best(close).move == Play(slot=1) and best(close[::-1]).move == Play(slot=1)
    gain, error = close[1].gain(close[0])
    assert gain == pytest.approx(0.001) and error == 0


def test_hands_that_leave_partners_moves_unexplained_are_drawn_less_often() -> None:
    """A hand is a twelfth as likely for each of them."""
    referee, at, _ = next(
        turn for number, turn in enumerate(conventional(2, 10_002)) if number == 30
    )
    history = referee.view().history
    past = past_moves(at, history)
    deals = Deals(at, Random(1), history)
    blind = Deals(at, Random(1))

    def unexplained(dealt: Deals) -> Counter[int]:
        hands = [tuple(game.hands[at.seat]) for _ in range(4000) if (game := dealt.draw())]
        return Counter(past.surprises(hand, 99) for hand in hands)

    weighed = unexplained(deals)
    drawn = unexplained(blind)
    assert 0 in drawn, "the true hand explains all moves of convention players"
    assert weighed[1] / weighed[0] == pytest.approx(0.08 * drawn[1] / drawn[0], rel=0.5)


def test_all_moves_are_tried_on_the_same_deals() -> None:
    at = middle()
    usual = candidates(at, at.legal[0])[0]
    one, other = search(Deals(at, Random(1)), usual, 24, moves=[usual, usual])
    assert one.scores == other.scores and len(set(one.scores)) > 1


@pytest.mark.parametrize(
    ("gains", "changes"), [((1, 1, 1, 1), True), ((9, -7, 6, -5), False), ((4, 2, -1, 1), False)]
)
def test_a_move_is_changed_only_for_one_that_is_better_by_one_and_a_half_standard_errors(
    gains: tuple[int, ...], changes: bool
) -> None:
    """All three are better on average: on every deal, by 0.2 standard errors and by 1.4."""
    usual = Trial(Play(slot=0), [10.0] * 4)
    other = Trial(Play(slot=1), [10.0 + gain for gain in gains])
    assert sum(gains) > 0 and best([usual, other]).move == (other if changes else usual).move


def in_danger(players: int) -> list[tuple[Scene, Move]]:
    """Positions in which the next player is about to lose a critical card and a token is left."""
    found = [(at, made) for seed in (10_011, 10_012) for _, at, made in conventional(players, seed)]
    return [(at, made) for at, made in found if at.knowledge.tokens and at.in_danger() is not None]


def readable(at: Scene, usual: Move) -> list[Move]:
    return Deals(at, Random(1)).readable(candidates(at, usual))


def test_nothing_is_discarded_while_the_next_player_is_about_to_lose_a_critical_card() -> None:
    """A discard would tell them that their card is not critical."""
    dangers = [danger for players in (2, 3) for danger in in_danger(players)]
    own = [(at, usual) for at, usual in dangers if not isinstance(usual, Discard)]
    assert len(own) > 5 and any(isinstance(move, Discard) for at, _ in own for move in at.legal)
    for at, usual in own:
        assert not [move for move in readable(at, usual) if isinstance(move, Discard)]


def test_on_the_last_life_only_a_play_that_certainly_fits_is_tried() -> None:
    risky = 0
    for players in (2, 4):
        for _, at, made in conventional(players, 10_013):
            risky += any(
                isinstance(move, Play) and at.beliefs[move.slot].playable < 1
                for move in candidates(at, made)[1:]
            )
            last = replace(at, knowledge=replace(at.knowledge, lives=1))
            plays = [move.slot for move in candidates(last, made)[1:] if isinstance(move, Play)]
            assert all(last.beliefs[slot].playable == 1.0 for slot in plays)
    assert risky > 2, "with lives to spare such plays are tried"


def test_what_is_tried_is_legal_and_says_nothing_false() -> None:
    for _, at, usual in conventional(3, 10_005):
        moves = readable(at, usual)
        assert moves[0] == usual and set(moves) <= set(at.legal) and len(moves) == len(set(moves))
        hints = [at.effect_of(one) for one in moves[1:] if isinstance(one, HintColour | HintRank)]
        assert all(effect.true for effect in hints if effect.says is not None)
        risky = [one.slot for one in moves[1:] if isinstance(one, Play)]
        assert all(at.beliefs[slot].playable >= 0.6 for slot in risky)


def planner(rollouts: object, *others: str) -> graphs.GraphConfig:
    """The planner with the historian, and with whom else of `house_planner` it reads of."""
    whole = graphs.read("house_planner").model_dump()
    kept = {name: whole["nodes"][name] for name in ("history_analyst", *others, "planner")}
    kept["planner"] |= {
        "options": {"rollouts": rollouts},
        "reads": ["history_analyst", *others[-1:]],
    }
    return checked(whole | {"nodes": kept}, "house_planner")


@pytest.mark.parametrize("players", (2, 4))
async def test_a_hasty_planner_plays_whole_games(players: int) -> None:
    events = await events_of(planner(6), players=players, seed=10_006)
    assert check_game(events, players).score_strict >= 10
    assert {decided.node for decided in of(events, Decided)} == {"planner"}


async def test_a_planner_that_does_not_search_plays_like_the_house() -> None:
    views = [
        referee.view()
        for number, (referee, _, _) in enumerate(conventional(2, 10_007))
        if number % 25 == 5
    ]
    for view in views:
        (idle, _), (house, _) = (
            await turn(planner(0, *ADVISERS), "program", view),
            await turn("house", "program", view),
        )
        assert idle.move == house.move


@pytest.mark.parametrize(("partner", "tried"), (("smart", True), ("iggi", False)))
def test_nothing_is_tried_beside_a_partner_whose_moves_rollouts_do_not_explain(
    partner: str, tried: bool
) -> None:
    searches = []
    for referee in islice(partners_game(("smart", partner), 10_018), 19, 50):
        view = referee.view()
        if view.seat == 0:
            facts = ConventionFacts.of(view, {"told": "whole"})
            usual = decide(facts.scene)[0]
            searches.append(len(search(Deals(facts.scene, Random(1), view.history), usual, 24)) > 1)
    assert len(searches) > 10 and (sum(searches) / len(searches) > 0.6) == tried
    assert tried or sum(searches) / len(searches) < 0.3


@pytest.mark.parametrize(
    "option", ({"past": "ignored"}, {"misleading": "tried"}, {"endgame": "sampled"})
)
async def test_without_a_part_of_the_search_other_moves_are_chosen(option: dict[str, str]) -> None:
    every = [referee.view() for referee, _, _ in conventional(3, 10_017)]
    views = [*every[3::6], *every[-6:]]
    whole = planner(400, *ADVISERS)
    part = planner(400, *ADVISERS)
    part.nodes["planner"].options.update(option)
    ratings = [
        ((await turn(graph, "program", view))[0].ratings)
        for graph in (whole, part)
        for view in views
    ]
    assert ratings[: len(views)] != ratings[len(views) :]


async def decision(view: View) -> Decision:
    return await graphs.seat(planner(20)).bind(GameContext())(view, {})


async def test_the_same_is_chosen_each_time_and_behind_another_hidden_hand() -> None:
    chance = Random(1)
    changed = 0
    for number, (referee, _, _) in enumerate(conventional(3, 10_008)):
        if number % 15 == 4:
            view = referee.view()
            other = disguised(referee, referee.view(), chance)
            changed += other.deck != referee.deck
            first = await decision(view)
            assert first == await decision(view) == await decision(other.view())
            assert first.ratings or "nothing else" in first.why
    assert changed > 2


@pytest.mark.parametrize("rollouts", (-1, 100_001, 2.5, "many", True))
def test_a_budget_that_is_none_is_refused(rollouts: Any) -> None:
    with pytest.raises(UserError, match=r"option 'rollouts' .* a number from 0 to 100000"):
        planner(rollouts)


def test_without_conventions_partners_are_taken_at_their_word() -> None:
    at = middle(3)
    strangers = replace(
        at,
        knowledge=replace(at.knowledge, conventions=(STRANGER,) * 3, common=at.knowledge.literal),
    )
    trials = search(Deals(strangers, Random(1)), strangers.legal[0], 100)
    assert len(trials) > 1 and all(trial.scores for trial in trials)
    assert belief.believe(strangers.knowledge.common[at.seat], at.piles, *at.hands.values())
