"""alg:dp_sgd_edit: what an edit moves the two updates by, and at which model they are made."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.ledger import claim

LABEL = "alg:dp_sgd_edit"
LEVELS = range(2, 13)
CLIPPED = (-1, 0, 1)
"""Gradients of one component, in units of G."""
SCOPE = "U from 2 to 12, every bin of U to 2U gradients -G, 0 or G, by their sums; G = eta = 1"
Change = Callable[[int], Fraction]


def replaced(level: int) -> Iterator[Fraction]:
    """What the mean of a bin of at least U events moves by where one of them is another."""
    for size in range(level, 2 * level + 1):
        for x, y in product(CLIPPED, repeat=2):
            yield Fraction(abs(x - y), size)


def one_more(level: int) -> Iterator[Fraction]:
    """What it moves by where one event comes to at least U - 1."""
    for size in range(level, 2 * level + 1):
        for rest, x in product(range(1 - size, size), CLIPPED):
            yield abs(Fraction(rest, size - 1) - Fraction(rest + x, size))


@claim(LABEL, row=99, method=Method.EXHAUSTIVE, scope=SCOPE, subject=lambda u: Fraction(2, u),
       mutant=lambda u: Fraction(2, u + 1), uses=("lem:randbin_wrapper",))  # fmt: skip
def an_edit_moves_either_mean_by_2g_over_u(subject: Change) -> Finding:
    """Of the two bins of an edit, each mean moves by at most 2G / U, and on some bins by as much."""
    return every("levels", ((u,) for u in LEVELS), lambda u: max(replaced(u)) == max(one_more(u)) == subject(u))


@claim(LABEL, row=99, method=Method.EXHAUSTIVE, scope=SCOPE, subject=lambda u: Fraction(u),
       mutant=lambda u: Fraction(u - 1), uses=(f"{LABEL}/an_edit_moves_either_mean_by_2g_over_u",))  # fmt: skip
def the_printed_sensitivity_is_u_times_as_large(subject: Change) -> Finding:
    """2 G max eta bounds what any two means differ by, and is U times what an edit makes of them."""

    def told(u: int) -> bool:
        means = [Fraction(total, size) for size in range(u, 2 * u + 1) for total in range(-size, size + 1)]
        whole = max(means) - min(means)
        return whole == 2 and whole == subject(u) * max(*replaced(u), *one_more(u))

    return every("levels", ((u,) for u in LEVELS), told)


RATES = ((Fraction(1), Fraction(1, 2)), (Fraction(1, 4), Fraction(3, 4)), (Fraction(2), Fraction(2)))


@claim(LABEL, row=99, method=Method.EXHAUSTIVE, scope=f"{SCOPE.partition(';')[0]}; three pairs of step sizes",
       uses=(f"{LABEL}/an_edit_moves_either_mean_by_2g_over_u",), subject=max, mutant=min)  # fmt: skip
def the_largest_step_size_counts(subject: Callable[[tuple[Fraction, Fraction]], Fraction]) -> Finding:
    """With step sizes that differ, the larger of the two updates moves by 2 G max eta / U."""

    def told(u: int, rates: tuple[Fraction, Fraction]) -> bool:
        moves = rates[0] * max(replaced(u)), rates[1] * max(one_more(u))
        return max(moves) == 2 * subject(rates) / u

    return every("levels and step sizes", product(LEVELS, RATES), told)


Bins = tuple[tuple[int, ...], ...]
Updates = Callable[[Bins, tuple[int, ...]], list[int]]


def turned(model: int, events: tuple[int, ...]) -> int:
    """The sum of gradients that turn round where the model is positive."""
    return sum(events) * (-1 if model > 0 else 1)


def at_released_models(bins: Bins, released: tuple[int, ...]) -> list[int]:
    """Updates at what was released before each bin left."""
    return [turned(sum(released[:k]), events) for k, events in enumerate(bins)]


def at_hidden_models(bins: Bins, released: tuple[int, ...]) -> list[int]:
    """Updates at the sum of earlier updates, without noise, which nobody sees."""
    del released
    made = list[int]()
    for events in bins:
        made.append(turned(sum(made), events))
    return made


@claim(LABEL, row=101, method=Method.EXHAUSTIVE, subject=at_released_models, mutant=at_hidden_models,
       scope="four bins of two events -1 or 1, pairs that differ in the first two, all transcripts")  # fmt: skip
def updates_are_made_at_the_model_that_both_worlds_saw(subject: Updates) -> Finding:
    """Gradients at the model that was released last: under one transcript, the updates of equal bins are equal."""
    contents = [(-1, -1), (-1, 1), (1, 1)]
    streams = [bins for bins in product(contents, repeat=4) if bins[2:] == (contents[0], contents[2])]

    def equal_elsewhere(bins: Bins, other: Bins, released: tuple[int, ...]) -> bool:
        pairs = zip(subject(bins, released), subject(other, released), bins, other, strict=True)
        return all(one == two for one, two, events, others in pairs if events == others)

    return every("pairs and transcripts", product(streams, streams, product((-1, 1), repeat=3)), equal_elsewhere)
