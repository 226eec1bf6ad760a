"""Sums that decide curves: which fit a core, which distance rises, which moduli are tried, and what is too many."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest

from dpcert import HAMMING, Budget, Pmf, PowerFunction
from dpcert.audit.checklist import aggregates
from dpcert.audit.checklist.aggregates import (
    _area,
    _around,
    _compared,
    _crossed,
    _DecompositionSearch,
    candidate,
    decomposition,
    integers,
    law_classes,
    modular,
    vectors,
)
from dpcert.audit.checklist.contexts import Curves, challenges
from dpcert.audit.games.paired import PairedGame, explore
from dpcert.audit.kernels.view import core_of

EVEN, LEANING, BELL = (1, 1), (4, 2, 1), (1, 2, 1)


@dataclass(frozen=True)
class Shifted:
    """Noise that is added to a sum of some inputs of each round: which ones, by round, and modulo m if it is not 0."""

    alphabet: tuple[Any, ...]
    noise: tuple[int, ...]
    index_sets: tuple[tuple[int, ...], ...]
    modulus: int = 0
    value: Callable[[Any], Any] = int

    def law(self, prefix: tuple[Any, ...]) -> Pmf[int]:
        total = sum(self.value(prefix[i - 1]) for i in self.index_sets[len(prefix) - 1])
        weights: dict[int, Fraction] = {}
        for step, weight in enumerate(self.noise):
            at = (total + step) % self.modulus if self.modulus else total + step
            weights[at] = weights.get(at, Fraction(0)) + Fraction(weight, sum(self.noise))
        return Pmf(weights)


BOTH = ((1,), (1, 2))


def search_of(core: Shifted, curves: Curves | None = None) -> _DecompositionSearch:
    return _DecompositionSearch(core_of(core), core.index_sets, curves or Curves(), Budget())


def decided(core: Shifted) -> tuple[str | None, str | None]:
    """The aggregate and the distance, once every difference was compared with its curve."""
    curves = Curves()
    aggregate, curve_of, distance = search_of(core, curves).best()
    if aggregate is not None:
        for rounds, of in enumerate(curve_of, 1):
            histories = law_classes(core_of(core), rounds, core.index_sets[rounds - 1], aggregate, Budget())
            assert histories is not None
            wanted = {
                (aggregate.minus(u, v)): PowerFunction.from_laws(law0, law1)
                for u, law0 in histories
                for v, law1 in histories
            }
            assert {difference: curves.powers[number] for difference, number in of.items()} == wanted
    return None if aggregate is None else aggregate.name, distance


@pytest.mark.parametrize(
    ("core", "name", "distance"),
    [
        (Shifted((0, 1, 2), BELL, BOTH), "the sum", "its size"),
        (Shifted((0, 1, 2), LEANING, BOTH), "the sum", None),  # either way round is another curve
        (Shifted((0, 1, 2, 3, 4), (3, 1, 0, 0, 1), BOTH, 5), "the sum modulo 5", "the shorter way round modulo 5"),
        (Shifted((0, 1, 2), LEANING, BOTH, 3), "the sum", None),
        (Shifted((0, 1, 2), BELL, BOTH, value=lambda x: x * x), None, None),
        (Shifted(((0, 0), (0, 1), (1, 0)), BELL, BOTH, value=sum), "the vector sum", None),  # (1, -1) is no change
        (Shifted(((0, 0), (0, 1), (0, 2)), BELL, BOTH, value=sum), "the vector sum", "its l1 norm"),
        (Shifted(("a", "b"), BELL, BOTH, value="ab".index), None, None),
    ],
)
def test_the_first_sum_with_a_distance_that_rises_is_taken(
    core: Shifted, name: str | None, distance: str | None
) -> None:
    assert decided(core) == (name, distance)


def test_what_excludes_a_distance_is_looked_for_in_every_round() -> None:
    for index_sets, round_ in ((((1,),), 1), (((), (2,)), 2)):
        core = core_of(Shifted((0, 1), LEANING, index_sets))
        levels, curves = explore(PairedGame(core, HAMMING, len(index_sets))).levels, Curves()
        shape = decomposition(core, levels, challenges(levels, curves, Budget()), curves, Budget())
        assert shape is not None
        assert shape.influence == index_sets
        assert shape.asymmetric is not None
        assert shape.asymmetric[-1] == round_
        sets = ", ".join(f"I_{t} = {{{', '.join(map(str, one))}}}" for t, one in enumerate(index_sets, 1))
        assert shape.in_words == f"The difference of the sum over I_t decides every one-round curve, with {sets}"
        assert shape.document(curves)["index_sets"] == list(map(list, index_sets))


def test_the_largest_coordinate_rises_where_the_sum_of_sizes_does_not() -> None:
    alphabet = ((0, 0), (1, 0), (0, 1), (1, 1))
    core = Shifted(alphabet, (1,), ((1,),), value=lambda x: 1 if any(x) else 0)
    search = search_of(core)
    (_, norm), (name, largest) = vectors(2).distances
    curve_of = ({(0, 0): 0, (1, 0): 1, (0, 1): 1, (1, 1): 1, (-1, 1): 1},)
    search.curves.powers.append(PowerFunction.from_vertices([(0, 0), (0, Fraction(1, 2)), (1, 1)]))
    assert search._violation(curve_of, largest) is None
    assert search._violation(curve_of, norm) is None  # level is as good as rising
    assert name == "its largest coordinate"
    falling = ({(0, 0): 0, (1, 0): 1, (1, 1): 0},)
    assert search._violation(falling, norm) == ((1, 0), (1, 1))
    assert search._violation(falling, largest) == ((1, 0), (1, 1))


# --- too many to compare


def test_where_sums_are_too_many_moduli_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    core = Shifted(tuple(range(7)), (3, 1, 0, 0, 1), BOTH, 5)
    monkeypatch.setattr(aggregates, "MOST_CLASSES", 13)
    assert decided(core) == ("the sum modulo 5", "the shorter way round modulo 5")
    plain, _ = search_of(core)._fitted(integers())
    assert plain is not None
    monkeypatch.setattr(aggregates, "MOST_CLASSES", 12)
    assert search_of(core)._fitted(integers()) == (None, False)
    assert decided(core) == ("the sum modulo 5", "the shorter way round modulo 5")


def test_where_no_modulus_has_a_distance_the_first_that_fits_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aggregates, "MOST_CLASSES", 6)
    core = Shifted(tuple(range(7)), LEANING, ((1,), (1, 2)), 3)
    aggregate, curve_of, distance = search_of(core)._modular_by_classes()
    assert aggregate is not None
    assert (aggregate.name, distance) == ("the sum modulo 3", None)
    assert [sorted(of) for of in curve_of] == [[0, 1, 2]] * 2
    none = Shifted(tuple(range(7)), BELL, BOTH, value=lambda x: x * x)
    assert search_of(none)._modular_by_classes() == (None, (), None)
    assert decided(none) == (None, None)
    monkeypatch.setattr(aggregates, "MOST_CLASSES", 7)
    whole_span = Shifted(tuple(range(7)), (3, 1, 0, 0, 0, 0, 1), BOTH, 7)  # no modulus below it fits
    aggregate, _, distance = search_of(whole_span)._modular_by_classes()
    assert aggregate is not None
    assert (aggregate.name, distance) == ("the sum modulo 7", "the shorter way round modulo 7")
    monkeypatch.setattr(aggregates, "MOST_CLASSES", 6)
    with_distance = Shifted(tuple(range(7)), EVEN, BOTH, 3)
    aggregate, _, distance = search_of(with_distance)._modular_by_classes()
    assert aggregate is not None
    assert (aggregate.name, distance) == ("the sum modulo 3", "the shorter way round modulo 3")


def test_a_round_that_is_too_many_to_compare_does_not_fit_whatever_the_others_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A sum that was not held against the curves of every round decides nothing."""
    many_last = Shifted((0, 1, 2), BELL, ((1,), (1, 2)))
    many_first = Shifted((0, 1, 2), BELL, ((1,), ()))
    monkeypatch.setattr(aggregates, "MOST_CLASSES", 3)
    assert search_of(many_last)._fitted(integers()) == (None, False)
    assert search_of(many_first)._fitted(integers())[0] is not None
    monkeypatch.setattr(aggregates, "MOST_CLASSES", 2)
    assert search_of(many_first)._fitted(integers()) == (None, False)
    misfit = Shifted((0, 1, 2), BELL, ((1,), ()), value=lambda x: x * x)
    odd = _DecompositionSearch(core_of(misfit), ((1,), ()), Curves(), Budget())
    assert odd._fitted(integers()) == (None, False)
    monkeypatch.setattr(aggregates, "MOST_CLASSES", 3)
    assert odd._fitted(integers()) == (None, True)


