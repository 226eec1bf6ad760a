"""Prefix sums under inputs that an adversary chooses after the estimates so far, run path by path."""

from collections.abc import Callable, Iterator
from itertools import product

from dpcert.proofs_checked.cases.hybrid import interval

Estimate = Callable[[tuple[int, ...]], int]
"""Y_t as a function of Z_1, ..., Z_t."""
Chooser = Callable[[tuple[int, ...]], int]
"""The next input, after the estimates so far."""


def errors(estimate: Estimate, chooser: Chooser, noise: tuple[int, ...]) -> tuple[int, ...]:
    """Y_t - Q_t in every round, Z_t the sum of the inputs over I_t and the noise."""
    x: list[int] = []
    z: list[int] = []
    y: list[int] = []
    for t, eta in enumerate(noise, 1):
        x.append(chooser(tuple(y)))
        z.append(sum(x[interval(t)[0] - 1 : t]) + eta)
        y.append(estimate(tuple(z)))
    return tuple(value - sum(x[:t]) for t, value in enumerate(y, 1))


def choosers(estimate: Estimate, noises: list[tuple[int, ...]]) -> Iterator[Chooser]:
    """Every way to choose bits after the estimates that can come up under one of the noises."""

    def plans(plan: dict[tuple[int, ...], int]) -> Iterator[dict[tuple[int, ...], int]]:
        transcripts: dict[tuple[int, ...], None] = {}

        def choose(y: tuple[int, ...]) -> int:
            transcripts[y] = None
            return plan.get(y, 0)

        for noise in noises:
            errors(estimate, choose, noise)
        new = [y for y in transcripts if y not in plan]
        new = [y for y in new if len(y) == min(map(len, new))]
        if not new:
            yield plan
            return
        for bits in product((0, 1), repeat=len(new)):
            yield from plans(plan | dict(zip(new, bits, strict=True)))

    return (plan.__getitem__ for plan in plans({}))
