"""Events of dp-accounting: what is composed, by closed forms and enumeration; the rest is undecided by its name."""

import json
import math
from fractions import Fraction
from importlib.resources import files
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest
from instances import foreign as events

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction, supremum
from dpcert.audit.commands.cli import run
from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.foreign.event import composition
from dpcert.mechanisms.foreign.event_account import EventAccount, event_account
from dpcert.mechanisms.foreign.laplace_chains import Weights, discrete_laplace, laplace, noised
from dpcert.mechanisms.foreign.sampled import fixed_size, poisson
from dpcert.mechanisms.foreign.their_epsilon import Accountant
from dpcert.mechanisms.foreign.undecided import UndecidedError

DELTA = Fraction(1, 10**5)
ONE = Fraction(1)
SCHEMA = json.loads(files("dpcert.audit.records").joinpath("schemas", "event-1.json").read_text(encoding="utf-8"))


def account(event: Any, *, replaced: bool = False, epsilons: tuple[Fraction, ...] = (ONE,)) -> EventAccount:
    made = composition(event, replace_one=replaced)
    return event_account("e", made, "", ((DELTA,), epsilons), Accountant("none"))


def cut(law: Weights, w: Fraction, most: int) -> Pmf[int]:
    """x + Z by convolution, all of it beyond `most` put together at both ends: another way to the same law."""
    middle = {z: (1 - w) / (1 + w) * w ** abs(z) for z in range(-most + 1, most)}
    middle[most] = middle[-most] = w**most / (1 + w)
    return Pmf.mix([(p, Pmf([(x + z, q) for z, q in middle.items()])) for x, p in law])


@pytest.mark.parametrize("seed", range(8))
def test_noise_on_any_two_laws_against_convolution(seed: int) -> None:
    draw = Random(seed)
    w = Fraction(draw.randint(1, 9), 10)

    def law() -> Weights:
        values = draw.sample(range(-3, 4), draw.randint(1, 3))
        return [(x, Fraction(1, len(values))) for x in values]

    law0, law1 = law(), law()
    exact = noised(law0, law1, w)
    near = PowerFunction.from_laws(cut(law0, w, 40), cut(law1, w, 40))
    for e in (1, 2, Fraction(1, 3)):
        off = abs(exact.hockey_stick(e) - near.hockey_stick(e))
        assert off <= 4 * w**34  # beyond so many steps the cut law is another one


def test_a_change_in_one_coordinate_is_the_worst_of_its_size() -> None:
    draw = Random(1)
    for _ in range(20):
        w, s, t = Fraction(draw.randint(1, 19), 20), draw.randint(1, 4), draw.randint(1, 4)

        def at(shift: int, w: Fraction = w) -> PowerFunction:
            return noised([(0, ONE)], [(shift, ONE)], w)

        assert at(s).tensor(at(t)) <= at(s + t)


def test_more_noise_is_less_power_whatever_is_sampled() -> None:
    draw = Random(2)
    for _ in range(20):
        low, high = sorted(Fraction(x, 20) for x in draw.sample(range(1, 20), 2))
        q = Fraction(draw.randint(0, 4), 4)
        laws: list[Weights] = [[(0, ONE)], [(0, 1 - q), (draw.randint(-3, 3), q)]]
        assert noised(laws[0], laws[1], high) <= noised(laws[0], laws[1], low)


def test_laplace_noise_against_its_closed_form() -> None:
    for decay in (Fraction(1, 5), Fraction(1), Fraction(3)):
        found = laplace(decay, 64)
        for epsilon in (Fraction(0), decay / 3, decay / 2, decay * 2):
            truth = max(0.0, 1 - math.exp(float(epsilon - decay) / 2))
            low, high = found.lower.delta_at(epsilon), found.upper.delta_at(epsilon)
            assert low.lower is not None
            assert high.upper is not None
            assert float(low.lower) - 1e-12 <= truth <= float(high.upper) + 1e-12
            assert high.upper - low.lower < Fraction(1, 1000)


def test_discrete_laplace_noise_is_pure() -> None:
    found = discrete_laplace(Fraction(1, 3), 2)
    ratios = found.lower.largest_ratio, found.upper.largest_ratio
    assert all(ratio is not None and abs(float(ratio) - math.exp(2 / 3)) < 1e-9 for ratio in ratios)


def test_gaussians_compose_to_one() -> None:
    whole = events.ComposedDpEvent([events.SelfComposedDpEvent(events.GaussianDpEvent(4.0), 15), events.NoOpDpEvent()])
    made = account(events.ComposedDpEvent([whole, events.GaussianDpEvent(4.0)]))
    low, high = made.epsilons[0].ours.finite()
    assert Fraction("4.37717") < low <= high < Fraction("4.37718")
    assert composition(events.GaussianDpEvent(2.0), replace_one=True).mu_squared == 1


