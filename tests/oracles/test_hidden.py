"""Self-tests of the hidden-state oracle: closed forms, the oracle without hidden state, mutual agreement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import pytest
from instances.hidden_state import HALT, Independent, Joint, MaybeSecond, StateFirst, random_interactive
from instances.seeds import chosen
from oracles.hidden import (
    Draw,
    every_run,
    hidden_fixed_hockey_stick,
    hidden_tree_hockey_stick,
    hops,
    legal_next,
    run_laws,
    seed_oracle,
    step_law,
    strategies,
    unit_hamming,
    zero_out,
)
from oracles.paired import (
    Legal,
    Order,
    Pairs,
    Table,
    curve_points,
    fixed_stream_hockey_stick,
    hamming,
    hamming_at,
    hockey_stick_of_vertices,
    transcript_tree_hockey_stick,
)

F = Fraction
ORDERS: tuple[Order, ...] = ("0-1", "1-0")
WEIGHTS = (F(1, 5), F(1, 2), F(1), F(4, 3), F(2), F(7, 2))
KEEP = F(3, 4)
RR = ((F(0), F(0)), (F(1, 4), F(3, 4)), (F(1), F(1)))
VALUES = (hidden_tree_hockey_stick, hidden_fixed_hockey_stick, seed_oracle)
FAIR = {0: F(1, 2), 1: F(1, 2)}


@dataclass(frozen=True)
class Shown:
    """A release, as far as the oracle is concerned."""

    visible: Any


@dataclass(frozen=True)
class Made:
    """Mechanism made of an initial state and a step that returns the visible output and the next state."""

    initial: Any
    rule: Callable[[Any, Any, Draw], tuple[Any, Any]]

    def step(self, state: Any, x: Any, draw: Draw) -> tuple[Shown, Any]:
        """The release and the next state."""
        visible, after = self.rule(state, x, draw)
        return Shown(visible), after


def bit(one: Fraction) -> dict[int, Fraction]:
    """Law of a bit that is 1 with the given probability."""
    return {0: 1 - one, 1: one}


def noisy(x: int, draw: Draw) -> int:
    """The bit x, reported correctly with probability 3/4."""
    return int(draw(bit(KEEP if x == 1 else 1 - KEEP)))


def fresh_coins(_state: Any, x: int, draw: Draw) -> tuple[Any, Any]:
    """Randomised response with a new coin in every round."""
    return noisy(x, draw), None


def shared_coin(state: Any, x: int, draw: Draw) -> tuple[Any, Any]:
    """Randomised response to the first input, repeated in every later round."""
    shown = noisy(x, draw) if state is None else state
    return shown, shown


def one_time_pad(state: Any, x: int, draw: Draw) -> tuple[Any, Any]:
    """The first input under a uniform pad, then the pad, then nothing."""
    if state == "fresh":
        pad = draw(FAIR)
        return x ^ pad, pad
    return state, "used"


def guarded(state: Any, x: int, draw: Draw) -> tuple[Any, Any]:
    """Halts with a probability that depends on the input, and keeps the input; a halted run would tell it."""
    if state is not None:
        return ("kept", state), state
    halts = draw(bit(F(1, 4 - 2 * x)))
    return (HALT, x) if halts else ("quiet", None)


def keyed(state: Any, x: tuple[int, int], draw: Draw) -> tuple[Any, Any]:
    """A noisy view of a hidden key, then the input's bit if its slot is the key."""
    if state is None:
        key = draw(FAIR)
        return noisy(key, draw), key
    slot, payload = x
    return payload if slot == state else "miss", state


def composed_rr(rounds: int, weight: Fraction) -> Fraction:
    """Hockey stick of `rounds` independent randomised responses that all differ."""

    def chance(heads: int) -> Fraction:
        return KEEP**heads * (1 - KEEP) ** (rounds - heads)

    gaps = ((j, chance(j) - weight * chance(rounds - j)) for j in range(rounds + 1))
    return sum((comb(rounds, j) * max(F(0), gap) for j, gap in gaps), F(0))


