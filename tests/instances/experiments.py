"""Small exact experiments to draw from, and values worked out the slow way to compare with.

Nothing here decides by floats. The slow values enumerate events, so they stay apart from the code under test.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations
from typing import Any, TypeVar

from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from instances.seeds import PARTS, commit

from dpcert import Pmf, PowerFunction, dp_power, from_weights

Test = TypeVar("Test", bound=Callable[..., Any])
OUTCOMES = "abcd"
TIED = 2**80  # ratios of TIED and TIED + 1 agree to more bits than the sort keys hold
ZERO, ONE = Fraction(0), Fraction(1)

Law = Pmf[str]
Experiment = tuple[Law, Law]
Channel = Mapping[str, Law]
Atom = tuple[Fraction, Fraction]

MOST_EXAMPLES, EXAMPLES = 120, 40
"""That a test draws in `make thorough`, and on one commit: those of each block of seeds are others."""
PROFILE = settings(
    derandomize=True,
    max_examples=MOST_EXAMPLES if commit() is None else EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


def drawn(test: Test) -> Test:
    """A test of what is drawn, with the examples of this run."""
    number = commit()
    made: Test = PROFILE(test)
    return made if number is None else seed(number % PARTS)(made)


def _law(weights: list[int]) -> Law:
    return from_weights(dict(zip(OUTCOMES, weights if any(weights) else [1], strict=False)))


def _laws(weights: list[int]) -> st.SearchStrategy[Law]:
    return st.lists(st.sampled_from(weights), min_size=2, max_size=len(OUTCOMES)).map(_law)


def power(experiment: Experiment) -> PowerFunction:
    """Pow(P‖Q) of a pair of laws."""
    return PowerFunction.from_laws(*experiment)


LAWS = _laws([0, 0, 1, 1, 2, 3, 5, 8])
TIED_LAWS = _laws([0, TIED - 1, TIED, TIED + 1])
PAIRS = st.tuples(LAWS, LAWS)
EXPERIMENTS = st.one_of(PAIRS, PAIRS, st.tuples(TIED_LAWS, TIED_LAWS))
CHANNELS = st.fixed_dictionaries(dict.fromkeys(OUTCOMES, LAWS))

PROBABILITIES = st.builds(lambda n, d: Fraction(min(n, d), d), st.integers(0, 24), st.integers(1, 24))
RATIOS = st.builds(Fraction, st.integers(1, 12), st.integers(1, 8))
EXP_EPSILONS = RATIOS.map(lambda e: max(e, 1 / e))
SHARES = st.lists(st.integers(0, 4), min_size=3, max_size=3).map(
    lambda w: [Fraction(x, sum(w)) for x in w] if any(w) else [ONE, ZERO, ZERO]
)

POWERS = st.one_of(EXPERIMENTS.map(power), PAIRS.map(power), st.builds(dp_power, EXP_EPSILONS, PROBABILITIES))


def corners(*powers: PowerFunction) -> list[Fraction]:
    """The union of the breakpoints."""
    return sorted({x for f in powers for x, _ in f.vertices})


def events(law0: Law, law1: Law) -> list[tuple[str, ...]]:
    """Every set of outcomes that some world produces."""
    seen = sorted({*law0.support, *law1.support})
    return [event for size in range(len(seen) + 1) for event in combinations(seen, size)]


def mass(law: Law, event: tuple[str, ...]) -> Fraction:
    """P(S)."""
    return sum((law.probability(y) for y in event), ZERO)


def knapsack(experiment: Experiment, alpha: Fraction) -> Fraction:
    """The best world-1 mass of a set of world-0 mass at most alpha, one outcome of it possibly cut."""
    law0, law1 = experiment
    best = ZERO
    for event in events(law0, law1):
        room = alpha - mass(law0, event)
        if room < 0:
            continue
        taken = mass(law1, event)
        left = [(law0.probability(y), law1.probability(y)) for y in law0.support if y not in event]
        cuts = [b * room / a for a, b in left if a > room]
        best = max(best, taken, *(taken + cut for cut in cuts))
    return best


def kinks(experiment: Experiment) -> set[Fraction]:
    """The world-0 masses of all events, among which are all breakpoints of the power function."""
    return {mass(experiment[0], event) for event in events(*experiment)}


def best_gap(first: Law, second: Law, exp_epsilon: Fraction) -> Fraction:
    """max_S P(S) - e^epsilon Q(S), over all events."""
    return max(mass(first, event) - exp_epsilon * mass(second, event) for event in events(first, second))


def two_sided_gap(experiment: Experiment, exp_epsilon: Fraction) -> Fraction:
    """The larger of both orders' best_gap."""
    law0, law1 = experiment
    return max(best_gap(law0, law1, exp_epsilon), best_gap(law1, law0, exp_epsilon))


def through(law: Law, channel: Channel) -> Law:
    """T(P), the law after a channel, summed term by term."""
    sums: dict[str, Fraction] = {}
    for y, w in law.items():
        for z, v in channel[y].items():
            sums[z] = sums.get(z, ZERO) + w * v
    return Pmf(sums)


def jointly(law: Law, channel: Channel) -> Pmf[tuple[str, str]]:
    """The law of (y, z), z drawn from the channel at y."""
    return Pmf([((y, z), w * v) for y, w in law.items() for z, v in channel[y].items()])


def exponential_bounds(x: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals on either side of e^x for 0 <= x <= 8: ninety Taylor terms, the rest at most twice the next one."""
    total, term = ZERO, ONE
    for k in range(1, 91):
        total += term
        term *= x / k
    return total, total + 2 * term
