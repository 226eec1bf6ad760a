"""Scripted generators against the real ones, and scripted code against the same mechanism written as a core."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pytest
from instances.seeds import spread

from dpcert import MarkovCore, Pmf, Release, bernoulli, examine, from_weights, scripted
from dpcert.mechanisms.randomized_response import RandomizedResponse

Draw = Callable[[Any], Any]


def exact_law(draw: Draw, generator: str) -> Pmf[Any]:
    """The law of what `draw(generator)` returns."""
    mechanism = scripted(lambda rng: lambda _: draw(rng), alphabet=(0,), generator=generator)
    return mechanism.seeds(1).map(lambda seeds: mechanism.respond(seeds, (0,))[0])


def shuffled(rng: Any, items: list[int]) -> list[int]:
    rng.shuffle(items)
    return items


REAL_RANDOM: dict[str, Draw] = {
    "random": lambda r: (r.random() < 0.3) + (r.random() >= Fraction(1, 3)),
    "nested": lambda r: (lambda u: 0 if u < 0.2 else 1 if u <= 0.5 else 2 if not u > 0.75 else 3)(r.random()),
    "randrange": lambda r: r.randrange(10, 0, -3),
    "randint": lambda r: r.randint(-2, 2),
    "choice": lambda r: r.choice("abca"),
    "choices": lambda r: tuple(r.choices("abc", weights=[1, 0.5, 3], k=2)),
    "cum_weights": lambda r: tuple(r.choices("abc", cum_weights=[1, 1, 3])),
    "even choices": lambda r: tuple(r.choices("abc", k=2)),
    "sample": lambda r: tuple(r.sample(range(4), 2)),
    "large sample": lambda r: next(iter(r.sample(range(30), 2))),
    "counts": lambda r: tuple(r.sample("ab", k=2, counts=[2, 1])),
    "shuffle": lambda r: tuple(shuffled(r, [1, 2, 3])),
    "getrandbits": lambda r: r.getrandbits(3),
}
REAL_NUMPY: dict[str, Draw] = {
    "random": lambda r: int(r.random() < np.float64(0.3)) + int(r.random() <= 0.6),
    "integers": lambda r: int(r.integers(-2, 3)),
    "endpoint": lambda r: int(r.integers(3, endpoint=True)),
    "size": lambda r: tuple(r.integers(0, 2, size=3).tolist()),
    "shape": lambda r: int(r.integers(0, 2, size=(2, 2)).sum()),
    "choice": lambda r: str(r.choice(["a", "b", "c"])),
    "choice of n": lambda r: int(r.choice(4, p=[0.1, 0.2, 0.3, 0.4])),
    "without replacement": lambda r: tuple(r.choice(4, size=2, replace=False).tolist()),
    "rows": lambda r: tuple(r.choice(np.array([[1, 2], [3, 4], [5, 6]])).tolist()),
    "columns": lambda r: tuple(r.choice(np.array([[1, 2], [3, 4]]), size=1, axis=1).ravel().tolist()),
    "permutation": lambda r: tuple(r.permutation(3).tolist()),
    "permutation of rows": lambda r: tuple(r.permutation([[1, 2], [3, 4]]).ravel().tolist()),
    "shuffle": lambda r: tuple(shuffled(r, [1, 2, 3])),
    "binomial": lambda r: int(r.binomial(5, 0.3)),
    "binomials": lambda r: tuple(r.binomial(2, 0.5, size=2).tolist()),
}
CASES = [("random", name) for name in REAL_RANDOM] + [("numpy", name) for name in REAL_NUMPY]
SAMPLES = 4_000


def draw_and_real(generator: str, name: str) -> tuple[Draw, Any]:
    """A draw, and the real generator, with a fixed seed."""
    if generator == "random":
        return REAL_RANDOM[name], random.Random(20)
    return REAL_NUMPY[name], np.random.default_rng(20)


def fits(draw: Draw, real: Any, law: Pmf[Any]) -> bool:
    """Chi-square is above its mean by no more than eight and six standard deviations."""
    seen = Counter(draw(real) for _ in range(SAMPLES))
    if not set(seen) <= set(law.support):
        return False
    statistic = sum((seen[y] - SAMPLES * p) ** 2 / (SAMPLES * p) for y, p in law.items())
    freedom = len(law) - 1
    return float(statistic) <= freedom + 6 * (2 * freedom) ** 0.5 + 8


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize(("generator", "name"), CASES)
def test_the_real_generator_follows_the_exact_law(generator: str, name: str) -> None:
    draw, real = draw_and_real(generator, name)
    assert fits(draw, real, exact_law(draw, generator))


def test_a_wrong_law_does_not_fit() -> None:
    draw, real = draw_and_real("numpy", "choice of n")
    assert not fits(draw, real, from_weights({0: 1, 1: 1, 2: 4, 3: 4}))
    draw, real = draw_and_real("random", "shuffle")
    assert not fits(draw, real, exact_law(lambda r: tuple(sorted(r.sample(range(1, 4), 3))), "random"))


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize(("generator", "name"), CASES)
def test_answers_are_of_the_real_types(generator: str, name: str) -> None:
    draw, real = draw_and_real(generator, name)
    assert {type(y) for y in exact_law(draw, generator).support} == {type(draw(real))}


class Truthful:
    """Randomised response as one would write it for production."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def __call__(self, x: int) -> int:
        return x if self.rng.random() < 0.75 else 1 - x


