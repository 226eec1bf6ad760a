"""What the claims' checks are made of can itself come out otherwise."""

from fractions import Fraction
from itertools import product

import pytest
import sympy

from dpcert import bernoulli
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.finding import Verdict
from dpcert.audit.games.npp import npp_game, simulated
from dpcert.audit.games.of_views import game_of
from dpcert.audit.kernels.feeding import feeding
from dpcert.audit.kernels.view import view_of
from dpcert.audit.relations.edits import EDIT
from dpcert.mechanisms.randbin.bin_sum import BinSum
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.curves import exact_power
from dpcert.proofs_checked.cases.dp_lines import at, below, lines, then
from dpcert.proofs_checked.cases.events import gap, knapsack
from dpcert.proofs_checked.cases.laws import channels, curves, laws
from dpcert.proofs_checked.cases.replayed import FedBins, simulation_alone
from dpcert.proofs_checked.cases.symbols import equal, nonnegative, ratio, settled, share
from dpcert.proofs_checked.ledger import found

QUARTERS = [Fraction(n, 4) for n in range(5)]


def test_signs_are_proved_only_where_they_are_right() -> None:
    a, d = ratio("a"), share("d")
    right = [a - 1, 1 - d, a * a - a, a - 1 / a, d * (1 - d), (1 - d) / (1 + a)]
    wrong = [1 - a, d - 1, a - 2, d - sympy.Rational(1, 2), -d / a, sympy.Max(a, d) - 1, sympy.Symbol("x")]
    assert all(nonnegative(expression) for expression in right)
    assert not any(nonnegative(expression) for expression in wrong)


def test_identities_are_told_from_what_only_looks_like_one() -> None:
    a, d = ratio("a"), share("d")
    assert equal((a * a - 1) / (a + 1), a - 1)
    assert equal(d + (1 - d), 1)
    assert not equal(a * d, d)


@pytest.mark.parametrize(("proved", "examples"), list(product([True, False], repeat=2)))
def test_a_proof_and_its_examples_have_to_agree(proved: bool, examples: bool) -> None:
    verdict = settled(proved, "Proof.", found(examples, "Examples.")).verdict
    agreed = Verdict.HOLDS if proved else Verdict.REFUTED
    assert verdict is (agreed if proved is examples else Verdict.UNDECIDED)


def test_no_case_is_no_proof() -> None:
    assert every("cases", [], lambda: True).verdict is Verdict.REFUTED


def test_lines_are_those_of_the_curve_and_are_told_apart() -> None:
    a, d = ratio("a"), share("d")
    assert below(lines(a, d), lines(a, 1))
    assert not below(lines(a, 1), lines(a, d))
    two, half = Fraction(2), Fraction(1, 2)
    assert min(at(line, 0) for line in then(lines(two, half), lines(two, half))) == 1


def test_values_from_events() -> None:
    p, q = bernoulli(Fraction(1, 2)), bernoulli(Fraction(3, 4))
    assert [knapsack(p, q, alpha) for alpha in QUARTERS] == [0, Fraction(3, 8), Fraction(3, 4), Fraction(7, 8), 1]
    assert gap(q, p, Fraction(1)) == Fraction(1, 4)
    assert gap(q, p, Fraction(2)) == 0


def test_families_are_whole() -> None:
    assert len(laws(3, 4)) == 15
    assert len(list(channels(3, 2, 2))) == 27
    assert len(curves(2, 1)) == 2  # equal laws, and laws that no event can mistake


@pytest.mark.in_turns
def test_replayed_games_are_those_that_are_enumerated() -> None:
    toy = RandBinToy()
    alone = exact_power(npp_game(simulation_alone(toy), 9))
    assert PowerFunction.identity() < alone == exact_power(npp_game(simulated(toy), 9))
    fed = exact_power(game_of(FedBins(toy, BinSum()).view((0, 1)), EDIT, 7))
    assert PowerFunction.identity() < fed == exact_power(game_of(view_of(feeding(toy, BinSum(), (0, 1))), EDIT, 7))
