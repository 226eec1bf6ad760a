"""defn:neighbor_bin: what bins hold, and what two neighbouring sequences of bins have in common."""

from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from itertools import product
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.finding import Finding, Method
from dpcert.audit.relations.bins import BinAdjacency, Bins
from dpcert.mechanisms.noise.geometric import truncated_geometric
from dpcert.mechanisms.randbin.on_geometric_loads import RandBin
from dpcert.mechanisms.randbin.toy_scheduler import ToyScheduler
from dpcert.proofs_checked.cases.bin_runs import ALPHAS
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.pair_runs import PAIRED, PAIRED_RUNS, Emission, Paired, every_emission
from dpcert.proofs_checked.cases.relations import NO_BIN, Relation, Stream, bins, edit
from dpcert.proofs_checked.ledger import claim

LABEL = "defn:neighbor_bin"
Slices = tuple[tuple[int, int] | None, ...]
"""A bin sequence as a bin automaton is told of it: nothing, or (start, length), round by round."""


def at_most_two_adjacent(x: Stream, y: Stream) -> bool:
    """Bins leave at the same times, and at most two adjacent ones differ: what is in them is left open."""
    if any((a == NO_BIN) != (b == NO_BIN) for a, b in zip(x, y, strict=True)):
        return False
    emitted = [(a, b) for a, b in zip(x, y, strict=True) if a != NO_BIN]
    differ = [i for i, (a, b) in enumerate(emitted) if a != b]
    return not differ or differ[-1] - differ[0] <= 1


def extend_to_edit_neighbours(x: Stream, y: Stream) -> bool:
    """Whether items after the shorter one, if any, make them prefixes of one length of edit neighbours."""
    short, long = sorted((x, y), key=len)
    return any(edit((*short, *more), long) for more in product((*long, "new"), repeat=len(long) - len(short)))


@claim(LABEL, row=34, method=Method.EXHAUSTIVE, subject=bins, mutant=at_most_two_adjacent,
       scope="bins of up to 2 items, every two sequences: three steps and 2 kinds of items, two steps and 3 kinds",
       uses=("defn:neighbor_edit", "assume:ns"))  # fmt: skip
def concatenations_are_edit_neighbours(subject: Relation) -> Finding:
    """The items of neighbouring sequences of bins, strung together, are prefixes of edit neighbours."""
    return every(
        "pairs of neighbours", related(subject), lambda x, y: extend_to_edit_neighbours(sum(x, ()), sum(y, ()))
    )


@cache
def neighbours() -> tuple[tuple[Stream, Stream], ...]:
    """Every two neighbouring sequences."""
    return tuple(listed(bins))


def related(subject: Relation) -> Iterable[tuple[Stream, Stream]]:
    """Every two related sequences of bins; the neighbouring ones are listed once for all."""
    return neighbours() if subject is bins else listed(subject)


def listed(subject: Relation) -> Iterator[tuple[Stream, Stream]]:
    """Every two related sequences of bins of up to 2 items."""
    for items, steps in (("ab", 3), ("abc", 2)):
        emitted = [NO_BIN, *product(items, repeat=1), *product(items, repeat=2)]
        sequences = list(product(emitted, repeat=steps))
        yield from ((x, y) for x in sequences for y in sequences if subject(x, y))


def between(x: Stream, y: Stream) -> Stream:
    """y up to its first difference from x, that bin included, and x after it: made bin by bin as both come in."""
    stream: list[Any] = []
    differed = False
    for a, b in zip(x, y, strict=True):
        stream.append(a if differed else b)
        differed |= a != b
    return tuple(stream)


@claim(LABEL, row=26, method=Method.EXHAUSTIVE, subject=bins, mutant=lambda x, y: len(x) == len(y),
       scope="bins of up to 2 items, every two sequences: three steps and 2 kinds of items, two steps and 3 kinds",
       uses=("defn:hop-neighboring",))  # fmt: skip
def neighbours_are_two_hops_online(subject: Relation) -> Finding:
    """Between neighbouring sequences of bins lies one, made online, that differs from either in at most one bin."""

    def hop(x: Stream, y: Stream) -> bool:
        return [a == b for a, b in zip(x, y, strict=True)].count(False) <= 1

    def one_hop_from_both(x: Stream, y: Stream) -> bool:
        return hop(x, between(x, y)) and hop(between(x, y), y)

    return every("pairs of neighbours", related(subject), one_hop_from_both)


class WideLoads(RandBin):
    """RandBin with loads clipped at U on either side of 3U/2, where the algorithm clips at U/2."""

    @cached_property
    def loads(self) -> Pmf[int]:
        """Loads in [U/2..5U/2]."""
        return truncated_geometric(self.exp_epsilon, 2 * self.level).map(lambda k: 3 * self.level // 2 + k)


@claim(LABEL, row=33, method=Method.EXHAUSTIVE, scope=PAIRED_RUNS, subject=PAIRED,
       mutant=((WideLoads(ALPHAS[0], 2, ToyScheduler()), 9),),
       uses=("def:truncated_geom/loads_fill_U_to_2U", "alg:randbin/bins_leave_at_their_threshold"))  # fmt: skip
def bins_are_not_empty_and_not_too_large(subject: Paired) -> Finding:
    """Every bin that leaves, in either stream, holds at least one object and at most 2U + 1."""

    def fits(mechanism: RandBin, step: Emission) -> bool:
        return all(
            1 <= len(bin_) == length <= 2 * mechanism.level + 1
            for bin_, length in zip(step.held, step.lengths, strict=True)
        )

    return every("bins", every_emission(subject), fits)


def schedules(steps: int, queue: int = 0) -> Iterator[Slices]:
    """Every way to take bins from the front of a queue that grows by an item a step."""
    if steps == 0:
        yield ()
        return
    for rest in schedules(steps - 1, queue + 1):
        yield (None, *rest)
    for length in range(1, queue + 2):
        for rest in schedules(steps - 1, queue + 1 - length):
            yield ((queue + 1, length), *rest)


def contents(stream: Stream, slices: Slices) -> Stream:
    """The bins themselves."""
    return tuple(NO_BIN if part is None else stream[t - part[0] :][: part[1]] for t, part in enumerate(slices, 1))


def tagged(steps: int) -> Iterator[tuple[Stream, Stream]]:
    """Equal streams, and edit neighbours of every place and direction, on items that occur once each."""
    stream = tuple(range(1, steps + 2))
    yield stream[:steps], stream[:steps]
    for tau in range(1, steps + 1):
        one, other = stream[:steps], (*stream[: tau - 1], *stream[tau:])
        yield from ((one, other), (other, one))


@claim(LABEL, row=34, method=Method.EXHAUSTIVE, subject=bins, mutant=at_most_two_adjacent,
       scope="four steps, U = 2, each item once: every edit, every two schedules", uses=("assume:ns",))  # fmt: skip
def the_automaton_reads_bin_neighbours(subject: Relation) -> Finding:
    """The automaton that games are checked with accepts two schedules of bins if and only if the bins are ~B."""
    automaton = BinAdjacency(2)

    def reads(x: Stream, y: Stream, first: Slices, second: Slices) -> bool:
        state: Bins | None = automaton.initial
        for items, taken in zip(zip(x, y, strict=True), zip(first, second, strict=True), strict=True):
            state = None if state is None else automaton.after(state, items, taken)
        return (state is not None) is subject(contents(x, first), contents(y, second))

    every_schedule = list(schedules(4))
    return every("cases", ((*pair, *two) for pair in tagged(4) for two in product(every_schedule, repeat=2)), reads)
