"""A mechanism's own promise (e^epsilon, delta): read with care, and held against the exact curve."""

from fractions import Fraction
from functools import partial
from typing import Any

import pytest

from dpcert import Budget, examine
from dpcert.audit.algebra.power import dp_power
from dpcert.audit.errors import MechanismError
from dpcert.audit.records.record import read
from dpcert.audit.verdicts.guarantee import Guarantee, stated
from dpcert.mechanisms.randbin.toy import RandBinToy

REACHED = Fraction(446, 729)
"""delta of the toy at e^epsilon = 1, 13 rounds; at 2 it is 389/729."""
npp = partial(examine, game="npp", horizon=13, exp_epsilons=(1, 2, 4))


def promising(given: Any) -> RandBinToy:
    """The toy with a promise."""

    class Promising(RandBinToy):
        guarantee = given

    return Promising()


@pytest.mark.parametrize("given", [(Fraction(2), Fraction(1, 3)), (1, 0), (5, 1)])
def test_two_rationals_are_a_promise(given: tuple[Any, Any]) -> None:
    assert stated(promising(given)) == Guarantee(Fraction(given[0]), Fraction(given[1]))


@pytest.mark.parametrize(
    "given",
    [
        (Fraction(1, 2), 0),
        (2, Fraction(3, 2)),
        (2, -1),
        (2.0, 0),
        (2, True),
        (2,),
        (2, 0, 0),
        [2, 0],
        2,
        ("2", "0"),
        (None, 0),
    ],
)
def test_anything_else_is_refused_in_one_line(given: Any) -> None:
    with pytest.raises(MechanismError, match=r"Promising\.guarantee to be") as refused:
        npp(promising(given))
    assert "\n" not in str(refused.value)


def test_a_promise_that_raises_is_refused_with_its_line() -> None:
    class Failing(RandBinToy):
        @property
        def guarantee(self) -> Any:
            raise ValueError("no promise today")

    with pytest.raises(MechanismError, match=r"Failing\.guarantee raised ValueError: no promise today \(.*:\d+\)"):
        npp(Failing())


@pytest.mark.in_turns
def test_without_a_promise_there_is_none() -> None:
    record = npp(RandBinToy())
    assert stated(RandBinToy()) is None
    assert record["bound"]["dp"] is None
    assert "promise" not in record.to_text()


@pytest.mark.in_turns
def test_a_promise_that_is_kept_is_said_to_be() -> None:
    record = npp(promising((Fraction(1), REACHED)))
    assert read(record.to_json())["bound"]["dp"] == {"exp_epsilon": "1", "delta": "446/729"}
    assert record["bound"]["verdict"] == record["verdict"] == "HOLDS"
    assert "keeps to delta 446/729 at e^epsilon = 1." in record["bound"]["detail"]
    assert "The mechanism promises δ 446/729 (≈ 0.611797) at e^ε = 1." in record.to_text()
    assert "The mechanism promises δ 446/729" in record.to_html()


@pytest.mark.in_turns
def test_a_promise_that_is_broken_below_the_bound_is_refuted_with_a_witness() -> None:
    """The bound allows 211/243 everywhere, so that nothing but the promise is in the way."""
    promise = Fraction(2), Fraction(389, 729) - Fraction(1, 10**6)
    record = npp(promising(promise))
    assert record["bound"]["verdict"] == record["verdict"] == "REFUTED"
    witness = record["bound"]["witness"]
    assert (witness["exp_epsilon"], Fraction(witness["reached"])) == ("2", Fraction(389, 729))
    assert Fraction(witness["allowed"]) == promise[1]
    attained = [s for s in record["adaptive"]["strategies"] if s["exp_epsilon"] == "2" and s["replayed"] == "389/729"]
    assert witness["order"] in {s["order"] for s in attained}


@pytest.mark.in_turns
def test_a_promise_at_another_slope_than_those_asked_for_has_its_adversary() -> None:
    record = npp(promising((Fraction(3, 2), Fraction(0))))
    assert record["bound"]["witness"]["exp_epsilon"] == "3/2"
    assert "3/2" in {s["exp_epsilon"] for s in record["adaptive"]["strategies"]}


@pytest.mark.in_turns(few=True)
def test_where_only_an_upper_bound_is_above_the_promise_it_is_open() -> None:
    class Modest(RandBinToy):
        guarantee = (Fraction(1), Fraction(9, 10))

        def bound(self, *_: Any) -> Any:
            return dp_power(Fraction(1), Fraction(1))

    record = npp(Modest(), budget=Budget(max_positions=40))
    assert record["adaptive"]["tier"] == "enclosed"
    assert record["bound"]["verdict"] == record["verdict"] == "UNDECIDED"
    assert "whether it keeps to delta 9/10 at e^epsilon = 1 is open" in record["bound"]["detail"]


@pytest.mark.in_turns
def test_without_a_bound_a_promise_can_still_be_broken() -> None:
    class Boundless(RandBinToy):
        guarantee = (Fraction(1), Fraction(1, 2))
        bound = None  # type: ignore[assignment]

    record = npp(Boundless())
    assert record["bound"]["verdict"] == "REFUTED"
    assert record["bound"]["power"] is None
    assert record["bound"]["dp"] == {"exp_epsilon": "1", "delta": "1/2"}


def test_a_curve_exceeds_a_promise_in_one_order_only() -> None:
    curve = dp_power(Fraction(2), Fraction(1, 4))
    assert Guarantee(Fraction(2), Fraction(1, 4)).exceeded(curve) is None
    excess = Guarantee(Fraction(2), Fraction(1, 5)).exceeded(curve)
    assert excess is not None
    assert (excess.reached, excess.allowed) == (Fraction(1, 4), Fraction(1, 5))
