"""Events of dp-accounting, read part by part: Gaussian, Laplace and discrete Laplace noise, randomised response, zCDP.

Known by the names of their classes: nothing is imported for it. An event that is sampled or amplified, or of any other
kind, is UNDECIDED by its name, unless `sampled` enumerates it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.bracket import Bracket, exactly
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.errors import ArgumentError, expected, one_line
from dpcert.audit.kernels.border import has
from dpcert.mechanisms.foreign.laplace_chains import discrete_laplace, laplace
from dpcert.mechanisms.foreign.sampled import SampledPairs, fixed_size, poisson
from dpcert.mechanisms.foreign.undecided import UndecidedError

MOST_EVENT_COUNT = 10**18
"""How often an event is composed with itself at most."""
MOST_EVENT_DEPTH = 100
"""Events inside events."""
MOST_PARTS = 128
"""Parts that Laplace noise is taken apart into."""
LAPLACE_ATOMS = 256
"""Parts of Laplace noise, times how often it is composed, unless there are 4 parts of each."""
SUFFIX = "DpEvent"
PARAMETERS = {
    "Gaussian": ("noise_multiplier",),
    "Laplace": ("noise_multiplier",),
    "DiscreteLaplace": ("noise_parameter", "sensitivity"),
    "RandomizedResponse": ("noise_parameter", "num_buckets"),
    "ZC": ("rho", "xi"),
    "NonPrivate": (),
}
"""Kinds of events without others in them that are accounted for, and their parameters."""
WHOLE = ("sensitivity", "num_buckets")
Leaf = tuple[str, tuple[Any, ...]]
"""An event without others in it: its kind, and its parameters."""


@dataclass(frozen=True)
class ComposedRelease:
    """What is released so many times: a power function between bounds.

    Args:
        bracket: Of one release, in any composition.
        count: How often.
        alone: Of one release that stands alone, where more is known of that.
    """

    bracket: Bracket
    count: int
    alone: Bracket | None = None


@dataclass(frozen=True)
class Composition:
    """An event as what it composes.

    Args:
        mu_squared: mu^2 of all Gaussian releases together.
        releases: All others of which a power function is known.
        rho: Of all zCDP events together.
        xi: Their additive part.
        is_private: Whether there is no event without privacy.
        words: Which parts there are.
    """

    mu_squared: Fraction = Fraction(0)
    releases: tuple[ComposedRelease, ...] = ()
    rho: Fraction = Fraction(0)
    xi: Fraction = Fraction(0)
    is_private: bool = True
    words: tuple[str, ...] = field(default=())

    @property
    def is_bound(self) -> bool:
        """Whether some part is known by a bound on its Rényi divergences alone."""
        return bool(self.rho or self.xi)


def is_event(made: Any) -> bool:
    """Whether an object is an event of dp-accounting, or a tuple that it makes of one."""
    return kind_of(made).endswith(SUFFIX)


def kind_of(event: Any) -> str:
    """The name of an event's class."""
    return str(event.class_name) if has(event, "class_name") else type(event).__name__


def composition(event: Any, *, replace_one: bool = False) -> Composition:
    """What an event composes.

    Args:
        event: An event of dp-accounting.
        replace_one: Whether neighbours differ by the replacement of a record, which changes sums by twice a record's
            norm; else by its presence.
    Raises: ArgumentError: no event, or a parameter out of range. UndecidedError: a part that nothing is known of.
    """
    found, counts = Composition(), _leaves(event)
    for (kind, numbers), count in counts.items():
        found = _joined(found, kind, numbers, count, 2 if replace_one else 1)
    return found


def _leaves(event: Any) -> dict[Leaf, int]:
    """Every event without others in it, and how often it is there."""
    counts: dict[Leaf, int] = {}
    for leaf, count in _walked(event, 1, 0):
        counts[leaf] = counts.get(leaf, 0) + count
        _whole("count", counts[leaf], MOST_EVENT_COUNT)
    return counts


def _walked(event: Any, count: int, depth: int) -> Iterator[tuple[Leaf, int]]:
    kind = kind_of(event).removesuffix(SUFFIX)
    if depth > MOST_EVENT_DEPTH:
        raise expected(f"events in at most {MOST_EVENT_DEPTH} others", event=kind)
    if not is_event(event):
        raise ArgumentError(f"Expected an event of dp-accounting but got {one_line(kind, 60)}")
    if kind == "SelfComposed":
        yield from _walked(event.event, count * _whole("count", event.count, MOST_EVENT_COUNT), depth + 1)
    elif kind == "Composed":
        for one in event.events:
            yield from _walked(one, count, depth + 1)
    elif kind != "NoOp":
        yield _leaf(event, kind), count


