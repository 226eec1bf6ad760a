"""The digest of a game: its laws with what is seen and what follows, and where it starts."""

from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

from dpcert.audit.algebra.rational import text
from dpcert.audit.games.paired import Level, Weighed
from dpcert.audit.identity import held
from dpcert.audit.kernels.kernel import Kernel
from dpcert.audit.kernels.label import exactly
from dpcert.audit.kernels.laws_digest import digest_of_lines
from dpcert.audit.limits import look


@runtime_checkable
class Weighing(Protocol):
    """A game of which it is known what its positions are made of."""

    def weighed(self, position: Any) -> tuple[Any, Weighed, Weighed]:
        """The relation's state, and the states that the mechanism may be in with their weights, in either world."""
        ...

    def kernel(self, state: Any, x: Any) -> Kernel:
        """One round of the mechanism."""
        ...


def game_digest(game: Weighing, levels: Sequence[Level]) -> str:
    """SHA-256 over all laws with what is seen and what follows, and the state of the first position.

    Args:
        game: The game.
        levels: Its positions, all of them.
    """
    lines = [state_label(start(game, levels[0].positions[0]))]
    for state, x in dict.fromkeys(_asked(game, levels)):
        look()
        lines.extend(outcome_lines(state, x, game.kernel(state, x)))
    return digest_of_lines(lines)


def start(game: Weighing, first: Any) -> Hashable:
    """The state of the position of round 1, the same in both worlds."""
    _, weighed, _ = game.weighed(first)
    state: Hashable = weighed[0][0]
    return state


def state_label(state: Hashable) -> str:
    """The label by which digests and certificates know a state."""
    return exactly(held(state, copying=True))


def outcome_lines(state: Hashable, x: Any, kernel: Kernel) -> Iterator[str]:
    """State and input, what is seen, next state and probability, of each outcome.

    Args:
        state: The state before.
        x: The input.
        kernel: What follows.
    """
    asked = f"({state_label(state)}, {exactly(x)})"
    for visible, there, weight in kernel.entries:
        share = text(Fraction(weight, kernel.denominator))
        yield f"{asked}\t{exactly(visible)}\t{state_label(there)}\t{share}"


def _asked(game: Weighing, levels: Sequence[Level]) -> Iterator[tuple[Hashable, Any]]:
    """Every state with every input that it can be given, in either world."""
    for level in levels:
        for position, moves in zip(level.positions, level.moves, strict=True):
            look()
            _, *weighed = game.weighed(position)
            for move in moves:
                for states, x in zip(weighed, (move.pair[0], move.pair[-1]), strict=True):
                    yield from ((state, x) for state, _ in states)
