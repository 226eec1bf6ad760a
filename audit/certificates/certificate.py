"""The certificate of an audit: its game, bounds on what adversaries make of it, and adversaries that reach them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.hulls import Hulls
from dpcert.audit.algebra.power import ORDERS, Order, PowerFunction
from dpcert.audit.certificates.bounding import Bounding, mirrors
from dpcert.audit.certificates.front_lines import FrontLines
from dpcert.audit.certificates.game_lines import GameLines
from dpcert.audit.certificates.lines import Lines
from dpcert.audit.certificates.outward import Outward
from dpcert.audit.certificates.play_lines import Named, PlayLines, narrowed
from dpcert.audit.certificates.reach import RequestedRays
from dpcert.audit.certificates.rung_lines import rung_lines
from dpcert.audit.certificates.tolerances import LeftOver
from dpcert.audit.errors import ArgumentError, expected
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.paired import Explored, PairedGame
from dpcert.audit.kernels.label import exactly
from dpcert.audit.records.assembled import Audited
from dpcert.audit.records.game_digest import game_digest
from dpcert.audit.relations.adjacency import ZeroOut
from dpcert.audit.solving.adaptive import Solution, lattice_of, solve
from dpcert.audit.solving.analysis import Analysis
from dpcert.audit.solving.strategy import Search, Strategy

SCHEMA = "dpcert.certificate/2"
DEFAULT_GAP = Fraction(1, 10**9)
"""What bounds may exceed delta by, at every e^epsilon asked for, where nobody says."""
MOST_PLAYS = 5_000
"""Nodes of one adversary, and four times as many of all, past which a certificate holds no lower bound by it."""
MOST_SEGMENTS_AT_ONCE = 2_000_000
"""Segments of exact curves past which curves of a certificate are as near to the truth at one slope as at any."""
OVERDRAWN = 100, 10, 1
"""How many times what the gap leaves curves may spend, as long as what they lose does not add up to more than it."""
MOST_DIGITS_WRITTEN = 4_000
"""Digits of a number past which no certificate is written, since it would not be read."""


def certificate(
    audited: Audited, document: Mapping[str, Any], gap: Fraction = DEFAULT_GAP, *, rung: bool = False
) -> str:
    """The certificate of a finished audit, as lines of JSON.

    Args:
        audited: What was asked, played and found.
        document: The record.
        gap: What bounds may exceed delta by at the e^epsilon asked for; 0 for exact ones.
        rung: Whether it also shows the rung by which fixed streams do as well as any adversary, by a theorem.
    Raises: ArgumentError: an audit of which there is none, with the reason; a gap below 0; no such rung.
    """
    if gap < 0:
        raise expected("a gap of at least 0", certificate_gap=gap)
    _check(audited)
    if rung:
        _check_rung(audited, document)
    return _Certificate.of(audited, gap).text(document, rung)


def _check_rung(audited: Audited, document: Mapping[str, Any]) -> None:
    """Refuses a game that is not that of a core with one hop of the Hamming relation."""
    scope = document["scope"]
    if not isinstance(audited.played, PairedGame) or (scope["adjacency"], scope["hops"]) != ("hamming", 1):
        raise expected(
            "a core with --adjacency hamming and one hop, for --certificate-rung,",
            adjacency=scope["adjacency"],
            hops=scope["hops"],
        )


def _check(audited: Audited) -> None:
    """Refuses an audit whose curves are not those of one game that was solved."""
    found, question = audited.found, audited.request.question
    wanted = "an audit that solved its whole game, for a certificate,"
    if not isinstance(audited.played, PairedGame | BeliefGame):
        raise ArgumentError(f"Expected {wanted} but got code that reads later inputs")
    if found.stopped is not None and not found.adaptive.exact:
        raise ArgumentError(f"Expected {wanted} but got one that ended early: {found.stopped}")
    rounds = len(found.solution.levels)
    if rounds != question.rounds:
        raise ArgumentError(f"Expected {wanted} but got {question.rounds} rounds of which {rounds} were played")
    if not found.adaptive.exact or found.solution.power != found.adaptive.upper:
        raise ArgumentError(f"Expected {wanted} but got one that leaves open which laws were played")


@dataclass
class _Certificate:
    """A certificate that is being written.

    Attributes:
        audited: What was played and found.
        gap: What bounds may exceed delta by.
        lines: What is written so far.
        game: The lines of the game.
        plays: The lines of adversaries.
        bounds: The curves of values.
        fronts: Bounds on fixed streams; None where those on all adversaries serve, or there would be too many.
        curves: Lines of curves by value.
    """

    audited: Audited
    gap: Fraction
    lines: Lines
    game: GameLines
    plays: PlayLines
    bounds: Bounding
    fronts: FrontLines | None
    curves: dict[int, int]

    @classmethod
    def of(cls, audited: Audited, gap: Fraction) -> "_Certificate":
        """One without lines."""
        lines, solution, played = Lines(), audited.found.solution, audited.played
        slopes, rounds = audited.request.question.exp_epsilons, len(solution.levels)
        if not isinstance(played, PairedGame | BeliefGame):
            raise TypeError(type(played).__name__)
        alphabet = played.core.alphabet if isinstance(played, PairedGame) else played.view.alphabet
        inputs = {} if audited.game == "npp" else {x: i for i, x in enumerate(alphabet)}
        game = GameLines(lines, played, alphabet, inputs)
        outward = Outward.of_gap(gap, rounds, max(slopes)) if gap else None
        bounds = bounds_of(solution, slopes, outward)
        fronts = FrontLines(game, solution, slopes, bounds.mirror, outward)
        needed = audited.found.fixed != audited.found.adaptive and fronts.found()
        plays = PlayLines(game, dict(_strategies(audited)))
        return cls(audited, gap, lines, game, plays, bounds, fronts if needed else None, {})

    def text(self, document: Mapping[str, Any], rung: bool) -> str:
        """All of it."""
        solution, after = self.audited.found.solution, [0]
        for round_ in range(len(solution.levels), 0, -1):
            after = self._round(solution, round_, after)
        self._claims(after)
        name, shown = rung_lines(self.game, solution.levels, _stable_cost(document)) if rung else (None, "")
        header = {**self._header(document), "rung": name}
        if self.lines.digits > MOST_DIGITS_WRITTEN:
            wanted = f"numbers of at most {MOST_DIGITS_WRITTEN} digits in a certificate (MOST_DIGITS_WRITTEN)"
            raise expected(f"{wanted}, as --certificate-gap gives them,", digits=self.lines.digits)
        return self.lines.written(header) + shown

    def _round(self, solution: Solution, round_: int, after: list[int]) -> list[int]:
        """The lines of the positions of a round, and of what adversaries do there."""
        level, values = solution.levels[round_ - 1], solution.value_of[round_ - 1]
        self.game.begin(round_)
        here = [
            self.game.position(position, round_, moves, self._curve(value), after)
            for position, moves, value in zip(level.positions, level.moves, values, strict=True)
        ]
        self.plays.write(round_, dict(zip(level.positions, here, strict=True)))
        if self.fronts is not None:
            self.fronts.write(here)
        return here

    def _curve(self, value: int) -> int:
        """The line of a value's curve."""
        if value not in self.curves:
            chain, twin = self.bounds.of(value), self.bounds.mirror.get(value)
            if twin is not None and twin != value and twin in self.curves:
                other = self.curves[twin]
                self.curves[value] = self.lines.add({"mirror": other}, [other])
            else:
                masses = [self.lines.wholes(map(int, masses)) for masses in (chain.mass0, chain.mass1)]
                self.curves[value] = self.lines.add({"curve": masses})
        return self.curves[value]

    def _claims(self, root: list[int]) -> None:
        """What the lines so far show of delta."""
        whole = PowerFunction(self.bounds.of(self.audited.found.solution.value_of[0][0]))
        front, fixed = (None, whole) if self.fronts is None else self.fronts.root()
        for kind, line, bound in (("adaptive", None, whole), ("fixed", front, fixed)):
            for e in self.audited.request.question.exp_epsilons:
                for order in ORDERS:
                    self._claim((kind, e, order), bound.hockey_stick(e, order), root[0], line)

    def _claim(self, name: Named, upper: Fraction, root: int, front: int | None) -> None:
        kind, e, order = name
        strategy, play = self.plays.strategies.get(name), self.plays.start(name)
        line = {
            "claim": kind,
            "exp_epsilon": self.lines.rational(e),
            "order": order,
            "upper": self.lines.rational(upper),
            "lower": None if strategy is None else self.lines.rational(strategy.delta),
            "play": play,
            "front": front,
        }
        self.lines.add(line, [root, *(used for used in (play, front) if used is not None)], kept=False)

    def _header(self, document: Mapping[str, Any]) -> dict[str, Any]:
        scope, question = document["scope"], self.audited.request.question
        labels, null = [exactly(x) for x in self.game.inputs], self._null()
        alphabet = labels if null is None or null in labels[: len(self.game.alphabet)] else labels[:-1]
        return {
            "schema": SCHEMA,
            "target": document["target"],
            "game_digest": game_digest(self.game.game, self.audited.found.solution.levels),
            "game": self.audited.game,
            "hidden": isinstance(self.audited.played, BeliefGame),
            "alphabet": alphabet,
            "null": null,
            "horizon": scope["horizon"],
            "adjacency": scope["adjacency"],
            "hops": scope["hops"],
            "challenge_round": scope["challenge_round"],
            "exp_epsilons": [self.lines.rational(e) for e in question.exp_epsilons],
            "gap": self.lines.rational(self.gap),
        }

    def _null(self) -> str | None:
        """The null input of zero-out."""
        inner: Any = self.audited.relation
        while not isinstance(inner, ZeroOut) and hasattr(inner, "adjacency"):
            inner = inner.adjacency
        return exactly(inner.null) if isinstance(inner, ZeroOut) else None


