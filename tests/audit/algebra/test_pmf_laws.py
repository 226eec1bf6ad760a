"""Exact laws against plain dictionaries of Fractions."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from instances.experiments import CHANNELS, LAWS, ONE, PROBABILITIES, SHARES, ZERO, Channel, Law, drawn, through

from dpcert import ArgumentError, Pmf, bernoulli, dp_power, from_weights, point, uniform
from dpcert.audit.algebra import common_laws

F = Fraction
WEIGHTS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9)), min_size=1, max_size=6).map(
    lambda pairs: pairs if any(w for _, w in pairs) else [("a", 1)]
)
BAD_WEIGHTS = [
    ({"a": float(ONE)}, "a float is not exact"),
    ({"a": True}, "exact rational"),
    ({"a": "1"}, "exact rational"),
    ({"a": F(3, 2), "b": F(-1, 2)}, "at least 0 for outcome 'b' but got weight=-1/2"),
    ({"a": F(3, 4)}, r"sum=3/4 \(short by 1/4\)"),
    ({"a": F(3, 4), "b": F(1, 3)}, r"sum=13/12 \(over by 1/12\)"),
    ({}, r"sum=0 \(short by 1\)"),
    ([(["a"], 1)], "hashable outcome but got outcome=\\['a'\\]"),
]


def table(law: Pmf[str]) -> dict[str, Fraction]:
    """Outcome -> probability."""
    return dict(law.items())


@drawn
@given(WEIGHTS)
def test_equal_outcomes_add_up_and_empty_ones_go(pairs: list[tuple[str, int]]) -> None:
    total = sum(w for _, w in pairs)
    law = Pmf([(y, F(w, total)) for y, w in pairs])
    sums = {y: F(sum(w for x, w in pairs if x == y), total) for y, _ in pairs}
    assert table(law) == {y: w for y, w in sums.items() if w}
    assert law.support == tuple(dict.fromkeys(y for y, w in pairs if w))
    assert all(law.probability(y) == w for y, w in sums.items())
    assert law.probability("z") == 0
    assert sum(table(law).values()) == 1
    assert len(law) == len(law.support)


@drawn
@given(WEIGHTS)
def test_integer_weights_are_in_lowest_terms(pairs: list[tuple[str, int]]) -> None:
    total = sum(w for _, w in pairs)
    law = Pmf([(y, F(w, total)) for y, w in pairs])
    weights, denominator = law.integer_weights()
    assert sum(weights.values()) == denominator
    assert {y: F(w, denominator) for y, w in weights.items()} == table(law)
    assert not any(all(w % k == 0 for w in weights.values()) for k in range(2, denominator + 1))


@drawn
@given(WEIGHTS, st.integers(1, 7))
def test_proportional_weights_give_the_same_law(pairs: list[tuple[str, int]], factor: int) -> None:
    weights = {y: sum(w for x, w in pairs if x == y) for y, _ in pairs}
    law, scaled = from_weights(weights), from_weights({y: factor * w for y, w in reversed(weights.items())})
    total = sum(weights.values())
    assert law == scaled == Pmf({y: F(w, total) for y, w in weights.items()})
    assert hash(law) == hash(scaled)
    assert len({law, scaled}) == 1


@drawn
@given(LAWS, LAWS)
def test_equality_is_equality_of_probabilities(one: Law, two: Law) -> None:
    assert (one == two) == (table(one) == table(two))
    assert one != table(one)


@drawn
@given(LAWS)
def test_map_adds_up_preimages(law: Law) -> None:
    parity = law.map(lambda y: ord(y) % 2)
    assert all(parity.probability(k) == sum((w for y, w in law.items() if ord(y) % 2 == k), ZERO) for k in (0, 1))
    assert law.map(lambda y: y) == law
    assert law.map(len) == point(1)
    with pytest.raises(ArgumentError, match="hashable outcome"):
        law.map(lambda y: [y])


@drawn
@given(LAWS, LAWS)
def test_a_product_multiplies_and_gives_back_its_marginals(one: Law, two: Law) -> None:
    both = one.product(two)
    assert all(w == one.probability(y) * two.probability(z) for (y, z), w in both.items())
    assert len(both) == len(one) * len(two)
    assert both.map(lambda pair: pair[0]) == one
    assert both.map(lambda pair: pair[1]) == two


@drawn
@given(LAWS, CHANNELS)
def test_mix_is_the_law_of_total_probability(law: Law, channel: Channel) -> None:
    mixed = Pmf.mix([(w, channel[y]) for y, w in law.items()])
    assert mixed == through(law, channel)
    assert Pmf.mix([(1, law)]) == law
    assert Pmf.mix([(w, point(y)) for y, w in law.items()]) == law


@drawn
@given(SHARES, LAWS)
def test_mix_refuses_shares_that_are_no_law(shares: list[Fraction], law: Law) -> None:
    assert Pmf.mix([(s, law) for s in shares]) == law
    with pytest.raises(ArgumentError, match=r"sum=3/2 \(over by 1/2\)"):
        Pmf.mix([*((s, law) for s in shares), (F(1, 2), law)])
    with pytest.raises(ArgumentError, match="at least 0"):
        Pmf.mix([*((s, law) for s in shares), (F(1, 2), law), (F(-1, 2), law)])
    with pytest.raises(ArgumentError, match="share"):
        Pmf.mix([(float(ONE), law)])  # type: ignore[list-item]


@drawn
@given(st.dictionaries(st.sampled_from([0, 1, "a", "b", (1,), True, F(1, 2)]), st.integers(0, 12), max_size=5))
def test_a_law_of_plain_weights_is_that_of_its_shares(weights: dict[Any, int]) -> None:
    total = sum(weights.values())
    if total == 0:
        with pytest.raises(ArgumentError, match="at least one positive weight"):
            from_weights(weights)
        return
    law, slow = from_weights(weights), Pmf([(y, F(w, total)) for y, w in weights.items()])
    assert (law, hash(law), law.support, repr(law)) == (slow, hash(slow), slow.support, repr(slow))
    assert law.token_weights() == slow.token_weights()
    weights.clear()
    assert law == slow


@drawn
@given(PROBABILITIES, st.lists(st.sampled_from("abc"), min_size=1, max_size=6))
def test_the_named_laws(p: Fraction, listed: list[str]) -> None:
    assert (bernoulli(p).probability(0), bernoulli(p).probability(1)) == (1 - p, p)
    assert bernoulli(p) == Pmf({0: 1 - p, 1: p})
    assert bernoulli(p).support == Pmf({0: 1 - p, 1: p}).support
    assert all(uniform(listed).probability(y) == F(listed.count(y), len(listed)) for y in "abc")
    assert uniform(iter(listed)) == uniform(listed)
    assert table(point(listed[0])) == {listed[0]: 1}
    assert uniform([0, 1]) == bernoulli(F(1, 2))


@pytest.mark.parametrize(("weights", "complaint"), BAD_WEIGHTS)
def test_weights_of_no_law_are_refused(weights: dict[str, Fraction], complaint: str) -> None:
    with pytest.raises(ArgumentError, match=complaint):
        Pmf(weights)


@pytest.mark.parametrize("weight", [True, -1, F(1), float(ONE), "1"])
def test_from_weights_takes_whole_numbers_only(weight: int) -> None:
    with pytest.raises(ArgumentError, match="whole number of at least 0 for outcome 'b'"):
        from_weights({"a": 2, "b": weight})


def test_named_laws_refuse_what_they_cannot_mean() -> None:
    for p in (F(-1, 9), F(10, 9)):
        with pytest.raises(ArgumentError, match=r"probability in \[0, 1\] but got p="):
            bernoulli(p)
    with pytest.raises(ArgumentError, match="but got p=True"):
        bernoulli(True)
    with pytest.raises(ArgumentError, match="at least one outcome"):
        uniform([])
    for empty in ({}, {"a": 0}):
        with pytest.raises(ArgumentError, match="at least one positive weight"):
            from_weights(empty)
    with pytest.raises(ArgumentError, match="hashable outcome"):
        point(["a"])


def test_a_law_is_frozen() -> None:
    law = bernoulli(F(1, 3))
    with pytest.raises(AttributeError, match="frozen"):
        law._denominator = 4
    with pytest.raises(AttributeError):
        law.name = "third"
    assert law == Pmf({0: F(2, 3), 1: F(1, 3)})


def test_integers_of_fixed_width_do_not_wrap() -> None:
    numpy = pytest.importorskip("numpy")
    wide = numpy.int64(2**62)
    assert dp_power(wide) == dp_power(2**62)
    assert dp_power(numpy.int64(2**31), Fraction(1, 3)) == dp_power(2**31, Fraction(1, 3))
    assert Pmf({0: numpy.int64(1)}) == point(0)
    narrow = Fraction(numpy.int64(1), numpy.int64(2**62 + 1))  # holds what it was given
    law = Pmf({0: narrow, 1: 1 - Fraction(1, 2**62 + 1)})
    assert Pmf.mix([(narrow, law), (1 - Fraction(1, 2**62 + 1), law)]) == law
    assert law.convolve(law).probability(0) == Fraction(1, (2**62 + 1) ** 2)


def test_an_unhashable_outcome_is_refused_at_weight_0_too() -> None:
    with pytest.raises(ArgumentError, match="hashable outcome"):
        Pmf([([], 0), ("a", 1)])  # type: ignore[list-item]


NUMBERS = st.dictionaries(st.one_of(st.integers(-3, 3), st.sampled_from((F(1, 2), F(-1, 3)))), st.integers(0, 5))
NUMBER_LAWS = NUMBERS.filter(lambda weights: any(weights.values())).map(from_weights)


@pytest.mark.in_turns
@drawn
@given(NUMBER_LAWS, NUMBER_LAWS)
def test_the_law_of_a_sum_adds_up_all_pairs(one: Pmf[Any], other: Pmf[Any]) -> None:
    wanted: dict[tuple[str, Any], Fraction] = {}
    for y, v in one.items():
        for z, w in other.items():
            key = type(y + z).__name__, y + z
            wanted[key] = wanted.get(key, F(0)) + v * w
    found = {(type(y).__name__, y): w for y, w in one.convolve(other).items()}
    assert found == wanted
    assert one.convolve(other) == other.convolve(one)


@drawn
@given(NUMBER_LAWS, st.integers(-3, 3))
def test_a_condition_divides_by_the_probability_of_the_event(law: Pmf[Any], least: int) -> None:
    event = {y: w for y, w in law.items() if y >= least}
    if not event:
        with pytest.raises(ArgumentError, match="an event of positive probability"):
            law.condition(lambda y: y >= least)
        return
    given_it = law.condition(lambda y: y >= least)
    assert dict(given_it.items()) == {y: w / sum(event.values()) for y, w in event.items()}


@pytest.mark.parametrize("outcome", [True, 1 / 2, "a", (1, 2), None])
def test_sums_that_round_or_are_none_are_refused(outcome: Any) -> None:
    for one, other in ((point(outcome), point(1)), (point(1), point(outcome))):
        with pytest.raises(ArgumentError, match="outcomes that add up exactly, ints or Fractions, but got outcome="):
            one.convolve(other)


LOOKALIKES: list[Any] = [1, True, 1.0, F(1), "1", b"1", (1,), np.int64(1), 2**70, None]


def test_laws_that_are_kept_are_those_of_their_own_outcomes_alone() -> None:
    """What is written alike, or compares equal, is another law: `from_weights` keeps small laws by what they hold."""
    for _ in range(2):
        for y in LOOKALIKES:
            made = from_weights({y: 2, "other": 1})
            assert [(type(z), z) for z in made.support] == [(type(y), y), (str, "other")]
            assert made == Pmf({y: F(2, 3), "other": F(1, 3)})
    for weight in (True, 1.0, np.int64(1)):
        assert from_weights({"kept": 1, "other": 1}).probability("kept") == F(1, 2)
        with pytest.raises(ArgumentError, match="whole number"):
            from_weights({"kept": weight, "other": 1})


def test_no_more_laws_are_kept_than_it_says() -> None:
    for i in range(2 * common_laws.MOST_KEPT_LAWS):
        assert from_weights({"number": 1, i: 1}).support == ("number", i)
    assert len(common_laws._KEPT) <= common_laws.MOST_KEPT_LAWS
    changed = {"a": 1, "b": 2}
    before = from_weights(changed)
    changed["a"] = 5
    assert from_weights(changed) != before == from_weights({"a": 1, "b": 2})
