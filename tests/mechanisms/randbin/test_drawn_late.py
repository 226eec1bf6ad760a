"""Loads drawn late: the same curves, and the same law of every run, as the algorithm that draws them one bin ahead."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from instances.seeds import chosen

from dpcert import examine
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.budget import Budget
from dpcert.audit.errors import MechanismError
from dpcert.audit.games.fewer_states import explored
from dpcert.audit.games.npp import npp_game, simulated
from dpcert.audit.games.paired import explore
from dpcert.audit.kernels.draws import enumerated, tried_once
from dpcert.audit.kernels.release import Release
from dpcert.audit.solving.analysis import analyse
from dpcert.mechanisms.design.paper import RandBinPaper
from dpcert.mechanisms.design.sharp import RandBinSharp
from dpcert.mechanisms.randbin.algorithm import Binning
from dpcert.mechanisms.randbin.drawn_late import DrawnLate
from dpcert.mechanisms.randbin.on_geometric_loads import RandBin
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.mechanisms.sums.error_function import Steps
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise
from dpcert.mechanisms.sums.stream_sum import StreamSum

SEEDS = chosen(range(40))
PAPERS = RandBinPaper(delta=Fraction(4, 5), error_function="convolution", truncation=Fraction(1, 2))


def any_randbin(seed: int) -> tuple[RandBin, int]:
    """A small RandBin, on a toy scheduler or on a stream sum whose error rises, and a horizon for its game."""
    pick = random.Random(seed)
    alpha, level = Fraction(pick.randint(3, 9), 2), 2
    if pick.random() < 1 / 2:
        noise = pick.choice(("uniform", "triangular", "none"))
        return RandBinToy(alpha, level, pick.randint(1, 2), noise), pick.randint(8, 10)
    first = pick.randint(0, 2)
    errors = Steps((1, 2), (first, first + pick.randint(0, 2)))
    scheduler = StreamSum(HybridNoise(Fraction(16), truncation=Fraction(1, 4)), errors, level, 2 * level)
    return RandBin(alpha, level, scheduler), pick.randint(9, 10)


@pytest.mark.parametrize(
    ("seed", "fewer"),
    [*((seed, 2) for seed in SEEDS), *(pytest.param(seed, 0, marks=pytest.mark.in_turns) for seed in SEEDS)],
)
def test_its_game_has_the_curves_of_the_algorithm_itself(seed: int, fewer: int) -> None:
    """Over two rounds fewer in a fifth of the time, and over all of them in turns."""
    mechanism, horizon = any_randbin(seed)
    horizon -= fewer
    with tried_once():
        own, late = (analyse(npp_game(simulated(one), horizon), Budget()) for one in (mechanism, DrawnLate(mechanism)))
    assert own.adaptive.exact
    assert late.adaptive == own.adaptive
    assert late.fixed == own.fixed


def runs(mechanism: Any, horizon: int) -> dict[tuple[Any, ...], Fraction]:
    """The law of all that is released in so many rounds, by every way that the draws can fall."""
    law: dict[tuple[tuple[Any, ...], Any], Fraction] = {((), mechanism.initial): Fraction(1)}
    for _ in range(horizon):
        longer: Counter[tuple[tuple[Any, ...], Any]] = Counter()
        for (seen, state), mass in law.items():

            def step(draw: Any, state: Any = state) -> Any:
                release, after = mechanism.step(state, None, draw)
                return (release.visible, release.hidden), after

            outcomes, total = enumerated("run", step)
            for (released, after), weight in outcomes.items():  # type: ignore[misc]  # pairs, as they were made
                longer[(*seen, released), after] += mass * Fraction(weight, total)
        law = dict(longer)
    marginal: Counter[tuple[Any, ...]] = Counter()
    for (seen, _), mass in law.items():
        marginal[seen] += mass
    return dict(marginal)


@pytest.mark.parametrize("seed", SEEDS)
def test_its_runs_have_the_law_of_the_algorithms(seed: int) -> None:
    mechanism, _ = any_randbin(seed)
    with tried_once():
        assert runs(DrawnLate(mechanism), 11) == runs(mechanism, 11)


@pytest.mark.in_turns(few=True)
def test_designs_are_explored_so_and_an_heir_is_not() -> None:
    """An heir may have a step of its own: what is explored for its parent says nothing of it."""

    class Leaky(RandBinPaper):
        """A RandBin that may do anything."""

    assert isinstance(explored(PAPERS), DrawnLate)
    assert isinstance(explored(RandBinSharp(Fraction(16))), DrawnLate)
    assert isinstance(explored(Leaky(delta=Fraction(4, 5))), Leaky)
    assert isinstance(explored(RandBinToy()), RandBinToy)


def test_it_has_one_hidden_state_while_no_bin_can_leave() -> None:
    """In the paper's RandBin of level 2, with E = 3, between bin 0 in round 4 and round 9."""
    with tried_once():
        states = {}
        for one in (PAPERS, DrawnLate(PAPERS)):
            game = npp_game(simulated(one), 8)
            states[type(one)] = max(len(game.states(at)[0]) for at in explore(game).levels[-1].positions)
    assert states == {RandBinPaper: 9, DrawnLate: 1}