def bounds_of(solution: Solution, exp_epsilons: Sequence[Fraction], outward: Outward | None) -> Bounding:
    """The curves of values, exact or within what the gap leaves.

    Args:
        solution: The solved game.
        exp_epsilons: What is asked for.
        outward: What the gap leaves; None for curves that are exact at the slopes asked for, and where these lead.
    """
    values, root, mirror = solution.values, solution.value_of[0][0], mirrors(solution.values)
    exact = Bounding(values, Hulls(lambda: lattice_of(solution.levels)), mirror)
    if outward is None:
        exact.rays = RequestedRays.of(solution, exp_epsilons, mirror).rays
        return exact
    ends = [ray for e in exp_epsilons for ray in ((e.numerator, e.denominator), (e.denominator, e.numerator))]
    curves = exact.all(MOST_SEGMENTS_AT_ONCE)
    for times in OVERDRAWN if curves else (1,):
        room = dict.fromkeys(ends, Fraction(times, outward.within))
        tolerances = LeftOver(values, root, mirror, room, curves).tolerances()
        bounds = Bounding(values, exact.hulls, mirror, outward, tolerances, curves)
        if times == 1 or _near(PowerFunction(bounds.of(root)), solution.power, exp_epsilons, outward):
            break
    return bounds


def _near(above: PowerFunction, power: PowerFunction, exp_epsilons: Sequence[Fraction], outward: Outward) -> bool:
    """Whether a bound exceeds delta by no more than the gap."""
    pairs = [(e, order) for e in exp_epsilons for order in ORDERS]
    return all(above.hockey_stick(*at) <= power.hockey_stick(*at) + Fraction(2, outward.within) for at in pairs)


def _stable_cost(document: Mapping[str, Any]) -> Any:
    """What a record says of STABLE_COST."""
    return next(entry for entry in document["checklist"] if entry["item"] == "STABLE_COST")


def _strategies(audited: Audited) -> Iterator[tuple[Named, Strategy]]:
    """Adversaries that attain delta, and fixed streams with the event to bet on, where they are not too large."""
    found, left = audited.found, 4 * MOST_PLAYS
    adaptive = Search(found.solution)
    for e in audited.request.question.exp_epsilons:
        for order in ORDERS:
            for kind, search in (("adaptive", adaptive), ("fixed", _narrowed(found, e, order))):
                most = min(MOST_PLAYS, left)
                strategy = None if search is None else search.strategy(e, order, most)
                left -= most if strategy is None else len(strategy.nodes)
                if strategy is not None:
                    yield (kind, e, order), strategy


def _narrowed(found: Analysis, e: Fraction, order: Order) -> Search | None:
    """The game in which the two streams that attain the fixed-stream value are submitted, and nothing else."""
    if found.streams is None:
        return None
    return Search(solve(Explored(narrowed(found.solution.levels, found.streams.witness(e, order)))))
