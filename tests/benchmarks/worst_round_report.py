"""What composition theorems charge for a game: the worst round's curve composed T times, beside the exact answer.

Run as `python tests/benchmarks/worst_round_report.py`; writes worst-round.csv and worst-round.png in docs/.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import matplotlib as mpl

from dpcert import Pmf, PowerFunction, bernoulli, supremum
from dpcert.audit.games.paired import Exploration, PairedGame, explore
from dpcert.audit.kernels.view import core_of
from dpcert.audit.relations.adjacency import HAMMING
from dpcert.audit.solving.adaptive import solve
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

mpl.use("Agg")
import matplotlib.pyplot as plt

DOCS = Path(__file__).resolve().parents[2] / "docs"
ROUNDS = (1, 2, 3, 4, 6, 8, 10, 12, 14, 16)
SLOPES = (Fraction(1), Fraction(2))


@dataclass(frozen=True)
class Clipped:
    """A count that is clipped at 4, and a bit that grows likelier with it."""

    alphabet: tuple[int, ...] = (0, 1)
    initial: int = 0

    def advance(self, state: int, x: int) -> int:
        """One more, up to 4."""
        return min(4, state + x)

    def law(self, state: int) -> Pmf[int]:
        """Of the bit."""
        return bernoulli(Fraction(4 + state, 16))


@dataclass(frozen=True)
class Lying:
    """Says its input, and lies a third of the time: nothing is left of a round in a later one."""

    alphabet: tuple[int, ...] = (0, 1)
    initial: int = 0

    def advance(self, state: int, x: int) -> int:
        """The input."""
        del state
        return x

    def law(self, state: int) -> Pmf[int]:
        """Of the answer."""
        return bernoulli(Fraction(1 + state, 3))


GAMES: dict[str, Any] = {
    "two-round-repeated": TwoRoundRepeated(),
    "clipped count": Clipped(),
    "coin per input": Lying(),
}


def worst_round(explored: Exploration) -> PowerFunction:
    """The hull of all rounds' curves, by themselves."""
    laws = {
        tuple((Fraction(o.weight0, move.denominator0), Fraction(o.weight1, move.denominator1)) for o in move.outcomes)
        for level in explored.levels
        for moves in level.moves
        for move in moves
    }
    return supremum([PowerFunction.from_segments(law) for law in laws])


def rows() -> Iterator[tuple[str, int, str, Fraction, Fraction]]:
    """(game, T, e^epsilon, the exact adaptive delta, the composed one)."""
    for name, mechanism in GAMES.items():
        for rounds in ROUNDS:
            explored = explore(PairedGame(core_of(mechanism), HAMMING, rounds))
            exact, composed = solve(explored).power, worst_round(explored).tensor_power(rounds)
            if not exact <= composed:
                raise RuntimeError("composition charges less than the truth")
            for e in SLOPES:
                yield name, rounds, str(e), exact.delta(e), composed.delta(e)


def main() -> None:
    """Writes the table and draws the ratios."""
    made = list(rows())
    with (DOCS / "data" / "worst-round.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("game", "rounds", "exp_epsilon", "exact", "composed", "ratio"))
        for name, rounds, e, exact, composed in made:
            ratio = f"{float(composed / exact):.6g}" if exact else ""
            writer.writerow((name, rounds, e, f"{float(exact):.12g}", f"{float(composed):.12g}", ratio))
    figure, axes = plt.subplots(figsize=(7, 4.8), layout="constrained")
    for name in GAMES:
        for e, style in (("1", "-o"), ("2", "--s")):
            points = [(t, float(b / a)) for n, t, at, a, b in made if (n, at) == (name, e) and a]
            if not points:  # the truth is 0 throughout
                continue
            axes.plot(*zip(*points, strict=True), style, markersize=4, label=f"{name}, e^epsilon = {e}")
    axes.set(xlabel="rounds T", ylabel="composed delta / exact delta")
    axes.grid(alpha=0.3)
    figure.legend(fontsize=8, loc="outside lower center", ncols=2)
    figure.savefig(DOCS / "images" / "worst-round.png", dpi=120, metadata={"Software": None})


if __name__ == "__main__":
    main()