def test_a_sum_that_does_not_fit_a_later_round_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    squared = Shifted((0, 1, 2), BELL, ((), (2,)), value=lambda x: x * x)
    assert search_of(squared)._fitted(integers()) == (None, True)
    assert search_of(squared).best() == (None, (), None)
    monkeypatch.setattr(aggregates, "MOST_CLASSES", 1)
    assert search_of(squared)._fitted(integers()) == (None, False)


def test_as_many_states_and_classes_are_compared_as_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    core = core_of(Shifted((0, 1), BELL, BOTH))
    for name, count in (("MOST_CLASSES", 3), ("MOST_HISTORIES", 4)):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(aggregates, name, count)
            classes = law_classes(core, 2, (1, 2), integers(), Budget())
            assert classes is not None
            assert {total: history for (total, _), history in classes.items()} == {0: (0, 0), 1: (0, 1), 2: (1, 1)}
            patched.setattr(aggregates, name, count - 1)
            assert law_classes(core, 2, (1, 2), integers(), Budget()) is None
            assert _compared(core, 2, (1, 2), integers(), Curves(), Budget()) is None
    del monkeypatch
    plain = law_classes(core, 2, (1, 2), None, Budget())
    assert plain is not None
    assert {total for total, _ in plain} == {None}
    only = law_classes(core, 2, (2,), integers(), Budget())
    assert only is not None
    assert {total for total, _ in only} == {0, 1}  # one total of two laws is two classes
    assert len(only) == 4


