"""Code under explicit seeds, made at random: what a round reads, and whether it has any business to."""

import itertools
import random
from dataclasses import dataclass
from typing import Any

from dpcert import HALT, Pmf, from_weights

Stream = tuple[Any, ...]
ALPHABETS: tuple[tuple[Any, ...], ...] = ((0, 1), ("a", None), (0, 1, 2), ((0, 1), (1, 0)), (False, 0))
OUTPUTS: tuple[Any, ...] = (0, 1, -1, "x", None, True, 0.5, (1, 2), (1, (True,)), 3.5)


def random_seeded(number: int) -> "RandomSeeded":
    """Of this number: an alphabet, what it reads, and laws of its seeds."""
    made = random.Random(number)
    reads = tuple(made.sample(("inputs", "input", "seed", "seed", "seeds", "later", "last seed"), 3))
    return RandomSeeded(
        number, made.choice(ALPHABETS), reads, halts=made.random() < 0.2, dependent=made.random() < 0.25
    )


@dataclass
class RandomSeeded:
    """Round t answers by what it reads, mixed: inputs and seeds so far, mostly, or what it has no business to."""

    number: int
    alphabet: Stream
    reads: tuple[str, ...]
    halts: bool
    dependent: bool

    def seeds(self, horizon: int) -> Pmf[Stream]:
        """Of two seeds a round, independent mostly."""
        made = random.Random(self.number)
        if self.dependent:
            return from_weights({w: 1 + made.randrange(3) for w in itertools.product((0, "b"), repeat=horizon)})
        weights: dict[Stream, int] = {(): 1}
        for _ in range(horizon):
            own = {0: 1 + made.randrange(3), "b": 1 + made.randrange(3)}
            weights = {(*w, s): a * b for w, a in weights.items() for s, b in own.items()}
        return from_weights(weights)

    def respond(self, seeds: Stream, stream: Stream) -> Stream:
        """From a HALT on, HALT."""
        answers: list[Any] = []
        over = False
        for t in range(len(stream)):
            read = {
                "inputs": stream[: t + 1], "input": stream[t], "seed": seeds[t], "seeds": seeds[: t + 1],
                "later": stream[-1], "last seed": seeds[-1],
            }  # fmt: skip
            mixed = self.number * 31 + t
            for name in self.reads:
                mixed = mix(mixed, read[name])
            over = over or (self.halts and mixed % 7 == 0)
            answers.append(HALT if over else OUTPUTS[mixed % len(OUTPUTS)])
        return tuple(answers)


def mix(before: int, value: Any) -> int:
    """A number that tells values from one another, mostly."""
    if isinstance(value, tuple):
        for part in value:
            before = mix(before, part)
        return before
    digit = {"a": 5, "b": 7, None: 11}[value] if value in ("a", "b", None) else value + 2
    return (before * 69_069 + digit) % 2_147_483_647
