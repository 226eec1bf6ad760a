"""RandBin designed for a promise: its parts against their definitions, and what is refused."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from instances.seeds import spread

from dpcert.audit.algebra.power import PowerFunction, dp_power
from dpcert.audit.budget import Budget
from dpcert.audit.commands.cli import run
from dpcert.audit.errors import ArgumentError, MechanismError
from dpcert.mechanisms.design.certificate import Certificate
from dpcert.mechanisms.design.designed import Designed
from dpcert.mechanisms.design.paper import RandBinPaper
from dpcert.mechanisms.design.parts import load_delta, loads_within, paper, sharp
from dpcert.mechanisms.design.promise import Promise
from dpcert.mechanisms.design.sharp import RandBinSharp
from dpcert.mechanisms.noise.geometric import level_for, load_law

PROMISES = (
    (Fraction(1), Fraction(1, 10**6)),
    (Fraction(1, 2), Fraction(1, 10**9)),
    (Fraction(1, 10), Fraction(1, 10**6)),
)
ALPHAS = (Fraction(5, 4), Fraction(3, 2), Fraction(2), Fraction(3))


@pytest.mark.parametrize(("alpha", "level"), list(product(ALPHAS, (2, 4, 8))))
def test_the_load_delta_is_that_of_the_law(alpha: Fraction, level: int) -> None:
    law = load_law(alpha, level)
    for shifted in (law.map(lambda z: z - 1), law.map(lambda z: z + 1)):
        power = PowerFunction.from_laws(law, shifted)
        assert power.delta(alpha) == load_delta(alpha, level)
        for scheduler in ALPHAS:
            both = power.tensor(dp_power(scheduler))
            assert both.delta(alpha * scheduler) == load_delta(alpha, level, scheduler)


@pytest.mark.in_turns
@pytest.mark.parametrize("horizon", [None, 1, 17, 40])
def test_no_more_loads_are_drawn_than_the_design_knows(horizon: int | None) -> None:
    for kind in (RandBinPaper, RandBinSharp):
        mechanism = kind(Fraction(16), Fraction(1, 2), "convolution", "uniform", horizon)
        state, loads = mechanism.initial, 0
        for _ in range(horizon or 60):
            release, state = mechanism.step(state, None, lambda law: min(law.support))
            del release
            loads = state[3][0]  # as many as the scheduler has rounds
        known = loads_within(horizon, mechanism.level)
        assert known is None or loads <= known


@pytest.mark.in_turns
@pytest.mark.parametrize(("promise", "horizon"), spread(list(product(PROMISES, (10**4, 10**6))), 4))
def test_designs_keep_their_promise_and_the_sharp_one_waits_less(
    promise: tuple[Fraction, Fraction], horizon: int
) -> None:
    epsilon, delta = promise
    made = [
        RandBinPaper(epsilon=epsilon, delta=delta, horizon=horizon),
        RandBinPaper(epsilon=epsilon, delta=delta, error_function="convolution", horizon=horizon),
        RandBinSharp(epsilon=epsilon, delta=delta, horizon=horizon),
    ]
    for one in made:
        exp_epsilon, promised = one.guarantee
        assert one.delta_at(exp_epsilon) <= promised == delta
        assert one.certificate.power <= dp_power(exp_epsilon, promised)
    waiting = [one.waiting(horizon) for one in made]
    assert waiting == sorted(waiting, reverse=True)
    assert made[2].delta_at(made[2].guarantee[0]) > delta * Fraction(99, 100)


def test_parts_of_the_papers_design() -> None:
    design = paper(Promise(Fraction(16), Fraction(1, 2)), "convolution", truncation=Fraction(1, 4))
    assert design.load == design.noise.exp_epsilon == 4
    assert design.level == level_for(Fraction(4), Fraction(1, 4)) == 4
    assert design.beta + design.noise.truncation == Fraction(1, 4)
    assert [design.error_function(t) for t in range(4)] == [0, 4, 7, 8]


def test_a_certificate_that_breaks_its_promise_is_refused() -> None:
    design = sharp(Promise(Fraction(16), Fraction(1, 2), 100))
    assert Certificate(design, load_law(design.load, design.level)).delta <= Fraction(1, 2)
    with pytest.raises(MechanismError, match=r"Expected a delta of at most 0\.5"):
        _ = Certificate(replace(design, beta=design.beta + Fraction(1, 10)), load_law(design.load, design.level)).delta


def test_own_error_functions_cost_what_they_clip() -> None:
    own = RandBinPaper(error_function="4, 9, 9, 12", truncation=Fraction(1, 4))
    assert [own.scheduler.error_function(t) for t in range(5)] == [0, 4, 9, 9, 12]
    assert own.horizon == 6 * own.level - 1
    assert own.design.beta < Fraction(3, 16)
    wide = RandBinPaper(error_function="14, 19, 19, 22", truncation=Fraction(1, 4))
    assert wide.delta_at(Fraction(16)) < own.delta_at(Fraction(16))


BAD: tuple[tuple[dict[str, object], str], ...] = (
    ({"delta": Fraction(0)}, "Expected a delta above 0 and below 1 but got delta=0"),
    ({"delta": Fraction(1)}, "Expected a delta above 0 and below 1 but got delta=1"),
    ({"epsilon": Fraction(0)}, "epsilon"),
    ({"epsilon": Fraction(-1)}, "epsilon"),
    ({"exp_epsilon": Fraction(1)}, "exp_epsilon=1"),
    ({"exp_epsilon": Fraction(4), "epsilon": Fraction(1)}, "not both"),
    ({"error_function": "4,9,8"}, "never falls (it does at t=3)"),
    ({"error_function": "4,5/2"}, "whole numbers of events (at t=2)"),
    ({"error_function": "1,1,1"}, "costs at most a delta of"),
    ({"error_function": "9,9", "horizon": 100}, "for all 24 bins"),
    ({"error_function": "guess"}, "guess"),
    ({"budget": "even"}, "a budget"),
    ({"horizon": 0}, "a horizon of at least 1"),
    ({"horizon": True}, "a horizon of at least 1"),
    ({"horizon": Fraction(5, 2)}, "a horizon of at least 1"),
    ({"exp_epsilon": 1 + Fraction(1, 2**15)}, "a promise for which U is at most 10000 events"),
    ({"exp_epsilon": 1 + Fraction(1, 2**13), "delta": Fraction(19, 20), "budget": "sharp"}, "U is at most"),
)


@pytest.mark.in_turns
@pytest.mark.parametrize(("given", "says"), BAD)
def test_bad_parameters_are_one_line(given: dict[str, object], says: str) -> None:
    with pytest.raises(ArgumentError) as raised:
        RandBinPaper(**given)  # type: ignore[arg-type]
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_horizon_too_short_for_bins_is_said() -> None:
    short = RandBinPaper(epsilon=Fraction(1), delta=Fraction(1, 10**6), horizon=50)
    rows = dict(short.sections(3, Budget())[0]["rows"])
    assert rows["inclusion delay, rounds"] == "none: no bin can leave"


def test_the_sharp_design_wants_an_error_function_that_it_can_fit() -> None:
    with pytest.raises(ArgumentError, match="can be made to fit"):
        RandBinSharp(error_function="9,9")


def test_a_report_names_the_steps_of_the_proof(designed: Designed) -> None:
    titles = [one["title"] for one in designed.sections(3, Budget())]
    assert titles == ["Parts", "Error", "Certificate", "Proven profile"]


@pytest.fixture
def designed() -> Designed:
    return RandBinSharp(epsilon=Fraction(1), delta=Fraction(1, 10**6), horizon=10**4)


@pytest.mark.in_turns
def test_from_the_command_line(capfd: pytest.CaptureFixture[str]) -> None:
    command = ["audit", "randbin", "--game", "npp", "--adjacency", "edit"]
    assert run([*command, "--param", "epsilon=1", "--param", "delta=1e-6"]) == 0
    out, _ = capfd.readouterr()
    for words in ("U, events", "Certificate", "most events waiting", "what is promised"):
        assert words in out
    assert run([*command, "--param", "delta=1"]) == 2
    assert capfd.readouterr().err == "dpcert: Expected a delta above 0 and below 1 but got delta=1\n"
