"""The laws of all prefixes of some rounds: each distinct law once, and a number a prefix."""

from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import product
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.identity import held
from dpcert.audit.kernels.label import exactly

LINES_AT_ONCE = 4_096
"""Lines of a digest that are put together at a stretch."""

MOST_MET = 1_024
"""Laws that are known again as the objects that they are."""
Prefix = tuple[Any, ...]


class PrefixLaws:
    """The law of each prefix of up to so many rounds, as it was first given.

    Attributes:
        inputs: What a prefix is made of, as tokens.
        distinct: The laws by number, in the order in which they were first given.
        rounds: Round by round the number of the law of each prefix; prefixes stand in the order of `product`.
        once: So many prefixes from the first on have laws that were not asked for again.
        change: A prefix whose law was another one when it was asked for again, with both.
    """

    def __init__(self, inputs: tuple[Any, ...]) -> None:
        self.inputs = inputs
        self.distinct: list[Pmf[Any]] = []
        self.rounds: list[array[int]] = []
        self.once = 0
        self.change: tuple[Prefix, Pmf[Any], Pmf[Any]] | None = None
        self._numbers: dict[Pmf[Any], int] = {}
        self._met: dict[int, tuple[Pmf[Any], int]] = {}
        self._near: dict[tuple[int, tuple[Any, int]], tuple[Pmf[Any], int]] = {}
        self._places: dict[Hashable, int] = {x: i for i, x in enumerate(inputs)}

    def add_round(self, blocks: Iterable[list[Pmf[Any]]]) -> list[Pmf[Any]]:
        """Takes the laws of all prefixes of the next round, in the order of `product`, and gives those that are new."""
        row = array("i")
        for block in blocks:
            row.extend(list(map(self._number, block)))
        news = list(self._numbers)[len(self.distinct) :]
        self.distinct += news
        self.rounds.append(row)
        self.once = len(self)
        return news

    def _number(self, law: Pmf[Any]) -> int:
        """The number of a law; one that begins like the last of its number is compared with that, which is quicker.

        Of the very objects that were met last it is known.
        """
        met = self._met.get(id(law))
        if met is not None:
            return met[1]
        if len(self._met) >= MOST_MET:
            self._met.clear()
        number = self._compared(law)
        self._met[id(law)] = law, number  # held here, so that no other law has its id
        return number

    def _compared(self, law: Pmf[Any]) -> int:
        weights, denominator = law.token_weights()
        key = denominator, next(iter(weights.items()))
        near = self._near.get(key)
        if near is not None and near[0] == law:
            return near[1]
        number = self._numbers.setdefault(law, len(self._numbers))
        self._near[key] = law, number
        return number

    def last_once(self) -> tuple[int, int]:
        """The last round with laws that were asked for once, and how many of its laws were."""
        here, rounds = self.once, 1
        while here > len(self.rounds[rounds - 1]):
            here -= len(self.rounds[rounds - 1])
            rounds += 1
        return rounds, here

    def __len__(self) -> int:
        return sum(map(len, self.rounds))

    def __iter__(self) -> Iterator[tuple[Prefix, Pmf[Any]]]:
        for rounds, row in enumerate(self.rounds, 1):
            for prefix, number in zip(product(self.inputs, repeat=rounds), row, strict=True):
                yield prefix, self.distinct[number]

    def get(self, prefix: Prefix) -> Pmf[Any] | None:
        """The law of a prefix; None of one that is longer than those that are known, or of other inputs."""
        if not 1 <= len(prefix) <= len(self.rounds) or not self._places.keys() >= set(prefix):
            return None
        number = 0
        for x in prefix:
            number = number * len(self.inputs) + self._places[x]
        return self.distinct[self.rounds[len(prefix) - 1][number]]

    def prefix(self, rounds: int, number: int) -> Prefix:
        """The prefix at a place in the order of `product`."""
        reverse = []
        for _ in range(rounds):
            number, i = divmod(number, len(self.inputs))
            reverse.append(self.inputs[i])
        return tuple(reversed(reverse))

    def lines(self, text_of: Callable[[Pmf[Any]], str]) -> Iterator[list[str]]:
        """Every prefix and its law as a line, some lines at a time; in their order as texts but for strange inputs.

        Prefixes that begin alike stand together, so that what follows a beginning is put in order once for all.
        """
        laws = [text_of(law) for law in self.distinct]
        inputs = [_inside(x) for x in self.inputs]
        depth = _depth(len(inputs), len(self.rounds))
        split = len(self.rounds) - depth
        short = sorted(
            f"({', '.join(parts)}{',' * (rounds == 1)})\t{laws[number]}"
            for rounds in range(1, split + 1)
            for parts, number in zip(product(inputs, repeat=rounds), self.rounds[rounds - 1], strict=True)
        )
        after = _suffixes(inputs, depth)
        count = 0
        heads = sorted((", ".join(parts), i) for i, parts in enumerate(product(inputs, repeat=split)))
        for head, i in heads if after and split else ():
            numbers = self._below(split, i)
            block = [f"({head}, {suffix}\t{laws[numbers[place]]}" for suffix, place in after]
            first = count
            while count < len(short) and short[count] < block[0]:
                count += 1
            yield short[first:count] + block
        if count < len(short):
            yield short[count:]

    def _below(self, rounds: int, number: int) -> list[int]:
        """The numbers of the laws of all prefixes that begin with one, shorter ones first."""
        numbers: list[int] = []
        width = 1
        for row in self.rounds[rounds:]:
            width *= len(self.inputs)
            numbers.extend(row[number * width : (number + 1) * width])
        return numbers


def _inside(x: Any) -> str:
    """An input as it is written inside of a prefix."""
    return exactly(held((x,), copying=True))[1:-2]


def _depth(width: int, rounds: int) -> int:
    """Rounds at the end whose inputs are put in order together; at least one stands before them."""
    depth, count = 0, width
    while depth < rounds - 1 and count <= LINES_AT_ONCE:
        depth, count = depth + 1, (count + 1) * width
    return depth


def _suffixes(inputs: list[str], depth: int) -> list[tuple[str, int]]:
    """How prefixes end that have one to so many rounds more, in the order of texts; each with its place, by length."""
    endings = (", ".join(parts) + ")" for rounds in range(1, depth + 1) for parts in product(inputs, repeat=rounds))
    return sorted((ending, place) for place, ending in enumerate(endings))
