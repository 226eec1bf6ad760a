"""The levels of a game that are solved, in a checkpoint: a killed audit goes on with the next one.

Positions and laws are explored anew each time, and what is kept is taken up only where the digest of all of them is
what it was: of every law, with the states that follow it, and of every move, with its weights and what it leads to.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpcert.audit.algebra.chain import Chain, HullChoice
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.budget import Budget
from dpcert.audit.errors import expected
from dpcert.audit.games.paired import Exploration
from dpcert.audit.identity import held
from dpcert.audit.kernels.label import exactly
from dpcert.audit.kernels.laws_digest import digest_of_laws
from dpcert.audit.limits import look
from dpcert.audit.solving.adaptive import Solver, Value
from dpcert.audit.solving.checkpoint import Checkpoint, key_of

SAVED_EVERY = 250
"""Milliseconds between two times that levels are saved: of many short ones several at once."""
LIVE = "live"
"""The entry that says how many levels are done, with the chains that the next one is made from."""


@dataclass
class KeptLevels:
    """Where the levels of one game are kept.

    Attributes:
        path: The file.
        question: What is asked of the game, as plain values.
        after: Seconds of solving before which nothing is kept, nor looked for, in a folder in which nothing of a game
            like this was kept before: to know it by its digest takes as long as to solve a small one.
    """

    path: str
    question: tuple[object, ...]
    after: int = 0
    _late: Callable[[], Checkpoint] | None = None
    _begun: Budget = field(default_factory=Budget)
    _file: Checkpoint | None = None
    _saved: int = 0
    _counts: list[int] = field(default_factory=list)
    _mirrors: list[int] = field(default_factory=list)
    _clock: Budget = field(default_factory=Budget)
    _likeness: str = ""

    def begin(self, laws: Iterable[tuple[object, Pmf[Any]]], explored: Exploration) -> None:
        """Takes the game; of one that was not explored to its end nothing is kept."""
        if explored.stopped is not None:
            return

        def of_this() -> Checkpoint:
            parts = "exact", *self.question, digest_of_laws(laws), _moves(explored)
            return Checkpoint(self.path, key_of(parts))

        self._likeness = _likeness(self.path, self.question, explored) if self.after else ""
        if self.after and not os.path.exists(self._likeness):
            self._late, self._begun = of_this, Budget()
        else:
            self._file = of_this()

    def restored(self, solver: Solver) -> list[tuple[int, ...]]:
        """Puts back what was saved; the numbers of values of each level that is done, the last round first.

        Raises: ArgumentError: the file is none of this game, or damaged.
        """
        self._counts, self._mirrors = [len(solver.values)], [len(solver.mirror)]
        entries = {} if self._file is None else self._file.load()
        if not entries:
            return []
        live = json.loads(entries.get(LIVE, "null"))
        names = [_name(number) for number in range(1, live["levels"] + 1)] if live else []
        if not names or not entries.keys() >= set(names):
            raise expected("a checkpoint with all of its levels", checkpoint=self.path)
        levels = [self._put_back(solver, json.loads(entries[name])) for name in names]
        for number, chain in live["chains"].items():
            solver.values[int(number)].chain = _chain(chain)
        self._saved = len(levels)
        return levels

    def _put_back(self, solver: Solver, level: dict[str, Any]) -> tuple[int, ...]:
        look()
        for written in level["values"]:
            solver.put_back(_value(_numbers(written)))
        solver.mirror.update(level["mirror"])
        self._count(solver)
        after: tuple[int, ...] = tuple(level["after"])
        return after

    def _count(self, solver: Solver) -> None:
        self._counts.append(len(solver.values))
        self._mirrors.append(len(solver.mirror))

    def keep(self, solver: Solver, value_of: Sequence[tuple[int, ...]], *, last: bool) -> None:
        """Takes the level that was just solved, and saves where it is time to.

        Args:
            solver: With all values so far.
            value_of: Those of the levels done, by number, after what is beyond them.
            last: Whether it was the last one.
        Raises: ArgumentError: the file cannot be written.
        """
        self._count(solver)
        if self._late is not None and self._begun.nanoseconds() >= self.after * 10**9:
            self._file, self._late = self._late(), None
            with suppress(OSError):
                Path(self._likeness).touch()
        if self._file is None or not (last or self._clock.nanoseconds() >= SAVED_EVERY * 10**6):
            return
        count = len(value_of) - 1
        entries = {_name(number): self._level(solver, value_of, number) for number in range(self._saved + 1, count + 1)}
        chains = {number: _written_chain(solver.chain(number)) for number in sorted({*value_of[-1]})}
        self._file.save({**entries, LIVE: json.dumps({"levels": count, "chains": chains})})
        self._saved, self._clock = count, Budget()

    def _level(self, solver: Solver, value_of: Sequence[tuple[int, ...]], number: int) -> str:
        look()
        values = solver.values[self._counts[number - 1] : self._counts[number]]
        mirror = list(solver.mirror.items())[self._mirrors[number - 1] : self._mirrors[number]]
        said = {"after": value_of[number], "values": [_text(_parts(one)) for one in values], "mirror": mirror}
        return json.dumps(said)


def _name(number: int) -> str:
    return f"level {number}"


def _likeness(folder: str, question: tuple[object, ...], exploration: Exploration) -> str:
    """A file that says that levels of a game of this question and size were kept once; others may have the same."""
    sizes = [(len(level.positions), sum(map(len, level.moves))) for level in exploration.levels]
    return os.path.join(folder, f"{key_of(('like', *question, sizes))}.long")


def _moves(exploration: Exploration) -> str:
    """The digest of all moves: their pairs, weights, observations, and what they lead to."""
    digest = hashlib.sha256()
    digests: dict[Any, str] = {}

    def told(value: Any) -> str:
        token = held(value, copying=True)
        if token not in digests:
            digests[token] = exactly(token)
        return digests[token]

    for level in exploration.levels:
        for moves in level.moves:
            look()
            for move in moves:
                weights = [(told(o.observation), o.weight0, o.weight1, o.after) for o in move.outcomes]
                said = json.dumps([told(move.pair), _text((move.denominator0, move.denominator1, weights))])
                digest.update(said.encode() + b"\n")
            digest.update(b"position\n")
        digest.update(b"level\n")
    return digest.hexdigest()


def _parts(value: Value) -> tuple[Any, ...]:
    """A value without its chain, as nested whole numbers."""
    choice = value.choice.first, value.choice.switches
    return value.options, choice, value.total0, value.total1, value.first, value.last


def _value(parts: Any) -> Value:
    options, (first, switches), *rest = parts
    return Value(options, HullChoice(first, switches), None, *rest)


def _text(value: Any) -> Any:
    """Nested whole numbers, of any length, as JSON has them: in base 16, which takes no longer for long ones."""
    if isinstance(value, (tuple, list)):
        return [_text(one) for one in value]
    return value if isinstance(value, str) else format(value, "x")


def _numbers(nested: Any) -> Any:
    if isinstance(nested, list):
        return tuple(map(_numbers, nested))
    return int(nested, 16)


def _written_chain(chain: Chain) -> list[str]:
    look()
    masses = [" ".join(map(_text, side)) for side in (chain.mass0, chain.mass1)]
    return [*masses, *map(_text, (chain.total0, chain.total1))]


def _chain(written: Sequence[str]) -> Chain:
    look()
    mass0, mass1, total0, total1 = ([int(mass, 16) for mass in side.split()] for side in written)
    return Chain(tuple(mass0), tuple(mass1), *total0, *total1)