# ---------------------------------------------------------------- step laws


def test_step_law_enumerates_dependent_draws_and_merges_equal_outcomes() -> None:
    def rule(state: Any, x: int, draw: Draw) -> tuple[Any, Any]:
        first = draw({0: F(1, 3), 1: F(2, 3), 2: F(0)})
        if first == 0:
            return x, state
        second = draw({"a": F(1, 4), "b": F(1, 4), "c": F(1, 2)})
        if second == "c":
            return 1 - draw(bit(F(2, 5))), state
        return (x, state) if second == "a" else ("b", second)

    law = step_law(Made("s", rule), "s", 1)
    assert law == {(1, "s"): F(1, 3) + F(1, 6) + F(1, 5), (0, "s"): F(2, 15), ("b", "b"): F(1, 6)}


def test_every_run_visits_each_draw_sequence_once() -> None:
    three = {0: F(1, 3), 1: F(1, 3), 2: F(1, 3)}
    runs = list(every_run(lambda draw: tuple(draw(three) for _ in range(3))))
    assert sorted(view for view, _ in runs) == list(product(range(3), repeat=3))
    assert {mass for _, mass in runs} == {F(1, 27)}


def test_step_law_without_draws_is_a_point() -> None:
    assert step_law(Made(0, lambda state, x, _draw: (x, state + 1)), 4, "x") == {("x", 5): F(1)}


