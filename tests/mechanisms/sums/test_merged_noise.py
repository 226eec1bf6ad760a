"""Noise on merged states has the errors of the noise that runs, draw by draw, on fewer states."""

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from instances.seeds import chosen

from dpcert.audit.kernels.draws import enumerated, tried_once
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise
from dpcert.mechanisms.sums.merged_noise import MergedHybridNoise

QUARTER = Fraction(1, 4)


@pytest.mark.parametrize("seed", chosen(range(40)))
def test_the_same_draws_make_the_same_errors(seed: int) -> None:
    rng = Random(seed)
    asked = Fraction(rng.randint(2, 20)), rng.choice(("uniform", "sharp")), QUARTER
    one, merged = HybridNoise(*asked), MergedHybridNoise(*asked)
    state: Any = one.initial
    other: Any = merged.initial
    for _ in range(130):
        drawn: list[int] = []

        def draw(law: Any, drawn: list[int] = drawn) -> Any:
            drawn.append(rng.choice(law.support))
            return drawn[0]

        error, state = one.step(state, draw)
        again, other = merged.step(other, lambda _, drawn=drawn: drawn[0])  # type: ignore[misc]  # the same draw
        assert again == error
        assert other[0] == state[0]


def test_states_are_those_that_later_rounds_can_tell_apart() -> None:
    """Two states of a round are different ones: with the same draws from there on, some error differs."""
    noise = MergedHybridNoise(Fraction(4), "uniform", QUARTER)
    states: set[Any] = {noise.initial}
    for t in range(1, 8):
        with tried_once():
            outcomes = [enumerated("noise", lambda draw, s=s: noise.step(s, draw))[0] for s in states]  # type: ignore[misc]
        states = {after for one in outcomes for _, after in one}  # type: ignore[misc]  # pairs, as they were made
        futures = {state: _errors(noise, state, 15 - t) for state in states}
        assert len(set(futures.values())) == len(states)


def _errors(noise: MergedHybridNoise, state: Any, rounds: int) -> tuple[int, ...]:
    """Errors from there on where every draw is 0."""
    errors = []
    for _ in range(rounds):
        error, state = noise.step(state, lambda _: 0)
        errors.append(error)
    return tuple(errors)
