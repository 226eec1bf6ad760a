"""A game as lines: states, kernels, legal pairs and positions, from the last round to the first."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from dpcert.audit.certificates.lines import Lines
from dpcert.audit.games.paired import END, Move, Pair, Weighed
from dpcert.audit.kernels.kernel import Kernel
from dpcert.audit.kernels.label import exactly
from dpcert.audit.records.game_digest import state_label
from dpcert.audit.relations.adjacency import OVER, Adjacency


class GameSource(Protocol):
    """What is read of a game that was explored."""

    @property
    def horizon(self) -> int:
        """The number of rounds."""
        ...

    @property
    def adjacency(self) -> Adjacency[Any]:
        """The relation of the two streams."""
        ...

    def weighed(self, position: Any) -> tuple[Any, Weighed, Weighed]:
        """The relation's state, and the states that the mechanism may be in with their weights, in either world."""
        ...

    def kernel(self, state: Any, x: Any) -> Kernel:
        """One round of the mechanism."""
        ...


@dataclass
class GameLines:
    """Writes the positions of a game, and before each what it refers to and was not written yet.

    Attributes:
        lines: Where they go.
        game: The game.
        alphabet: The inputs from which the relation's legal pairs are made.
        inputs: Inputs by number; those that are met and were not known are added.
    """

    lines: Lines
    game: GameSource
    alphabet: tuple[Any, ...]
    inputs: dict[Any, int]
    _states: dict[Hashable, int] = field(default_factory=dict)
    _kernels: dict[tuple[Any, Any], int] = field(default_factory=dict)
    _relations: dict[Hashable, int] = field(default_factory=dict)
    _moves: dict[tuple[tuple[int | None, ...], ...], int] = field(default_factory=dict)

    def begin(self, round_: int) -> None:
        """From here on positions are of this round."""
        self.lines.add({"round": round_}, kept=False)

    def position(
        self, position: Any, round_: int, moves: Sequence[Move], curve: int | None, after: Sequence[int]
    ) -> int:
        """The number of a position's line.

        Args:
            position: As the game has it.
            round_: Its round.
            moves: Its legal moves, as they were explored.
            curve: The line of its curve; None for none.
            after: The lines of the positions of the next round.
        """
        relation, weighed0, weighed1 = self.game.weighed(position)
        legal = self._legal(relation, round_)
        inputs = list(dict.fromkeys(move.pair[0] for move in moves)), list(dict.fromkeys(m.pair[-1] for m in moves))
        kernels = [
            self._kernel(s, x) for w, xs in zip((weighed0, weighed1), inputs, strict=True) for s, _ in w for x in xs
        ]
        following = {after[o.after] for move in moves for o in move.outcomes if o.after != END}
        line: dict[str, Any] = {
            "position": [self._relation(relation), self._belief(weighed0), self._belief(weighed1)],
            "moves": legal,
        }
        uses = [legal, *kernels, *following]
        if curve is not None:
            line["curve"] = curve
            uses.append(curve)
        return self.lines.add(line, uses)

    def pair(self, pair: Pair) -> list[int]:
        """The numbers of a pair's inputs."""
        return [self._input(pair[0]), self._input(pair[-1])]

    def _legal(self, relation: Any, round_: int) -> int:
        last = round_ == self.game.horizon
        legal = tuple(
            (*self.pair(pair), None if last or after is OVER else self._relation(after))
            for pair, after in self.game.adjacency.legal(relation, round_, self.alphabet)
        )
        if legal not in self._moves:
            self._moves[legal] = self.lines.add({"moves": [list(move) for move in legal]})
        return self._moves[legal]

    def _kernel(self, state: Any, x: Any) -> int:
        number = self._kernels.get((state, x))
        if number is None:
            kernel = self.game.kernel(state, x)
            here = self._state(state)
            after = [self._state(s) for _, s, _ in kernel.entries]
            to = [[exactly(v), s, self.lines.whole(w)] for (v, _, w), s in zip(kernel.entries, after, strict=True)]
            line = {"kernel": [here, self._input(x)], "to": to, "of": self.lines.whole(kernel.denominator)}
            number = self._kernels[state, x] = self.lines.add(line, [here, *after])
        return number

    def _state(self, state: Hashable) -> int:
        if state not in self._states:
            self._states[state] = self.lines.add({"state": state_label(state)})
        return self._states[state]

    def _belief(self, weighed: Weighed) -> str:
        """States by the numbers of their lines, and weights."""
        numbered = sorted((self._states[state], weight) for state, weight in weighed)
        return " ".join(f"{number}:{self.lines.whole(weight)}" for number, weight in numbered)

    def _relation(self, state: Hashable) -> int:
        return self._relations.setdefault(state, len(self._relations))

    def _input(self, x: Any) -> int:
        return self.inputs.setdefault(x, len(self.inputs))
