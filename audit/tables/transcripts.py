"""Transcripts under fixed streams that attain, and under an adaptive adversary that does: their laws in both worlds."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.power import Order
from dpcert.audit.algebra.rational import integer_text, text
from dpcert.audit.budget import Budget
from dpcert.audit.errors import ReplayError
from dpcert.audit.frozen import frozen
from dpcert.audit.games.paired import Level, Pair
from dpcert.audit.kernels.release import HALT
from dpcert.audit.kernels.view import View
from dpcert.audit.solving.fixed_hidden import Streams, count_streams, fixed_pairs
from dpcert.audit.solving.strategy import Branch, Strategy
from dpcert.audit.tables.left_out import MOST_TABLE_ROWS, MOST_TABLE_STREAMS, NotTabulated, bounded
from dpcert.audit.tables.met import words
from dpcert.audit.tables.table import Cell, ExactTable, Heading

Seen = tuple[Any, ...]
"""What an observer has seen: the outputs so far."""
Law = dict[Seen, Fraction]
Submits = Callable[[Seen], Pair | None]
"""What is submitted after some outputs; None where it is over."""


@frozen
class Point:
    """The slope and the order of the worlds at which transcripts are shown, and what is attained there."""

    exp_epsilon: Fraction
    order: Order

    def worth(self, mass0: Fraction, mass1: Fraction) -> Fraction:
        """P_first - e^epsilon P_second of one transcript, or of several together."""
        first, second = (mass0, mass1) if self.order == "0-1" else (mass1, mass0)
        return first - self.exp_epsilon * second

    @property
    def in_words(self) -> str:
        """For a title."""
        first, second = self.order.split("-")
        scale = "" if self.exp_epsilon == 1 else f"{text(self.exp_epsilon)} "
        return f"P{first} - {scale}P{second}"

    @property
    def heading(self) -> Heading:
        """Above what transcripts are worth."""
        first, second = self.order.split("-")
        e = self.exp_epsilon
        scale = rf"\frac{{{integer_text(e.numerator)}}}{{{integer_text(e.denominator)}}} "
        scale = "" if e == 1 else integer_text(e.numerator) + " " if e.denominator == 1 else scale
        return self.in_words, rf"$P_{first} - {scale}P_{second}$"


@frozen
class AttainedPlay:
    """Fixed pairs of streams that attain the fixed-stream value at a point, each with its total variation."""

    point: Point
    value: Fraction
    variations: dict[Streams, Fraction]


def law_of(view: View, submits: Submits, world: int) -> Law:
    """The law of all outputs in one world, played forwards on the mechanism; the world's own input is pair[world].

    Raises: NotTabulated: there are more transcripts than a table may have rows.
    """
    over: Law = {}
    going: dict[Seen, dict[Any, Fraction]] = {(): {view.initial: Fraction(1)}}
    while going:
        longer: dict[Seen, dict[Any, Fraction]] = {}
        for transcript, states in going.items():
            pair = None if transcript[-1:] == (HALT,) else submits(transcript)
            if pair is None:
                over[transcript] = sum(states.values(), Fraction(0))
                continue
            _release(view, transcript, states, pair[world], longer)
            if len(over) + len(longer) > MOST_TABLE_ROWS:
                raise NotTabulated(f"more than MOST_TABLE_ROWS = {MOST_TABLE_ROWS:,} transcripts")
        going = longer
    return over


def _release(
    view: View, transcript: Seen, states: dict[Any, Fraction], x: Any, longer: dict[Seen, dict[Any, Fraction]]
) -> None:
    """One round after one transcript."""
    for state, mass in states.items():
        kernel = view.kernel(state, x)
        for visible, after, weight in kernel.entries:
            by_state = longer.setdefault((*transcript, visible), {})
            by_state[after] = by_state.get(after, Fraction(0)) + mass * Fraction(weight, kernel.denominator)


def attaining(levels: Sequence[Level], point: Point, budget: Budget) -> AttainedPlay:
    """Every fixed pair of streams that attains the fixed-stream value, and that value; each pair is tried.

    Raises: NotTabulated: there are more than MOST_TABLE_STREAMS pairs to try.
    """
    if count_streams(levels, MOST_TABLE_STREAMS) > MOST_TABLE_STREAMS:
        raise NotTabulated(f"more than MOST_TABLE_STREAMS = {MOST_TABLE_STREAMS:,} fixed pairs of streams")
    supremum = fixed_pairs(levels, budget)
    if not supremum.complete:
        raise NotTabulated("not all fixed pairs of streams were tried in time")
    worth = {pairs: curve.hockey_stick(point.exp_epsilon, point.order) for pairs, curve in supremum.curves.items()}
    most = max(worth.values())
    best = {pairs: supremum.curves[pairs].total_variation for pairs in worth if worth[pairs] == most}
    return AttainedPlay(point, most, best)


def streams(play: AttainedPlay, scope: str) -> ExactTable:
    """The fixed pairs that attain."""
    point = play.point
    rows = bounded(
        (f"F{number}", _stream(pairs, 0), _stream(pairs, -1), play.value, variation)
        for number, (pairs, variation) in enumerate(play.variations.items(), 1)
    )
    columns = (
        ("streams", "streams"),
        ("stream 0", "stream 0"),
        ("stream 1", "stream 1"),
        (f"max {point.in_words}", rf"$\max$ {point.heading[1]}"),
        ("total variation", "total variation"),
    )
    title = f"Fixed pairs of streams that attain the largest {point.in_words}. {scope}"
    return ExactTable("fixed-streams", title, columns, tuple(rows))


def _stream(pairs: Streams, world: int) -> str:
    return words(tuple(pair[world] for pair in pairs))


def fixed_transcripts(view: View, play: AttainedPlay, scope: str) -> ExactTable:
    """The law of all outputs under each of those pairs, in both worlds."""
    point = play.point

    def rows() -> Iterator[tuple[Cell, ...]]:
        for number, pairs in enumerate(play.variations, 1):
            for row in _compared(view, _blind(pairs), point, play.value, None):
                yield (f"F{number}", *row)

    title = f"Transcripts under each fixed pair that attains; in S are those with {point.in_words} > 0. {scope}"
    return ExactTable("fixed-transcripts", title, (("streams", "streams"), *_columns(point)), tuple(bounded(rows())))


def _blind(pairs: Streams) -> Submits:
    return lambda seen: pairs[len(seen)] if len(seen) < len(pairs) else None


def adaptive_transcripts(view: View, strategy: Strategy, point: Point, scope: str) -> ExactTable:
    """The law of all outputs under the adversary, in both worlds, as far as it goes on; and the event it bets on."""
    follower = _Follower(strategy)
    rows = bounded(_compared(view, follower.submits, point, strategy.delta, follower.bets))
    title = f"Transcripts under an adaptive adversary that attains the largest {point.in_words}; it bets on S. {scope}"
    return ExactTable("adaptive-transcripts", title, _columns(point), tuple(rows))


def adversary(strategy: Strategy, scope: str) -> ExactTable:
    """What that adversary submits, node by node."""

    def rows() -> Iterator[tuple[Cell, ...]]:
        for number, node in enumerate(strategy.nodes):
            pair = words(node.pair[0]), words(node.pair[-1])
            for branch in node.branches:
                yield (integer_text(number), integer_text(node.round), *pair, words(branch.observation), _then(branch))

    names = ("node", "round", "input 0", "input 1", "sees", "then")
    title = f"The adaptive adversary: what it submits to either world, and where it goes on. {scope}"
    return ExactTable("adversary", title, tuple((name, name) for name in names), tuple(bounded(rows())))


def _then(branch: Branch) -> str:
    if branch.after is not None:
        return f"node {integer_text(branch.after)}"
    return "bets" if branch.in_event else "does not bet"


@frozen
class _Follower:
    """A strategy as what it does after a transcript."""

    strategy: Strategy

    def submits(self, transcript: Seen) -> Pair | None:
        """The pair of the node that the transcript leads to."""
        at = self._last(transcript)
        node = (0 if self.strategy.nodes else None) if at is None else at.after
        return None if node is None else self.strategy.nodes[node].pair

    def bets(self, transcript: Seen) -> bool:
        """Whether a transcript at which it stops is in its event."""
        at = self._last(transcript)
        return self.strategy.exp_epsilon < 1 if at is None else bool(at.in_event)

    def _last(self, transcript: Seen) -> Branch | None:
        at: Branch | None = None
        for observation in transcript:
            node = self.strategy.nodes[0 if at is None else at.after or 0]
            at = next(branch for branch in node.branches if branch.observation == observation)
        return at


def _columns(point: Point) -> tuple[Heading, ...]:
    return ("transcript", "transcript"), ("P0", "$P_0$"), ("P1", "$P_1$"), point.heading, ("in S", "in $S$")


def _compared(
    view: View, submits: Submits, point: Point, value: Fraction, bets: Callable[[Seen], bool] | None
) -> Iterator[tuple[Cell, ...]]:
    """Transcript by transcript; all that is in S must be worth the value that the solver claims.

    Raises: ReplayError: it is not.
    """
    law0, law1 = law_of(view, submits, 0), law_of(view, submits, -1)
    total = Fraction(0)
    rows: list[tuple[str, tuple[Cell, ...]]] = []
    for transcript in dict.fromkeys([*law0, *law1]):
        masses = law0.get(transcript, Fraction(0)), law1.get(transcript, Fraction(0))
        worth = point.worth(*masses)
        inside = worth > 0 if bets is None else bets(transcript)
        total += worth if inside else 0
        rows.append((words(transcript), (*masses, worth, "yes" if inside else "no")))
    if total != value or sum(law0.values()) != 1 or sum(law1.values()) != 1:
        raise ReplayError(f"transcripts are worth {text(total)} where {text(value)} was claimed")
    for seen_in_words, row in sorted(rows, key=lambda one: one[0]):
        yield (seen_in_words, *row)