def _leaf(event: Any, kind: str) -> Leaf:
    """Raises: UndecidedError: an event of which nothing is known."""
    if kind in ("PoissonSampled", "SampledWithoutReplacement") and kind_of(event.event) == f"DiscreteLaplace{SUFFIX}":
        inner = (_number(event.event, "noise_parameter"), _count(event.event, "sensitivity"))
        if kind == "PoissonSampled":
            return kind, (*inner, _number(event, "sampling_probability"))
        return kind, (*inner, _count(event, "source_dataset_size"), _count(event, "sample_size"))
    if kind not in PARAMETERS:
        inside = f" of {one_line(kind_of(event.event), 60)}" if has(event, "event") else ""
        raise UndecidedError(f"{one_line(kind, 60)}{SUFFIX}{inside} is not accounted for here")
    return kind, tuple(_count(event, name) if name in WHOLE else _number(event, name) for name in PARAMETERS[kind])


def _joined(to: Composition, kind: str, numbers: tuple[Any, ...], count: int, change: int) -> Composition:
    """With one more kind of part."""
    words = (*to.words, f"{count} x {kind}" if count > 1 else kind)
    if kind == "NonPrivate" or (kind in ("Gaussian", "Laplace", "DiscreteLaplace") and numbers[0] == 0):
        return _with(to, words, is_private=False)
    if kind == "Gaussian":
        return _with(to, words, mu_squared=to.mu_squared + count * (change / numbers[0]) ** 2)
    if kind == "ZC":
        return _with(to, words, rho=to.rho + count * numbers[0], xi=to.xi + count * numbers[1])
    return _with(to, words, releases=(*to.releases, _release(kind, numbers, count, change)))


def _with(to: Composition, words: tuple[str, ...], **changed: Any) -> Composition:
    return Composition(**{**vars(to), **changed, "words": words})


def _release(kind: str, numbers: tuple[Any, ...], count: int, change: int) -> ComposedRelease:
    if kind == "DiscreteLaplace":
        return ComposedRelease(discrete_laplace(numbers[0], change * numbers[1]), count)
    if kind == "Laplace":
        return ComposedRelease(laplace(change / numbers[0], max(4, min(MOST_PARTS, LAPLACE_ATOMS // count))), count)
    if kind == "RandomizedResponse":
        if change == 1:
            raise UndecidedError(f"{kind}{SUFFIX} has no answer of a record that is not there: say replace-one")
        return ComposedRelease(exactly(_randomised(*numbers)), count)
    if kind == "PoissonSampled":
        return _enumerated(poisson(*numbers, replace_one=change == 2), count)
    if change == 1:
        raise UndecidedError(f"{kind}{SUFFIX} samples from a dataset of one size: say replace-one")
    return _enumerated(fixed_size(*numbers), count)


def _enumerated(found: SampledPairs, count: int) -> ComposedRelease:
    return ComposedRelease(found.bracket, count, found.alone)


def _randomised(noise: Fraction, buckets: int) -> PowerFunction:
    """One bucket's answer against another's: kept with 1 - noise, else uniform."""
    if not 0 <= noise <= 1 or buckets < 1:
        raise expected("a noise parameter in [0, 1] and at least 1 bucket", noise_parameter=noise, num_buckets=buckets)
    if buckets == 1:
        return PowerFunction.identity()
    other = noise / buckets
    own = 1 - noise + other
    return PowerFunction.from_segments([(own, other), (other, own), ((buckets - 2) * other, (buckets - 2) * other)])


def _number(event: Any, name: str) -> Fraction:
    """A parameter as the rational that its float is."""
    value = getattr(event, name, None)
    try:
        number = Fraction(*value.as_integer_ratio())  # type: ignore[union-attr]  # what has none raises
    except (AttributeError, TypeError, ValueError, OverflowError):
        raise expected("a finite number", **{name: value}) from None
    if number < 0:
        raise expected("a number of at least 0", **{name: value})
    return number


def _count(event: Any, name: str) -> int:
    return _whole(name, getattr(event, name, None), MOST_EVENT_COUNT)


def _whole(name: str, value: object, most: int) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise expected(f"a whole number from 0 to {most}", **{name: value})
    return value