# --- moduli


@pytest.mark.parametrize(
    ("alphabet", "most", "limit", "moduli", "untried"),
    [
        ((0, 3), 9, 100, [2, 3, 4], False),
        ((0, 3), 3, 100, [2, 3], False),
        ((-2, 0, 5), 99, 100, [2, 3, 4, 5, 6, 7, 8], False),
        ((0, 3), 9, 4, [2, 3, 4], False),
        ((0, 30, 60, 90), 200, 5, [2, 3, 4, 5, 60, 90, 120], True),
        ((10, 40, 70, 100), 200, 5, [2, 3, 4, 5, 60, 90, 120], True),
        ((0, 30, 60, 90), 200, 3, [2, 3, 60, 90], True),
        ((0, 30, 60, 90), 70, 5, [2, 3, 4, 5, 60], True),
    ],
)
def test_moduli_are_tried_in_order_and_past_a_number_those_that_divide_well(
    alphabet: tuple[int, ...], most: int, limit: int, moduli: list[int], untried: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aggregates, "MOST_MODULI", limit)
    search = search_of(Shifted(alphabet, BELL, ((1,),)))
    assert list(search._moduli(most)) == moduli
    assert bool(search.untried) is untried
    assert str(limit) in search.untried or not untried


def test_a_modulus_must_make_a_smaller_difference_of_the_larger_one() -> None:
    """Where a difference and its opposite have two curves no modulus helps, and none is tried."""
    leaning = Shifted((0, 1, 2), LEANING, ((1,),))
    curve_of, _ = search_of(leaning)._fitted(integers())
    assert curve_of is not None
    assert search_of(leaning)._modulus(curve_of) is None
    around = Shifted((0, 1, 2, 3, 4), (3, 1, 0, 0, 1), ((1,),), 5)
    search = search_of(around)
    curve_of, _ = search._fitted(integers())
    assert curve_of is not None
    assert search._violation(curve_of, abs) is not None
    assert search._modulus(curve_of) == 5
    rising = search_of(Shifted((0, 1, 2), BELL, ((1,),)))
    curve_of, _ = rising._fitted(integers())
    assert curve_of is not None
    assert rising._modulus(curve_of) is None


def test_the_shorter_way_round() -> None:
    assert [_around(5, v) for v in range(-3, 8)] == [2, 2, 1, 0, 1, 2, 2, 1, 0, 1, 2]
    ((_, size),) = modular(5).distances
    assert [size(v) for v in range(5)] == [0, 1, 2, 2, 1]
    assert modular(5).plus(4, 3) == modular(5).minus(1, 4) == 2


def test_sums_are_of_whole_numbers_or_of_vectors_of_one_length() -> None:
    assert candidate((0, 3)) is not None
    assert candidate((0, True)) is None
    two = candidate(((0, 1), (2, 3)))
    assert two is not None
    assert two.plus((1, 2), (3, 5)) == (4, 7)
    assert two.minus((1, 2), (3, 5)) == (-2, -3)
    assert two.zero == (0, 0)
    assert candidate(((0, 1), (2,))) is None
    assert candidate(((0, 1), (2, 0.5))) is None
    assert candidate(("a", "b")) is None


# --- curves that cross


def bent(x: int, y: int) -> PowerFunction:
    """The curve over the corner (x/10, y/10)."""
    return PowerFunction.from_vertices([(0, 0), (Fraction(x, 10), Fraction(y, 10)), (1, 1)])


def test_the_area_under_a_curve_is_that_of_its_trapezia() -> None:
    for curve in (bent(1, 5), bent(3, 8), PowerFunction.identity()):
        points = list(curve.vertices)
        trapezia = [(x1 - x0) * (y0 + y1) for (x0, y0), (x1, y1) in pairwise(points)]
        assert _area(curve) == sum(trapezia)


@pytest.mark.parametrize(
    ("curves", "crossed"),
    [
        ([bent(1, 2), bent(1, 5), bent(1, 7)], None),
        ([bent(1, 5), bent(5, 9)], (1, 2)),
        ([bent(2, 3), bent(1, 5), bent(5, 9)], (2, 3)),
        ([bent(5, 9), bent(2, 3), bent(1, 5)], (1, 3)),
        ([bent(1, 2)], None),
        ([], None),
    ],
)
def test_two_curves_that_cross_are_found_and_the_first_two_are_shown(
    curves: list[PowerFunction], crossed: tuple[int, int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Curves()
    numbers = [known.number(curve) for curve in curves]
    assert _crossed(numbers, known, Budget()) == crossed
    assert _crossed(numbers[::-1], known, Budget()) == crossed
    monkeypatch.setattr(aggregates, "SHOWN_IN_ORDER", len(curves) - 1)  # too many: any two
    found = _crossed(numbers, known, Budget())
    assert (found is None) is (crossed is None)
    if found is not None:
        f, g = (known.powers[number] for number in found)
        assert not f <= g
        assert not g <= f