class TruthfulNumpy:
    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def answer(self, x: int) -> Any:
        return np.int64(x) ^ self.rng.binomial(1, 0.25)


@dataclass(frozen=True)
class ScaleByFirst:
    """The first input chooses how wide the noise of later answers is. The state is (x_1, x_t), x_1 None in round 1."""

    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[tuple[int | None, int | None]] = (None, None)

    def advance(self, state: tuple[int | None, int | None], x: int) -> tuple[int | None, int | None]:
        if state == (None, None):
            return None, x
        return (state[1] if state[0] is None else state[0]), x

    def law(self, state: tuple[int | None, int | None]) -> Pmf[int]:
        first, x = state
        assert x is not None
        if first is None:
            return bernoulli(Fraction(1 + x, 3))
        return from_weights({x + noise: 1 for noise in range(3 + first)})


class ScaleByFirstCode:
    """The same as code: draws whose laws depend on an earlier input, and another number of them by round."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.first: int | None = None

    def __call__(self, x: int) -> int:
        if self.first is None:
            self.first = x
            return int(self.rng.randrange(3) < 1 + x)
        return x + self.rng.randrange(3 + self.first)


class DrawsDiffer:
    """Randomised response by rejection: one draw or two in a round, and the second means nothing but in one case."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def __call__(self, x: int) -> int:
        if self.rng.getrandbits(1):
            return x
        return self.rng.choice((x, 1 - x))


@dataclass(frozen=True)
class RandomProgram:
    """A state that draws decide, and a second draw after some outcomes: as an Interactive, and as code."""

    weights: dict[tuple[int, int], tuple[int, ...]]
    lies: dict[int, Fraction]
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[int] = 0

    @classmethod
    def chosen(cls, rng: random.Random) -> "RandomProgram":
        """Weights that sum to 8, so that they are exact as numpy's probabilities."""
        cuts = {(s, x): sorted(rng.sample(range(9), rng.randint(1, 2))) for s in range(3) for x in range(2)}
        weights = {at: tuple(b - a for a, b in pairwise((0, *ends, 8))) for at, ends in cuts.items()}
        return cls(weights, {0: Fraction(rng.randrange(9), 8), 2: Fraction(rng.randrange(9), 8)})

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        drawn = draw(from_weights(dict(enumerate(self.weights[state, x]))))
        lie = drawn in self.lies and draw(bernoulli(self.lies[drawn]))
        return Release((drawn + bool(lie)) % 2), (state + drawn + x) % 3

    def code(self, rng: Any) -> Callable[[int], int]:
        state = 0

        def answer(x: int) -> int:
            nonlocal state
            weights = self.weights[state, x]
            if isinstance(rng, np.random.Generator):
                drawn = int(rng.choice(len(weights), p=[w / 8 for w in weights]))
            else:
                (drawn,) = rng.choices(range(len(weights)), weights)
            lie = drawn in self.lies and rng.random() < self.lies[drawn]
            state = (state + drawn + x) % 3
            return (drawn + lie) % 2

        return answer


PROGRAMS = [(4, generator) for generator in ("random", "numpy")]
LONGER = [(number, generator) for number in (0, 9) for generator in ("random", "numpy")]
"""Programs whose audits take five seconds."""
MORE = [(number, generator) for number in range(10, 30) for generator in ("random", "numpy")]


@pytest.mark.parametrize(
    ("number", "generator"),
    [
        *spread(PROGRAMS, 2),
        *(pytest.param(*one, marks=pytest.mark.in_turns) for one in LONGER),
        *(pytest.param(*one, marks=pytest.mark.thorough) for one in MORE),
    ],
)
def test_code_with_a_state_is_the_interactive_mechanism(number: int, generator: str) -> None:
    program = RandomProgram.chosen(random.Random(number))
    code = scripted(program.code, alphabet=(0, 1), generator=generator)
    mine, reference = (examine(m, horizon=2) for m in (code, program))
    for part in ("power", "delta", "total_variation", "delta_at_infinity"):
        assert mine["fixed_stream"][part] == reference["fixed_stream"][part]
        assert mine["adaptive"][part] == reference["adaptive"][part]
    assert mine["verdict"] == reference["verdict"]


def verdicts(record: Any) -> dict[str, Any]:
    return {entry["item"]: (entry["verdict"], entry["rung"]) for entry in record["checklist"]}


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("code", "core"),
    [
        (scripted(Truthful, alphabet=(0, 1)), RandomizedResponse()),
        (scripted(TruthfulNumpy, alphabet=(0, 1), generator="numpy", method="answer"), RandomizedResponse()),
        (scripted(DrawsDiffer, alphabet=(0, 1)), RandomizedResponse()),
        (scripted(ScaleByFirstCode, alphabet=(0, 1)), ScaleByFirst()),
    ],
)
def test_an_audit_of_code_is_the_audit_of_its_core(code: Any, core: MarkovCore[Any, Any, Any]) -> None:
    mine, reference = (examine(m, horizon=3) for m in (code, core))
    for part in ("power", "delta", "total_variation", "delta_at_infinity"):
        assert mine["fixed_stream"][part] == reference["fixed_stream"][part]
        assert mine["adaptive"][part] == reference["adaptive"][part]
    assert mine["verdict"] == reference["verdict"]
    assert verdicts(mine) == verdicts(reference)
    assert mine["lifts"]["curve"]["verdict"] == reference["lifts"]["curve"]["verdict"]
