"""The kernels that a game meets, and the pairs of them that stand against each other in its two worlds."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.frozen import frozen
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.paired import Level, Move, PairedGame
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.label import in_full
from dpcert.audit.render.cells import plain
from dpcert.audit.tables.left_out import bounded
from dpcert.audit.tables.table import Cell, ExactTable

Asked = tuple[Any, Any]
"""A state of the mechanism, and the input that it is handed."""
ROUND = ("first round", "first round")
VERTEX = (("P0[S]", "$P_0[S]$"), ("largest P1[S]", r"$\max P_1[S]$"))


@frozen
class MetPair:
    """Two kernels, one a world, first met in some round; what tells them apart, as a power function."""

    round: int
    side0: str
    side1: str
    power: PowerFunction


@dataclass
class KernelNumbers:
    """Kernels by what they depend on, numbered in the order in which they are met, and pairs of them.

    A pair and the same with the worlds swapped are one; a kernel against itself is none.
    """

    game: PairedGame | BeliefGame
    kernels: dict[Asked, tuple[int, int]] = field(default_factory=dict)
    """(number, first round)."""
    pairs: dict[tuple[Any, Any], MetPair] = field(default_factory=dict)

    def add(self, round_: int, level: Level) -> None:
        """What one round shows."""
        for position, moves in zip(level.positions, level.moves, strict=True):
            worlds = self.game.states(position)
            for move in moves:
                inputs = move.pair[0], move.pair[-1]
                for states, x in zip(worlds, inputs, strict=True):
                    for state in states:
                        self.kernels.setdefault((state, x), (len(self.kernels) + 1, round_))
                self._add_pair(round_, position, worlds, move)

    def _add_pair(self, round_: int, position: Any, worlds: tuple[Any, Any], move: Move) -> None:
        inputs = move.pair[0], move.pair[-1]
        if isinstance(self.game, PairedGame):
            sides: tuple[Any, Any] = (worlds[0][0], inputs[0]), (worlds[1][0], inputs[1])
        else:
            sides = (position[1], inputs[0]), (position[2], inputs[1])
        if sides[0] == sides[1] or sides in self.pairs or sides[::-1] in self.pairs:
            return
        self.pairs[sides] = MetPair(round_, *self._named(position, sides), power_of(move))

    def _named(self, position: Any, sides: tuple[Any, Any]) -> tuple[str, str]:
        """A kernel by its number; one of a belief by that and the input."""
        if isinstance(self.game, PairedGame):
            return named(self.kernels[sides[0]][0]), named(self.kernels[sides[1]][0])
        first, second = (
            f"{{{belief}}}, {words(x)}" for belief, (_, x) in zip(self.game.believed(position), sides, strict=True)
        )
        return first, second


def named(number: int) -> str:
    """What a kernel is called."""
    return f"K{number}"


def words(value: object) -> str:
    """A value in full, on one line."""
    return plain(in_full(value))


def power_of(move: Move) -> PowerFunction:
    """What one release tells of the two worlds."""
    weights = [o.weight0 for o in move.outcomes], [o.weight1 for o in move.outcomes]
    return PowerFunction(chains.ordered(*weights, move.denominator0, move.denominator1))


def met(game: PairedGame | BeliefGame, levels: tuple[Level, ...]) -> KernelNumbers:
    """All that is met in these rounds."""
    found = KernelNumbers(game)
    for round_, level in enumerate(levels, 1):
        found.add(round_, level)
    return found


def kernels(encounters: KernelNumbers, scope: str) -> ExactTable:
    """Each kernel, outcome by outcome; with hidden state, together with the state that follows."""
    view = encounters.game.core if isinstance(encounters.game, PairedGame) else encounters.game.view
    core = view if isinstance(view, Core) else None
    describe = words if core is None else core.describe

    def rows() -> Iterator[tuple[Cell, ...]]:
        for (state, x), (number, round_) in encounters.kernels.items():
            kernel = view.kernel(state, x)
            head = named(number), str(round_), plain(describe(state)), words(x)
            for visible, after, weight in kernel.entries:
                follows = () if core is not None else (words(after),)
                yield (*head, words(visible), *follows, Fraction(weight, kernel.denominator))

    columns = [("kernel", "kernel"), ROUND, ("state", "state"), ("input", "input"), ("outcome", "outcome")]
    if core is None:
        columns.append(("next state", "next state"))
    columns.append(("probability", "probability"))
    return ExactTable(
        "kernels", f"Kernels met by either world: the law of a release, given state and input. {scope}", tuple(columns),
        tuple(bounded(rows())),
    )  # fmt: skip


def pairs(encounters: KernelNumbers, scope: str) -> ExactTable:
    """Each pair of kernels that neighbouring streams lead to, and how far apart the two are."""

    def rows() -> Iterator[tuple[Cell, ...]]:
        for number, pair in enumerate(encounters.pairs.values(), 1):
            ratio = pair.power.largest_ratio
            apart = pair.power.total_variation, pair.power.delta_at_infinity, "infinite" if ratio is None else ratio
            yield (f"N{number}", str(pair.round), pair.side0, pair.side1, *apart)

    columns = (
        ("pair", "pair"),
        ROUND,
        ("world 0", "world 0"),
        ("world 1", "world 1"),
        ("total variation", "total variation"),
        ("δ at ε = infinity", r"$\delta(\infty)$"),
        ("largest likelihood ratio", "largest likelihood ratio"),
    )
    title = f"Pairs of neighbouring kernels: one in each world, and what one release tells of them. {scope}"
    return ExactTable("pairs", title, columns, tuple(bounded(rows())))


def pair_vertices(found: KernelNumbers, scope: str) -> ExactTable:
    """The power function of each pair of kernels."""
    rows = bounded(
        (f"N{number}", *vertex) for number, pair in enumerate(found.pairs.values(), 1) for vertex in pair.power.vertices
    )
    title = f"The vertices of the power function of each pair of neighbouring kernels. {scope}"
    return ExactTable("pair-vertices", title, (("pair", "pair"), *VERTEX), tuple(rows))
