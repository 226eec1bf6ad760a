"""The hull of releases for the positions of one game: in integers where it is short, with keys beside where long."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra.chain import Chain, HullChoice, Run
from dpcert.audit.limits import look

if TYPE_CHECKING:
    from dpcert.audit.algebra.lattice import Lattice
    from dpcert.audit.algebra.long_chain import Lengthened

LONG = 400
"""Segments, over all options, from which keys pay."""


@dataclass(eq=False, repr=False)
class Hulls:
    """Hulls, and what the long ones of a game share.

    Attributes:
        make: Gives the codes of the game's likelihood ratios; asked once, by the first long chain.
    """

    make: "Callable[[], Lattice]"

    @cached_property
    def _longer(self) -> "Lengthened":
        from dpcert.audit.algebra.long_chain import Lengthened

        return Lengthened(self.make)

    def of(self, total0: int, total1: int, options: Sequence[Sequence[Run]]) -> tuple[Chain, HullChoice]:
        """The chain of a position, the hull over its options, each a release of scaled runs; and who attains it."""
        if _are_long(options):
            from dpcert.audit.algebra.envelope import Envelope

            return Envelope(total0, total1, self._longer).of(options)
        return chains.hull([chains.release(runs, total0, total1) for runs in options])

    def let_go(self) -> None:
        """Forgets the chains with keys."""
        if "_longer" in vars(self):
            self._longer.let_go()


def _are_long(options: Sequence[Sequence[Run]]) -> bool:
    """Whether the options have LONG segments together."""
    segments = 0
    for runs in options:
        look()
        segments += sum(len(chain) for _, _, chain in runs)
        if segments >= LONG:
            return True
    return False
