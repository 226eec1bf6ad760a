"""Code that draws from a scripted generator once, and its law."""

from collections.abc import Callable
from typing import Any

from dpcert import Pmf, scripted

Draw = Callable[[Any], Any]


def once(draw: Draw, generator: str = "random") -> Any:
    """The mechanism that answers draw(generator), whatever is asked."""
    return scripted(lambda rng: lambda _: draw(rng), alphabet=(0,), generator=generator)


def law(draw: Draw, generator: str = "random") -> Pmf[Any]:
    """The law of draw(generator)."""
    mechanism = once(draw, generator)
    return mechanism.seeds(1).map(lambda seeds: mechanism.respond(seeds, (0,))[0])


def numpy_law(draw: Draw) -> Pmf[Any]:
    return law(draw, "numpy")