@pytest.mark.in_turns
def test_gaussian_and_discrete_laplace_noise_together_against_a_sum() -> None:
    """delta of f ⊗ f_mu as the mean over losses of the one of delta of the other, by the error function."""
    decay, count = 0.5, 3
    made = account(
        events.ComposedDpEvent(
            [events.GaussianDpEvent(1.0), events.SelfComposedDpEvent(events.DiscreteLaplaceDpEvent(decay, 1), count)]
        )
    )

    def gaussian(epsilon: float) -> float:
        def tail(x: float) -> float:
            return math.erfc(x / math.sqrt(2)) / 2

        return tail(epsilon - 0.5) - math.exp(epsilon) * tail(epsilon + 0.5)

    p = 1 / (1 + math.exp(-decay))
    truth = sum(
        math.comb(count, k) * p**k * (1 - p) ** (count - k) * gaussian(1 - decay * (2 * k - count))
        for k in range(count + 1)
    )
    low, high = made.deltas[0].ours.finite()
    assert float(low) - 1e-12 <= truth <= float(high) + 1e-12
    assert high - low < Fraction(1, 10**9)


def test_randomised_response_as_often_as_it_is_composed() -> None:
    event = events.SelfComposedDpEvent(events.RandomizedResponseDpEvent(0.5, 4), 10)
    low, high = account(event, replaced=True).epsilons[0].ours.finite()
    assert 16.0932 < float(low) <= float(high) < 16.0933  # nearly 10 ln 5
    with pytest.raises(UndecidedError, match="replace-one"):
        composition(event)


def test_what_is_known_by_a_bound_alone_says_so() -> None:
    made = account(events.ComposedDpEvent([events.ZCDpEvent(0.25), events.GaussianDpEvent(2.0**0.5)]))
    assert made.kind.value == "upper bound"
    assert (made.composed.rho, float(made.composed.mu_squared)) == (Fraction(1, 4), pytest.approx(0.5))
    high = made.epsilons[0].ours.upper
    assert high is not None
    assert 4.728 < float(high) < 4.729  # as of rho = 1/2
    pure = account(events.ZCDpEvent(0.0, 0.5))
    assert pure.epsilons[0].ours.upper == Fraction(1, 2)
    with pytest.raises(UndecidedError, match="zCDP"):
        account(events.ComposedDpEvent([events.ZCDpEvent(0.25), events.LaplaceDpEvent(1.0)]))


def test_no_privacy_is_infinite_and_nothing_is_nothing() -> None:
    made = account(events.ComposedDpEvent([events.NonPrivateDpEvent(), events.GaussianDpEvent(1.0)]))
    assert made.epsilons[0].ours.lower is None
    assert made.deltas[0].ours.lower == 1
    for silent in (events.GaussianDpEvent(0.0), events.LaplaceDpEvent(0.0), events.DiscreteLaplaceDpEvent(0.0, 1)):
        assert account(silent).epsilons[0].ours.lower is None
    assert account(events.NoOpDpEvent()).epsilons[0].ours.upper == 0
    assert account(events.SelfComposedDpEvent(events.GaussianDpEvent(1.0), 0)).deltas[0].ours.upper == 0


@pytest.mark.parametrize("others", [0, 1, 2])
def test_a_poisson_sample_is_the_worst_with_no_other_record(others: int) -> None:
    """Every dataset and every sample, the laws of sums by enumeration, against the pairs that are enumerated there."""
    q, w = Fraction(1, 3), Fraction(1, 2)

    def law(record: int | None, rest: tuple[int, ...]) -> Weights:
        sums: dict[int, Fraction] = {}
        present = (*rest, *(() if record is None else (record,)))
        for kept in product((0, 1), repeat=len(present)):
            weight = math.prod((q if k else 1 - q for k in kept), start=ONE)
            total = sum(x for x, k in zip(present, kept, strict=True) if k)
            sums[total] = sums.get(total, Fraction(0)) + weight
        return list(sums.items())

    rests = list(product((-1, 0, 1), repeat=others))
    every = supremum(noised(law(None, rest), law(x, rest), w) for rest in rests for x in (-1, 0, 1))
    alone = supremum(noised(law(None, ()), law(x, ()), w) for x in (-1, 0, 1))
    assert every <= alone
    found = poisson(Fraction("0.6931471805599453"), 1, q, replace_one=False)  # nearly ln 2
    assert abs(found.alone.upper.delta(1) - alone.delta(1)) < Fraction(1, 10**12)