@pytest.mark.parametrize(
    ("law", "error"),
    [
        ({0: 0.5, 1: 0.5}, TypeError),
        ({0: F(3, 2), 1: F(-1, 2)}, ValueError),
        ({0: F(1, 2)}, ValueError),
        ({}, ValueError),
    ],
)
def test_a_draw_from_no_exact_law_is_refused(law: Mapping[int, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        step_law(Made(0, lambda _state, _x, draw: (draw(law), 0)), 0, 0)


# ---------------------------------------------------------------- closed forms


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("horizon", [1, 2])
@pytest.mark.parametrize("legal", [hamming, hamming_at(1), unit_hamming])
def test_a_repeated_answer_is_one_randomised_response(
    value: Callable[..., Fraction], order: Order, horizon: int, legal: Legal
) -> None:
    for weight in (*curve_points(RR), *WEIGHTS):
        expected = hockey_stick_of_vertices(RR, weight, order)
        assert value(Made(None, shared_coin), (0, 1), horizon, legal, weight, order) == expected


def test_later_inputs_of_a_repeated_answer_are_private() -> None:
    for order in ORDERS:
        assert hidden_tree_hockey_stick(Made(None, shared_coin), (0, 1), 3, hamming_at(3), F(1), order) == 0


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("order", ORDERS)
def test_a_pad_hides_until_it_is_shown(value: Callable[..., Fraction], order: Order) -> None:
    pad = Made("fresh", one_time_pad)
    for weight in WEIGHTS:
        assert value(pad, (0, 1), 1, hamming, weight, order) == max(F(0), 1 - weight)
        assert value(pad, (0, 1), 2, hamming, weight, order) == 1
        assert value(pad, (0, 1), 2, hamming_at(2), weight, order) == max(F(0), 1 - weight)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("order", ORDERS)
def test_nothing_follows_a_halt(value: Callable[..., Fraction], order: Order) -> None:
    mechanism = Made(None, guarded)
    for weight in WEIGHTS:
        rising = max(F(0), F(1, 4) - weight / 2) + max(F(0), F(3, 4) - weight / 2)
        falling = max(F(0), F(1, 2) - weight / 4) + max(F(0), F(1, 2) - weight * 3 / 4)
        once = max(rising, falling)
        survived = F(3, 4) * once + F(1, 4) * max(F(0), 1 - weight)
        assert value(mechanism, (0, 1), 1, hamming, weight, order, halt=HALT) == once
        assert value(mechanism, (0, 1), 2, hamming_at(1), weight, order, halt=HALT) == once
        assert value(mechanism, (0, 1), 2, hamming_at(2), weight, order, halt=HALT) == survived


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("order", ORDERS)
def test_an_output_that_is_not_the_halt_does_not_end_the_run(value: Callable[..., Fraction], order: Order) -> None:
    mechanism = Made(None, guarded)
    assert value(mechanism, (0, 1), 2, hamming_at(1), F(1), order, halt=HALT) == F(1, 4)
    assert value(mechanism, (0, 1), 2, hamming_at(1), F(1), order) == F(1, 2)


def test_transcripts_of_different_lengths_sum_to_one() -> None:
    mechanism, alphabet = random_interactive(3, 2, 2, 2, True)
    lengths = set()
    for strategy in strategies(mechanism, alphabet, 2, hamming_at(2), HALT):
        for law in run_laws(mechanism, strategy, 2, HALT):
            assert sum(law.values()) == 1
            lengths |= {(len(view), view[-1] is HALT) for view in law}
    assert {(1, True), (2, False)} <= lengths <= {(1, True), (2, True), (2, False)}


def test_a_hidden_key_makes_adaptivity_worth_something() -> None:
    mechanism, alphabet = Made(None, keyed), tuple(product((0, 1), repeat=2))
    assert hidden_tree_hockey_stick(mechanism, alphabet, 2, hamming, F(2), "0-1") == F(3, 4)
    assert hidden_fixed_hockey_stick(mechanism, alphabet, 2, hamming, F(2), "0-1") == F(5, 8)


# ---------------------------------------------------------------- legal moves and hops


def test_unit_hamming_by_hand() -> None:
    fine: list[Pairs] = [(), ((0, 0), (5, 5)), ((2, 2), (1, 2)), ((3, 2),)]
    wrong: list[Pairs] = [((0, 2),), ((0, 1), (0, 1)), ((0, 1), (2, 0))]
    assert all(unit_hamming(pairs) for pairs in fine)
    assert not any(unit_hamming(pairs) for pairs in wrong)


def test_zero_out_by_hand() -> None:
    verdicts: dict[Pairs, tuple[bool, bool]] = {
        (): (True, True),
        ((1, 1),): (True, True),
        ((1, None),): (True, True),
        ((1, 1), (0, None), (0, 0)): (True, True),
        ((None, 1),): (False, False),
        ((0, 1),): (False, False),
        ((1, None), (1, None)): (False, False),
        ((1, None), (0, 1)): (False, False),
        ((None, None),): (True, False),
        ((None, None), (1, None)): (True, False),
    }
    for pairs, verdict in verdicts.items():
        assert (zero_out(None)(pairs), zero_out(None, null_elsewhere=False)(pairs)) == verdict


def test_zero_out_is_one_sided() -> None:
    def rule(_state: Any, x: Any, draw: Draw) -> tuple[Any, Any]:
        return draw(FAIR) if x == "real" else 0, None

    mechanism = Made(None, rule)
    for value, weight in product(VALUES, WEIGHTS):
        real_over_null = F(1, 2) + max(F(0), F(1, 2) - weight)
        null_over_real = max(F(0), 1 - weight / 2)
        query = (mechanism, ("real", "null"), 2, zero_out("null"), weight)
        assert value(*query, "0-1") == real_over_null
        assert value(*query, "1-0") == null_over_real


def test_hops_list_their_intermediate_inputs() -> None:
    two = hops(unit_hamming, 2)
    assert sorted(legal_next((0, 1, 2), two, ((0, 1, 2),))) == [(x, x, x) for x in range(3)]
    assert (0, 0, 2) not in legal_next((0, 1, 2), two, ())
    assert {(0, 1, 0), (0, 1, 2), (0, 0, 1), (1, 1, 1)} <= set(legal_next((0, 1, 2), two, ()))
    spent = legal_next((0, 1), hops(hamming, 2), ((0, 1, 1),))
    assert spent == [(0, 0, 0), (0, 0, 1), (1, 1, 0), (1, 1, 1)]


@pytest.mark.parametrize("order", ORDERS)
def test_hops_compose_randomised_response(order: Order) -> None:
    mechanism = Made(None, fresh_coins)
    for weight in WEIGHTS:
        for horizon, k in ((1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (3, 2), (2, 3)):
            expected = composed_rr(min(horizon, k), weight)
            game = hops(hamming, k)
            assert hidden_fixed_hockey_stick(mechanism, (0, 1), horizon, game, weight, order) == expected
            assert hidden_tree_hockey_stick(mechanism, (0, 1), horizon, game, weight, order) == expected
        assert seed_oracle(mechanism, (0, 1), 2, hops(hamming_at(1), 2), weight, order) == max(F(0), 1 - weight)


@pytest.mark.parametrize("value", VALUES)
def test_unit_hops_reach_further_inputs(value: Callable[..., Fraction]) -> None:
    mechanism = Made(None, lambda _state, x, draw: (draw(bit(F(x, 4))), None))
    for k, order in product((1, 2, 3), ORDERS):
        assert value(mechanism, (0, 1, 2, 3), 1, hops(unit_hamming, k), F(1), order) == F(k, 4)


def test_one_hop_is_the_plain_game() -> None:
    for seed in range(10):
        mechanism, alphabet = random_interactive(seed, 2, 2, 2, False)
        plain = hidden_tree_hockey_stick(mechanism, alphabet, 2, hamming, F(3, 2), "0-1")
        assert hidden_tree_hockey_stick(mechanism, alphabet, 2, hops(hamming, 1), F(3, 2), "0-1") == plain


def test_a_dead_end_or_a_bad_query_is_refused() -> None:
    mechanism = Made(None, fresh_coins)
    short: Legal = lambda pairs: len(pairs) <= 1  # noqa: E731
    for value in VALUES:
        with pytest.raises(ValueError, match="no legal continuation"):
            value(mechanism, (0, 1), 2, short, F(1), "0-1")
        with pytest.raises(ValueError, match="exp_epsilon"):
            value(mechanism, (0, 1), 1, hamming, F(0), "0-1")
    with pytest.raises(ValueError, match="hop"):
        hops(hamming, 0)


# ---------------------------------------------------------------- random mechanisms


def remembering(table: Table) -> Made:
    """A mechanism without hidden randomness as an interactive one: the state is the input prefix."""

    def rule(state: Any, x: Any, draw: Draw) -> tuple[Any, Any]:
        prefix = (*state, x)
        return draw(table.law(prefix)), prefix

    return Made((), rule)


def prefix_table(seed: int) -> Table:
    """A bit whose law depends on the whole input prefix in an arbitrary way."""

    def law(prefix: tuple[int, ...]) -> dict[int, Fraction]:
        number = sum((x + 1) * 3**t for t, x in enumerate(prefix)) * 37 + seed * 11
        return bit(F(number % 7, 7))

    return Table((0, 1), law)


@pytest.mark.parametrize("seed", chosen(range(12)))
def test_without_hidden_state_it_is_the_earlier_oracle(seed: int) -> None:
    table = prefix_table(seed)
    for order, weight, legal in product(ORDERS, (F(1), F(5, 3)), (hamming, hamming_at(1))):
        tree = transcript_tree_hockey_stick(table, 3, legal, weight, order)
        fixed = fixed_stream_hockey_stick(table, 3, legal, weight, order)
        assert hidden_tree_hockey_stick(remembering(table), (0, 1), 3, legal, weight, order) == tree
        assert hidden_fixed_hockey_stick(remembering(table), (0, 1), 3, legal, weight, order) == fixed


def tiny_games(seed: int) -> list[tuple[Any, ...]]:
    """Arguments of a few value queries on random mechanisms small enough for listing all adversaries."""
    bits, bit_inputs = random_interactive(seed, 2, 2 + seed % 2, 2, seed % 3 != 0)
    wide, wide_inputs = random_interactive(seed + 1000, 3, 2, 2, seed % 3 == 0)
    games: list[tuple[Any, ...]] = [(bits, bit_inputs, 2, hamming)]
    if seed % 2 == 0:
        games.append((bits, bit_inputs, 2, hops(unit_hamming, 2) if seed % 4 == 0 else zero_out(1)))
    else:
        games.append((wide, wide_inputs, 2, hamming_at(1) if seed % 4 == 1 else unit_hamming))
    changed_round = {0: 3, 10: 1, 14: 2}.get(seed)
    if changed_round is not None:
        games.append((bits, bit_inputs, 3, hamming_at(changed_round)))
    return games


@pytest.mark.in_turns
@pytest.mark.parametrize("seed", chosen(range(40)))
def test_joint_masses_agree_with_all_adversaries_on_all_draws(seed: int) -> None:
    order, weight = ORDERS[seed % 2], WEIGHTS[seed % len(WEIGHTS)]
    for game in tiny_games(seed):
        query = (*game, weight, order, HALT)
        assert hidden_tree_hockey_stick(*query) == seed_oracle(*query)


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(20)))
def test_order_relations_between_values(seed: int) -> None:
    mechanism, alphabet = random_interactive(seed, 2, 3, 2, seed % 2 == 0)
    for order in ORDERS:
        previous = F(0)
        for horizon in (1, 2, 3):
            tree = hidden_tree_hockey_stick(mechanism, alphabet, horizon, hamming, F(3, 2), order, HALT)
            fixed = hidden_fixed_hockey_stick(mechanism, alphabet, horizon, hamming, F(3, 2), order, HALT)
            assert fixed <= tree <= 1
            assert previous <= tree
            previous = tree
    sides = [hidden_tree_hockey_stick(mechanism, alphabet, 2, zero_out(1), F(1), order, halt=HALT) for order in ORDERS]
    assert sides[0] == sides[1], "total variation does not depend on the order"


@pytest.mark.in_turns
def test_adaptivity_is_often_strict_on_random_mechanisms() -> None:
    strict = 0
    for seed in range(20):
        mechanism, alphabet = random_interactive(seed, 2, 3, 2, False)
        fixed = hidden_fixed_hockey_stick(mechanism, alphabet, 3, hamming, F(3, 2), "0-1")
        strict += fixed < hidden_tree_hockey_stick(mechanism, alphabet, 3, hamming, F(3, 2), "0-1")
    assert strict >= 3


def test_random_mechanisms_are_fixed_by_their_seed_and_varied() -> None:
    made = [random_interactive(seed, 2, 3, 2, True)[0] for seed in range(40)]
    assert made == [random_interactive(seed, 2, 3, 2, True)[0] for seed in range(40)]
    assert len(set(made)) == 40
    kinds = {type(row) for mechanism in made for rows in mechanism.rows for row in rows}
    assert kinds == {Joint, Independent, StateFirst, MaybeSecond}


def test_random_mechanisms_use_what_they_are_offered() -> None:
    made = [random_interactive(seed, 2, 3, 2, True)[0] for seed in range(10)]
    laws = [step_law(mechanism, state, x) for mechanism in made for state in range(-1, 3) for x in (0, 1)]
    assert all(sum(law.values()) == 1 for law in laws)
    assert {visible for law in laws for visible, _ in law} == {0, 1, HALT}
    assert {state for law in laws for _, state in law} == {0, 1, 2}
    quiet = random_interactive(0, 2, 3, 2, False)[0]
    assert all(visible is not HALT for x in (0, 1) for visible, _ in step_law(quiet, quiet.initial, x))
