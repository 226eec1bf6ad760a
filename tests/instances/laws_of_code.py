"""The law of what code returns: by its draws as they are followed, and by making every run there is."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dpcert import Pmf, scripted


def law(body: Callable[[Any], Any], generator: str = "random") -> Pmf[Any]:
    mechanism = scripted(lambda rng: lambda _: body(rng), alphabet=(0,), generator=generator)
    return mechanism.seeds(1).map(lambda seeds: mechanism.respond(seeds, (0,))[0])


class Listed:
    """A generator whose whole numbers were chosen beforehand; it remembers how many each could have been."""

    def __init__(self, chosen: list[int]) -> None:
        self.chosen, self.counts = chosen, list[int]()

    def randrange(self, count: int) -> int:
        at = len(self.counts)
        self.counts.append(count)
        return self.chosen[at] if at < len(self.chosen) else 0


def enumerated(body: Callable[[Any], Any]) -> Pmf[Any]:
    """The law of code with finitely many runs, by making them all."""
    masses: dict[Any, Fraction] = {}
    chosen: list[int] | None = []
    while chosen is not None:
        rng = Listed(chosen)
        out = body(rng)
        mass = Fraction(1)
        for count in rng.counts:
            mass /= count
        masses[out] = masses.get(out, Fraction(0)) + mass
        taken = [*chosen, *[0] * (len(rng.counts) - len(chosen))][: len(rng.counts)]
        while taken and taken[-1] + 1 == rng.counts[len(taken) - 1]:
            taken.pop()
        chosen = [*taken[:-1], taken[-1] + 1] if taken else None
    return Pmf(masses)
