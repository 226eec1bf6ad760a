"""Relations beside the usual ones: some consecutive rounds may differ; half of every input is public."""

from collections.abc import Iterator
from itertools import product
from typing import Any

from dpcert.audit.errors import expected
from dpcert.audit.frozen import frozen
from dpcert.audit.identity import parts_of, value_of
from dpcert.audit.relations.adjacency import HAMMING, Adjacency, Inputs


@frozen(slots=True)
class Window:
    """Streams that differ within `rounds` consecutive rounds and nowhere else.

    The state counts the rounds since the first difference, from 0 before it up to `rounds`. One round is Hamming.

    Args:
        rounds: The width of the window, at least 1.
    Raises: ArgumentError: a number of rounds that is none, or below 1.
    Source: none; ours.

    >>> two = Window(2)
    >>> [after for pair, after in two.legal(2, 4, ("a", "b"))], len(list(two.legal(1, 4, ("a", "b"))))
    ([2, 2], 4)
    """

    rounds: int = 2

    def __post_init__(self) -> None:
        if type(self.rounds) is not int or self.rounds < 1:
            raise expected("a window of at least 1 round", rounds=self.rounds)

    @property
    def name(self) -> str:
        """`window-` and the number of rounds."""
        return f"window-{self.rounds}"

    @property
    def initial(self) -> int:
        """No difference yet."""
        return 0

    def legal(self, state: int, round_: int, alphabet: tuple[Any, ...]) -> Iterator[tuple[Inputs, int]]:
        """Equal pairs always; unequal ones before and while the window is open. As in `Adjacency`."""
        del round_
        for x0, x1 in product(alphabet, repeat=2):
            after = min(state + 1, self.rounds) if state else int(x0 != x1)
            if x0 == x1 or state < self.rounds:
                yield (x0, x1), after


@frozen(slots=True)
class PublicHalf:
    """Inputs (private, public): the public halves are equal, and the private halves are neighbours by `private`.

    A pair of private halves is played with every public half that makes both of them inputs.

    Args:
        private: The relation of the private halves.
    Source: none; ours.

    >>> inputs = (("yes", "monday"), ("no", "monday"), ("no", "friday"))
    >>> [x1 for (x0, x1), _ in PublicHalf().legal(False, 1, inputs) if x0 == ("no", "friday")]
    [('no', 'friday')]
    """

    private: Adjacency[Any] = HAMMING

    @property
    def name(self) -> str:
        """`public-half`, and the relation of the private halves where it is not Hamming."""
        return "public-half" + ("" if self.private == HAMMING else f"-{self.private.name}")

    @property
    def initial(self) -> Any:
        """That of the private halves."""
        return self.private.initial

    def legal(self, state: Any, round_: int, alphabet: tuple[Any, ...]) -> Iterator[tuple[Inputs, Any]]:
        """Pairs with one public half. As in `Adjacency`.

        Raises: ArgumentError: an alphabet of other inputs than pairs.
        """
        for x in alphabet:
            if not (type(value_of(x)) is tuple and len(parts_of(x)) == 2):
                raise expected("inputs (private, public) for public-half", input=x)
        whole = {parts_of(x): x for x in alphabet}
        publics = tuple(dict.fromkeys(public for _, public in whole))
        privates = tuple(dict.fromkeys(private for private, _ in whole))
        for (p0, p1), after in self.private.legal(state, round_, privates):
            for public in publics:
                if (p0, public) in whole and (p1, public) in whole:
                    yield (whole[p0, public], whole[p1, public]), after
