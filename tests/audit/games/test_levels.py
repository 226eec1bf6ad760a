"""Games level by level, on mechanisms so small that every level can be written down."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pytest

from dpcert import HALT, Draw, Pmf, Release, bernoulli, uniform
from dpcert.audit.budget import Budget
from dpcert.audit.errors import ArgumentError, MechanismError, Stopped
from dpcert.audit.games import npp
from dpcert.audit.games.beliefs import BeliefGame, Beliefs, RoundAhead, normalised
from dpcert.audit.games.folding import first_rounds, folded
from dpcert.audit.games.npp import first_output, named, npp_game, simulated
from dpcert.audit.games.offline import OfflineGame
from dpcert.audit.games.paired import END, Exploration, Level, Move, Outcome, PairedGame, closed, explore, released
from dpcert.audit.grids.stages import stages
from dpcert.audit.kernels.code import Code
from dpcert.audit.kernels.hidden import Hidden
from dpcert.audit.kernels.release import OVER
from dpcert.audit.kernels.view import view_of
from dpcert.audit.relations.adjacency import ANY, HAMMING, ChallengeAt, ZeroOut
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.mechanisms.randomized_response import RandomizedResponse

RESPONSE: Any = view_of(RandomizedResponse())


class Ended(Budget):
    """A budget that is used up."""

    def check(self) -> None:
        raise Stopped("it is over")


def response(rounds: int) -> PairedGame:
    return PairedGame(RESPONSE, HAMMING, rounds)


def ends(level: Level) -> set[int]:
    return {outcome.after for moves in level.moves for move in moves for outcome in move.outcomes}


def test_levels_of_randomised_response() -> None:
    explored = explore(response(2))
    first, second = explored.levels
    assert first.positions == ((False, 0, 0),)
    assert second.positions == ((False, 0, 0), (True, 0, 1), (True, 1, 0), (False, 1, 1))
    assert [len(moves) for moves in second.moves] == [4, 2, 2, 4]
    assert (ends(first), ends(second)) == ({0, 1, 2, 3}, {END})
    assert (explored.positions, explored.beyond, explored.stopped) == (5, 0, None)
    assert {(m.denominator0, m.denominator1) for m in first.moves[0]} == {(4, 4)}
    weights = {m.pair: {o.observation: (o.weight0, o.weight1) for o in m.outcomes} for m in first.moves[0]}
    assert weights[0, 1] == {0: (3, 1), 1: (1, 3)}


def test_what_is_explored_is_a_game_of_its_own() -> None:
    whole = explore(response(3))
    assert closed(whole) is whole.levels
    cut = explore(response(3), Budget(max_positions=3))
    assert (len(cut.levels), cut.beyond) == (1, 4)
    assert cut.stopped is not None
    assert "max-positions 3" in cut.stopped
    assert closed(cut) == first_rounds(whole.levels, 1) != whole.levels[:1]
    assert first_rounds(whole.levels, 3) == whole.levels
    assert [ends(level) for level in first_rounds(whole.levels, 2)] == [{0, 1, 2, 3}, {END}]
    none = explore(response(3), Budget(max_positions=0))
    assert (none.levels, none.beyond, closed(none)) == ((), 1, ())
    assert closed(Exploration((), 0)) == ()


def test_a_position_in_words_states_and_weights() -> None:
    game, position = response(1), (True, 0, 1)
    assert game.describe(position) == "(True, 0, 1)"
    assert game.states(position) == ((0,), (1,))
    assert game.weighed(position) == (True, ((0, 1),), ((1, 1),))
    kernel = game.kernel(0, 1)
    assert {(v, after, Fraction(w, kernel.denominator)) for v, after, w in kernel.entries} == {
        (0, 1, Fraction(1, 4)), (1, 1, Fraction(3, 4)),
    }  # fmt: skip


class Stuck:
    """Allows nothing in round 2."""

    name, initial = "stuck", 0

    def legal(self, state: int, round_: int, alphabet: tuple[Any, ...]) -> Iterable[tuple[tuple[Any, ...], int]]:
        return [((alphabet[0], alphabet[0]), state)] if round_ == 1 else []


def test_a_round_without_a_legal_pair_is_refused() -> None:
    with pytest.raises(ArgumentError, match="a legal pair of inputs in every round but got round=2"):
        explore(PairedGame(RESPONSE, Stuck(), 2))  # type: ignore[arg-type]


@dataclass
class Foretold:
    """Randomised response that writes down when it is asked to foresee."""

    game: PairedGame = field(default_factory=lambda: response(2))
    asked: list[int | None] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.game, name)

    def foresee(self, positions: Iterable[Any] | None) -> None:
        self.asked.append(None if positions is None else len(list(positions)))


@pytest.mark.parametrize(
    ("bounds", "asked"),
    [
        (None, []),
        ({}, [1, None, 4, None]),
        ({"max_positions": 9}, [None, None]),
        ({"max_seconds": 99}, [None, None]),
    ],
)
def test_a_round_is_foreseen_where_nobody_bounds_the_work(bounds: Any, asked: list[int | None]) -> None:
    game = Foretold()
    assert explore(game, None if bounds is None else Budget(**bounds)).positions == 5
    assert game.asked == asked
    enclosed = Foretold()
    assert stages(enclosed, Budget(**(bounds or {}))).rounds == 2
    assert enclosed.asked == (asked or [1, None, 4, None])


def two_faced(weights: tuple[int, ...], denominator: int, after: tuple[int, ...]) -> Move:
    """A move of pair (0, 1) whose outcome i weighs weights[i] in world 0, and backwards in world 1."""
    numbered = enumerate(zip(weights, reversed(weights), after, strict=True))
    return Move((0, 1), tuple(Outcome(i, w0, w1, n) for i, (w0, w1, n) in numbered), denominator, denominator)


def test_what_nobody_can_tell_apart_is_folded() -> None:
    last = Level(("a", "b", "c"), tuple((two_faced(w, sum(w), (END,) * len(w)),) for w in ((3, 1), (6, 2), (2, 2))))
    # a and b are alike; outcomes 0 and 1 lead there at the ratios 2:1 and 2:1, so that they are one of weight 6:3
    first = Level(("start",), ((Move((0, 0), (Outcome(0, 2, 1, 0), Outcome(1, 4, 2, 1), Outcome(2, 3, 6, 2)), 9, 9),),))
    made = folded([first, last])
    assert [len(level.positions) for level in made] == [1, 2]
    assert made[0].moves[0][0] == Move((0, 0), (Outcome(0, 2, 1, 0), Outcome(1, 1, 2, 1)), 3, 3)
    assert [moves[0] for moves in made[1].moves] == [
        Move((0, 1), (Outcome(0, 1, 3, END), Outcome(1, 3, 1, END)), 4, 4),
        Move((0, 1), (Outcome(0, 1, 1, END),), 1, 1),
    ]


def test_of_pairs_that_do_the_same_everywhere_the_first_stays() -> None:
    same, other = two_faced((3, 1), 4, (END, END)), two_faced((1, 1), 2, (END, END))
    twin = Move((1, 0), same.outcomes, 4, 4)
    alike = Level(("a", "b"), ((same, twin), (other, Move((1, 0), other.outcomes, 2, 2))))
    assert [[m.pair for m in moves] for moves in folded([alike])[0].moves] == [[(0, 1)], [(0, 1)]]
    unlike = Level(("a", "b"), ((same, twin), (other, twin)))
    assert [[m.pair for m in moves] for moves in folded([unlike])[0].moves] == [[(0, 1), (1, 0)]] * 2


def test_a_release_weighs_what_its_laws_do() -> None:
    move = released((0, 1), bernoulli(Fraction(1, 3)), uniform([1, 2]), 7)
    assert (move.denominator0, move.denominator1) == (3, 2)
    assert {o.observation: (o.weight0, o.weight1) for o in move.outcomes} == {0: (2, 0), 1: (1, 1), 2: (0, 1)}
    assert {o.after for o in move.outcomes} == {7}


class Coin:
    """Tosses a coin once, shows in every round the bit plus the coin, and stops where both are 1."""

    alphabet: tuple[int, ...] = (0, 1)
    initial: Any = None

    def step(self, state: Any, x: int, draw: Draw) -> tuple[Release[Any, None], Any]:
        coin = draw(bernoulli(Fraction(1, 3))) if state is None else state
        return Release(HALT if x and coin else x + coin), coin


def coin_game(rounds: int, adjacency: Any = HAMMING) -> BeliefGame:
    view = view_of(Coin())
    assert isinstance(view, Hidden)
    return BeliefGame(view, adjacency, rounds)


def test_beliefs_of_a_coin() -> None:
    game = coin_game(2)
    first, second = explore(game).levels
    assert first.positions == ((False, ((0, 1),), ((0, 1),)),)
    sure = {position: game.believed(position) for position in second.positions}
    assert set(sure.values()) == {("0: 1", "0: 1"), ("1: 1", "1: 1"), ("1: 1", "0: 1"), ("0: 1", "1: 1")}
    moves = {move.pair: move for move in first.moves[0]}
    assert {o.observation: (o.weight0, o.weight1) for o in moves[0, 1].outcomes} == {0: (2, 0), 1: (1, 2), HALT: (0, 1)}
    assert {o.observation: o.after == END for o in moves[0, 1].outcomes} == {0: True, 1: False, HALT: True}
    assert {o.observation: o.after == END for o in moves[1, 1].outcomes} == {1: False, HALT: True}
    assert ends(second) == {END}
    position = second.positions[0]
    assert game.describe(position) == "False {0: 1} {0: 1}"
    assert (game.states(position), game.weighed(position)) == (((0,), (0,)), (False, ((0, 1),), ((0, 1),)))
    assert game.inputs == (0, 1)
    assert coin_game(1, ZeroOut()).inputs == (0, 1, None)
    assert {(v, after) for v, after, _ in game.met(1, 0).entries} == {(1, 1)}
    assert game.met(1, 0) is game.kernel(1, 0)


class Growing:
    """A hidden number that each round adds 0, or 1 three times as often, and never shows."""

    alphabet: tuple[int, ...] = (0,)
    initial: int = 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        return Release(x), state + draw(bernoulli(Fraction(3, 4)))


def test_beliefs_are_in_lowest_terms_and_weighed_right() -> None:
    beliefs = Beliefs(view_of(Growing()))  # type: ignore[arg-type]
    once = beliefs.seen(beliefs.initial, 0)
    assert {v: (mass, dict(beliefs.weighed(after))) for v, (mass, after) in once.beliefs.items()} == {
        0: (4, {0: 1, 1: 3})
    }
    assert once.total == 4
    ((mass, after),) = beliefs.seen(once.beliefs[0][1], 0).beliefs.values()
    assert (mass, dict(beliefs.weighed(after))) == (16, {0: 1, 1: 6, 2: 9})
    assert set(beliefs.states(after)) == {0, 1, 2}
    assert beliefs.kernel(1, 0).denominator == beliefs.met(5, 0).denominator == 4
    assert {key for key, _ in beliefs.laws()} == {(0, 0), (1, 0), (5, 0)}
    assert normalised({2: 6, 1: 4}) == ((1, 2), (2, 3))


@pytest.mark.parametrize(("states", "steps", "outcomes", "said"), [
    (None, 9, 10**6, ""),
    (10**6, 7, 10**6, ""),
    (20, 8, 50_000, ""),
    (20, 8, 50_001, "about 1,000,020 outcomes"),
    (3, 9, 10**6 // 9 + 1, "about 1,000,008 outcomes"),
])  # fmt: skip
def test_a_round_is_estimated_from_its_first_steps(states: int | None, steps: int, outcomes: int, said: str) -> None:
    ahead = RoundAhead()
    ahead.begin(states)
    told = [ahead.stepped((step, 0), outcomes) for step in range(steps)]
    assert not any(told[:-1]) if steps <= 8 else True
    assert (said in told[-1]) if said else not told[-1]


def test_a_round_that_is_foreseen_to_be_long_is_not_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpcert.audit.games.beliefs.MOST_OUTCOMES_AHEAD", 17)
    beliefs = Beliefs(view_of(Growing()))  # type: ignore[arg-type]
    started = tuple((beliefs._number(state), 1) for state in range(9))
    beliefs.foresee([started])
    for state in range(7):
        beliefs.kernel(state, 0)
    with pytest.raises(Stopped, match="about 18 outcomes"):
        beliefs.kernel(7, 0)
    assert not list(beliefs.laws())
    beliefs.foresee(None)
    assert len([beliefs.kernel(number, 0) for number, _ in started]) == 9
    beliefs.foresee([started])  # all of them were stepped from before
    assert beliefs._ahead.states == 0


class Shifted:
    """Answers every input plus the seed of its round."""

    def code(self, rounds: int) -> Code:
        seeds: Pmf[tuple[int, ...]] = uniform([(0,) * rounds, (1,) * rounds])
        return Code(
            "Shifted",
            (0, 1),
            None,
            lambda _: seeds,
            lambda drawn, stream: tuple(map(sum, zip(drawn, stream, strict=True))),
        )


def test_whole_streams_are_one_move_for_each_pair_of_laws() -> None:
    game = OfflineGame(Shifted().code(2), ChallengeAt(HAMMING, 2), 2)
    assert (game.describe(game.initial), game.horizon) == ("before the streams", 1)
    (level,) = explore(game).levels
    moves = {move.pair: move for move in level.moves[0]}
    assert set(moves) == {(pair, (pair[0], 1 - pair[1])) for pair in ((0, 0), (0, 1), (1, 0), (1, 1))}
    seen = {o.observation: (o.weight0, o.weight1) for o in moves[(0, 0), (0, 1)].outcomes}
    assert seen == {(0, 0): (1, 0), (1, 1): (1, 0), (0, 1): (0, 1), (1, 2): (0, 1)}
    assert ends(level) == {END}
    assert {stream for stream, _ in game.laws()} == {(0, 0), (0, 1), (1, 0), (1, 1)}
    every = explore(OfflineGame(Shifted().code(1), ANY, 1)).levels[0].moves[0]
    assert len(every) == 4
    with pytest.raises(Stopped):
        OfflineGame(Shifted().code(2), HAMMING, 2, budget=Ended()).moves((), 1, lambda _: END)


class Triple(RandBinToy):
    """Its simulation gives something beside the release and the state."""

    def simulate(self, branch: int, state: Any, pair: tuple[Any, Any], draw: Draw) -> Any:
        return (*super().simulate(branch, state, pair, draw), None)


class Bare(RandBinToy):
    """Its simulation gives no release."""

    def simulate(self, branch: int, state: Any, pair: tuple[Any, Any], draw: Draw) -> Any:
        release, after = super().simulate(branch, state, pair, draw)
        return (release.visible, release.hidden), after


@pytest.mark.parametrize("mechanism", [Triple(), Bare()])
def test_a_simulation_gives_a_release_and_a_state(mechanism: Any) -> None:
    game = npp_game(simulated(mechanism), 1)
    with pytest.raises(MechanismError, match="simulate to return"):
        explore(game)


def test_both_branches_are_handed_both_streams() -> None:
    game = npp_game(simulated(RandBinToy()), 1)
    moves = explore(game).levels[0].moves[0]
    assert {tuple(handed.branch for handed in move.pair) for move in moves} == {(0, 1)}
    assert all(move.pair[0].pair == move.pair[1].pair for move in moves)
    assert all(len(named(move.pair, 1)) == 2 for move in moves)
    assert any(repr(move.pair[0]) != repr(move.pair[1]) for move in moves)
    assert game.adjacency.name == "edit"


def test_after_the_end_a_simulation_goes_on_ending() -> None:
    view = simulated(RandBinToy())
    (move, *_) = explore(npp_game(view, 1)).levels[0].moves[0]
    assert view.kernel(OVER, move.pair[0]).entries == ((HALT, OVER, 1),)


class Patient:
    """Hands out a bin in round 3, in one case of two."""

    alphabet: tuple[int, ...] = (0,)
    initial: int = 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[bool, Any], int]:
        del x
        comes = state == 2 and bool(draw(uniform([0, 1])))
        return Release(comes, (0, 1) if comes else None), state + 1


def test_the_first_output_is_looked_for_up_to_a_round_and_a_number_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    patient: Any = Patient()
    assert [first_output(patient, most, Budget()) for most in (2, 3, 9)] == [None, 3, 3]
    monkeypatch.setattr(npp, "MOST_STEPS_TO_OUTPUT", 3)
    assert first_output(patient, 9, Budget()) == 3
    monkeypatch.setattr(npp, "MOST_STEPS_TO_OUTPUT", 2)
    assert first_output(patient, 9, Budget()) is None
    with pytest.raises(Stopped):
        first_output(patient, 9, Ended())


WIDE = uniform(range(2_500))


class Wide(Patient):
    """As patient, with noise of very many values."""

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[bool, Any], int]:
        draw(WIDE)
        return super().step(state, x, draw)


def test_the_first_output_is_looked_for_up_to_a_number_of_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    wide: Any = Wide()
    assert first_output(wide, 9, Budget()) == 3
    monkeypatch.setattr(npp, "MOST_RUNS_TO_OUTPUT", 4_000)
    assert first_output(wide, 9, Budget()) is None


def test_what_was_drawn_is_drawn_again_in_order() -> None:
    law, other = uniform([0, 1]), bernoulli(Fraction(1, 3))
    again = npp._Again("Toy", [(law, 1), (other, 0)])
    assert (again(uniform([0, 1])), again(other)) == (1, 0)
    with pytest.raises(MechanismError, match="draw first, and in order"):
        again(law)
    with pytest.raises(MechanismError, match="draw first, and in order"):
        npp._Again("Toy", [(law, 1)])(other)