def test_a_sample_of_fixed_size_is_enumerated() -> None:
    found = fixed_size(Fraction("0.6931471805599453"), 1, 3, 1)
    third = Fraction(1, 3)
    best = supremum(
        noised([(a, third), (x, third), (y, third)], [(b, third), (x, third), (y, third)], Fraction(1, 2))
        for a, b, x, y in product((-1, 0, 1), repeat=4)
    )
    for e in (1, Fraction(11, 10)):
        assert abs(found.alone.lower.delta(e) - best.delta(e)) < Fraction(1, 10**12)
    assert found.pairs == 81
    with pytest.raises(ArgumentError, match="at most 2000 samples"):
        fixed_size(ONE, 2, 9, 4)


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (events.PoissonSampledDpEvent(0.1, events.GaussianDpEvent(1.0)), "PoissonSampledDpEvent of GaussianDpEvent"),
        (events.ComposedDpEvent([events.RepeatAndSelectDpEvent(events.NoOpDpEvent(), 1.0, 1.0)]), "RepeatAndSelect"),
        (events.SampledWithoutReplacementDpEvent(4, 2, events.DiscreteLaplaceDpEvent(1.0, 1)), "replace-one"),
        (events.SelfComposedDpEvent(events.LaplaceDpEvent(1.0), 10**6), "MOST_EVENT_ATOMS"),
        (events.SelfComposedDpEvent(events.LaplaceDpEvent(1.0), 1000), "MOST_EVENT_BITS"),
    ],
)  # fmt: skip
def test_the_rest_is_undecided_by_its_name(event: Any, words: str) -> None:
    with pytest.raises(UndecidedError, match=words):
        account(event)


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (events.GaussianDpEvent(-1.0), "noise_multiplier=-1.0"),
        (events.GaussianDpEvent(math.nan), "noise_multiplier=nan"),
        (events.LaplaceDpEvent(math.inf), "noise_multiplier=inf"),
        (events.DiscreteLaplaceDpEvent(1.0, -1), "sensitivity=-1"),
        (events.DiscreteLaplaceDpEvent(100.0, 1), "at most 60"),
        (events.SelfComposedDpEvent(events.GaussianDpEvent(1.0), 1.5), "count=1.5"),  # type: ignore[arg-type]
        (events.ComposedDpEvent([1]), "an event of dp-accounting"),
        (events.RandomizedResponseDpEvent(1.5, 2), "noise_parameter=3/2"),
        (events.PoissonSampledDpEvent(1.5, events.DiscreteLaplaceDpEvent(1.0, 1)), "sampling_probability=3/2"),
    ],
)  # fmt: skip
def test_bad_events_are_refused_in_one_line(event: Any, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        composition(event, replace_one=True)


def test_a_number_below_ours_is_shown_with_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("e.py").write_text("from instances.foreign import *\nnoise = GaussianDpEvent(1.0)\n", encoding="utf-8")
    assert run(["gaussian", "--event", "e.py:noise", "--delta", "1e-5", "--json", "-"]) == 0
    made = json.loads(capfd.readouterr().out)
    jsonschema.validate(made, SCHEMA)
    assert made["composes"] == ["Gaussian"]
    assert made["epsilon"][0]["theirs"] is made["epsilon"][0]["short"] is None
    low = EventAccount("", composition(events.GaussianDpEvent(1.0)), "", *([()] * 2), "")  # type: ignore[arg-type]
    point = account(events.GaussianDpEvent(1.0)).epsilons[0]
    assert point.short(low.kind) is None
    below = type(point)(point.at, point.ours, Fraction(4))
    assert below.short(low.kind) == point.ours.finite().lower - 4


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--event", "e.py:sampled"], 3, "UNDECIDED: e.py:sampled: PoissonSampledDpEvent of GaussianDpEvent is not"),
        (["--event", "e.py:noise", "--mu", "1"], 2, "no other mechanism"),
        (["--event", "e.py:noise", "--neighbours", "edit"], 2, "zero-out or replace-one"),
        (["--mu", "1", "--neighbours", "zero-out"], 2, "--event with --neighbours"),
        (["--event", "e.py:nothing"], 2, "a name defined in e.py"),
        (["--event", "e.py:number"], 2, "an event of dp-accounting but got int"),
    ],
)
def test_the_command_in_one_line(
    arguments: list[str], status: int, words: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    text = "noise = GaussianDpEvent(1.0)\nsampled = PoissonSampledDpEvent(0.1, noise)\nnumber = 1\n"
    Path("e.py").write_text(f"from instances.foreign import *\n{text}", encoding="utf-8")
    assert run(["gaussian", *arguments]) == status
    out, err = capfd.readouterr()
    assert words in out + err
    assert (out + err).count("\n") == 1