class Falling:
    """A scheduler whose error falls, or whose releases are less than a level."""

    initial = 0

    def __init__(self, errors: tuple[int, ...], advance: int) -> None:
        self._errors, self._advance = errors, advance

    def error(self, state: int) -> int:
        """By the number of loads."""
        return self._errors[state]

    def step(self, state: int, load: int, draw: Any) -> Any:
        """Whatever it was made with."""
        del load, draw
        return Release(self._advance), state + 1


def rounds_of(mechanism: Binning) -> Iterator[Any]:
    """A run of it with the first outcome of every draw."""
    late: Any = DrawnLate(mechanism)
    state = late.initial
    while True:
        release, state = late.step(state, None, lambda law: law.support[0])
        yield release


@pytest.mark.parametrize(("errors", "advance"), [((0, 3, 2), 2), ((0, 1, 1), 1)])
def test_a_scheduler_that_breaks_its_promise_is_refused(errors: tuple[int, ...], advance: int) -> None:
    mechanism = RandBin(Fraction(2), 2, Falling(errors, advance))
    with pytest.raises(MechanismError):
        for _, _ in zip(range(20), rounds_of(mechanism), strict=False):
            pass


def test_a_law_of_loads_is_the_mechanisms_own() -> None:
    """An heir of RandBin with other loads has them drawn late as well."""

    class Heavy(RandBinToy):
        @property
        def loads(self) -> Pmf[int]:  # type: ignore[override]  # read alone
            return Pmf({2: Fraction(1, 5), 4: Fraction(4, 5)})

    with tried_once():
        assert runs(DrawnLate(Heavy()), 11) == runs(Heavy(), 11)


def test_what_is_put_in_the_place_of_a_step_is_explored(monkeypatch: pytest.MonkeyPatch) -> None:
    """A RandBin of ours is explored as another while its code is ours: in its class, where it inherits, in itself."""
    assert isinstance(explored(replace(PAPERS)), DrawnLate)
    PAPERS.loads  # noqa: B018 - a property that is kept in the instance is no other code
    assert isinstance(explored(PAPERS), DrawnLate)
    for name in ("step", "simulate", "waited"):
        changed = replace(PAPERS)
        object.__setattr__(changed, name, lambda *_: None)
        assert explored(changed) is changed
        for kind in (Binning, RandBinPaper):
            with monkeypatch.context() as patched:
                patched.setattr(kind, name, lambda *_: None, raising=False)
                assert explored(PAPERS) is PAPERS
    for kind in (Binning, RandBinPaper):
        with monkeypatch.context() as patched:
            patched.setattr(kind, "__getattribute__", lambda one, name: object.__getattribute__(one, name))
            assert explored(PAPERS) is PAPERS
    assert isinstance(explored(PAPERS), DrawnLate)


def test_a_randbin_that_tells_of_its_events_is_refuted_in_the_npp_game() -> None:
    leaky = replace(PAPERS)

    def step(state: Any, x: Any, draw: Any) -> Any:
        release, after = RandBinPaper.step(leaky, state, x, draw)
        return Release(x, release.hidden), after

    def simulate(branch: int, state: Any, pair: tuple[Any, Any], draw: Any) -> Any:
        release, after = RandBinPaper.simulate(leaky, branch, state, pair, draw)
        return Release(pair[branch], release.hidden), after

    object.__setattr__(leaky, "step", step)
    object.__setattr__(leaky, "simulate", simulate)
    assert examine(leaky, game="npp", horizon=3, exp_epsilons=(16,)).verdict == "REFUTED"
