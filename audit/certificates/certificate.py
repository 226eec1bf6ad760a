"""The certificate of an audit: its game, bounds on what adversaries make of it, and adversaries that reach them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.hulls import Hulls
from dpcert.audit.algebra.power import ORDERS, Order, PowerFunction
from dpcert.audit.certificates.bounding import Bounding, mirrors
from dpcert.audit.certificates.front_lines import FrontLines
from dpcert.audit.certificates.game_lines import GameLines
from dpcert.audit.certificates.lines import Lines
from dpcert.audit.certificates.loose import MOST_SEGMENTS_AT_ONCE, loosely_bounded, room
from dpcert.audit.certificates.outward import Outward
from dpcert.audit.certificates.play_lines import Named, PlayLines, narrowed
from dpcert.audit.certificates.reach import RequestedRays
from dpcert.audit.certificates.rung_lines import rung_lines
from dpcert.audit.certificates.tolerances import LeftOver
from dpcert.audit.certificates.unsolved import GameValues
from dpcert.audit.errors import ArgumentError, expected
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.paired import Exploration, PairedGame
from dpcert.audit.kernels.label import exactly
from dpcert.audit.records.assembled import AuditFacts
from dpcert.audit.records.game_digest import game_digest
from dpcert.audit.relations.adjacency import ZeroOut, innermost
from dpcert.audit.solving.adaptive import Solution, lattice_of, solve
from dpcert.audit.solving.analysis import NOTHING_KNOWN, Analysis
from dpcert.audit.solving.strategy import Search, Strategy

SCHEMA = "dpcert.certificate/2"
DEFAULT_GAP = Fraction(1, 10**9)
"""What bounds may exceed delta by, at every e^epsilon asked for, where nobody says."""
MOST_PLAYS = 5_000
"""Nodes of one adversary, and four times as many of all, past which a certificate holds no lower bound by it."""
OVERDRAWN = 100, 10, 1
"""How many times what the gap leaves curves may spend, as long as what they lose does not add up to more than it."""
MOST_DIGITS_WRITTEN = 4_000
"""Digits of a number past which no certificate is written, since it would not be read."""


def certificate(
    audit: AuditFacts, document: Mapping[str, Any], gap: Fraction = DEFAULT_GAP, *, rung: bool = False
) -> str:
    """The certificate of a finished audit, as lines of JSON.

    Args:
        audit: What was asked, played and found.
        document: The record.
        gap: What bounds may exceed delta by at the e^epsilon asked for; 0 for exact ones. Where the game was not
            solved, no less than what the audit's own bounds may be apart.
        rung: Whether it also shows the rung by which fixed streams do as well as any adversary, by a theorem.
    Raises: ArgumentError: an audit of which there is none, with the reason; a gap below 0; no such rung.
    """
    if gap < 0:
        raise expected("a gap of at least 0", certificate_gap=gap)
    _check(audit)
    if rung:
        _check_rung(audit, document)
    if _solved(audit):
        return _Certificate.of(audit, gap).text(document, rung)
    return _Certificate.of_bounds(audit, max(gap, audit.request.effort.gap)).text(document, rung)


def _check_rung(audit: AuditFacts, document: Mapping[str, Any]) -> None:
    """Refuses a game that is not that of a core with one hop of the Hamming relation."""
    scope = document["scope"]
    if not isinstance(audit.rules, PairedGame) or (scope["adjacency"], scope["hops"]) != ("hamming", 1):
        raise expected(
            "a core with --adjacency hamming and one hop, for --certificate-rung,",
            adjacency=scope["adjacency"],
            hops=scope["hops"],
        )


def _check(audit: AuditFacts) -> None:
    """Refuses an audit whose curves are not those of one game over all of its rounds."""
    analysis, question = audit.analysis, audit.request.question
    demand = "an audit of one whole game, for a certificate,"
    if not isinstance(audit.rules, PairedGame | BeliefGame):
        raise ArgumentError(f"Expected {demand} but got code that reads later inputs")
    rounds = audit.rules.horizon
    if rounds != question.rounds:
        raise ArgumentError(f"Expected {demand} but got {question.rounds} rounds of which {rounds} were played")
    if analysis.adaptive == NOTHING_KNOWN:
        why = analysis.stopped or "which laws were played is open"
        raise ArgumentError(f"Expected {demand} but got one that knows nothing: {why}")


def _solved(audit: AuditFacts) -> bool:
    """Whether the curve is exactly that of all rounds as they were solved."""
    analysis = audit.analysis
    whole = len(analysis.solution.levels) == audit.request.question.rounds
    return whole and analysis.adaptive.exact and analysis.solution.power == analysis.adaptive.upper


@dataclass
class _Certificate:
    """A certificate that is being written.

    Attributes:
        audit: What was played and found.
        valued: The game by its values.
        gap: What bounds may exceed delta by.
        lines: What is written so far.
        game: The lines of the game.
        plays: The lines of adversaries.
        bounds: The curves of values.
        fronts: Bounds on fixed streams; None where those on all adversaries serve, or there would be too many.
        curves: Lines of curves by value.
        alike: The same by what they say.
    """

    audit: AuditFacts
    valued: GameValues
    gap: Fraction
    lines: Lines
    game: GameLines
    plays: PlayLines
    bounds: Bounding
    fronts: FrontLines | None
    curves: dict[int, int]
    alike: dict[tuple[str, ...], int] = field(default_factory=dict)

    @classmethod
    def of(cls, audit: AuditFacts, gap: Fraction) -> "_Certificate":
        """One without lines, of a game that was solved."""
        solution, game = audit.analysis.solution, _game_lines(audit)
        slopes, rounds = audit.request.question.exp_epsilons, len(solution.levels)
        outward = Outward.of_gap(gap, rounds, max(slopes)) if gap else None
        bounds = bounds_of(solution, slopes, outward)
        fronts = FrontLines(game, solution, slopes, bounds.mirror, outward)
        own_fronts = audit.analysis.fixed != audit.analysis.adaptive and fronts.found()
        plays = PlayLines(game, dict(_strategies(audit)))
        return cls(audit, solution, gap, game.lines, game, plays, bounds, fronts if own_fronts else None, {})

    @classmethod
    def of_bounds(cls, audit: AuditFacts, gap: Fraction) -> "_Certificate":
        """One without lines, of a game that was not: its curves bound what adversaries make of it, and no more."""
        game = _game_lines(audit)
        valued, bounds = loosely_bounded(_rules(audit), audit.request, gap)
        return cls(audit, valued, gap, game.lines, game, PlayLines(game, {}), bounds, None, {})

    def text(self, document: Mapping[str, Any], rung: bool) -> str:
        """All of it."""
        levels, after = self.valued.levels, [0]
        for round_ in range(len(levels), 0, -1):
            after = self._round(round_, after)
        self._claims(after)
        name, rung_text = rung_lines(self.game, levels, _stable_cost(document)) if rung else (None, "")
        header = {**self._header(document), "rung": name}
        if self.lines.digits > MOST_DIGITS_WRITTEN:
            demand = f"numbers of at most {MOST_DIGITS_WRITTEN} digits in a certificate (MOST_DIGITS_WRITTEN)"
            raise expected(f"{demand}, as --certificate-gap gives them,", digits=self.lines.digits)
        return self.lines.written(header) + rung_text

    def _round(self, round_: int, after: list[int]) -> list[int]:
        """The lines of the positions of a round, and of what adversaries do there."""
        level, values = self.valued.levels[round_ - 1], self.valued.value_of[round_ - 1]
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
                alike = tuple(masses)
                if alike not in self.alike:
                    self.alike[alike] = self.lines.add({"curve": masses})
                self.curves[value] = self.alike[alike]
        return self.curves[value]

    def _claims(self, root: list[int]) -> None:
        """What the lines so far show of delta."""
        whole = PowerFunction(self.bounds.of(self.valued.value_of[0][0]))
        front, fixed = (None, whole) if self.fronts is None else self.fronts.root()
        for kind, line, bound in (("adaptive", None, whole), ("fixed", front, fixed)):
            for e in self.audit.request.question.exp_epsilons:
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
        scope, question = document["scope"], self.audit.request.question
        labels, null = [exactly(x) for x in self.game.inputs], self._null()
        alphabet = labels if null is None or null in labels[: len(self.game.alphabet)] else labels[:-1]
        return {
            "schema": SCHEMA,
            "target": document["target"],
            "game_digest": game_digest(self.game.game, self.valued.levels),
            "game": self.audit.game,
            "hidden": isinstance(self.audit.rules, BeliefGame),
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
        inner = innermost(self.audit.relation)
        return exactly(inner.null) if isinstance(inner, ZeroOut) else None


def _rules(audit: AuditFacts) -> PairedGame | BeliefGame:
    """The game, of states that are seen or hidden."""
    rules = audit.rules
    if not isinstance(rules, PairedGame | BeliefGame):
        raise TypeError(type(rules).__name__)
    return rules


def _game_lines(audit: AuditFacts) -> GameLines:
    """The lines of a game, none of them written."""
    rules = _rules(audit)
    alphabet = rules.core.alphabet if isinstance(rules, PairedGame) else rules.view.alphabet
    inputs = {} if audit.game == "npp" else {x: i for i, x in enumerate(alphabet)}
    return GameLines(Lines(), rules, alphabet, inputs)


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
    curves, once = exact.all(MOST_SEGMENTS_AT_ONCE), room(exp_epsilons, outward)
    for times in OVERDRAWN if curves else (1,):
        spent = {ray: times * most for ray, most in once.items()}
        tolerances = LeftOver(values, root, mirror, spent, curves).tolerances()
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


def _strategies(audit: AuditFacts) -> Iterator[tuple[Named, Strategy]]:
    """Adversaries that attain delta, and fixed streams with the event to bet on, where they are not too large."""
    analysis, room = audit.analysis, 4 * MOST_PLAYS
    adaptive = Search(analysis.solution)
    for e in audit.request.question.exp_epsilons:
        for order in ORDERS:
            for kind, search in (("adaptive", adaptive), ("fixed", _narrowed(analysis, e, order))):
                most = min(MOST_PLAYS, room)
                strategy = None if search is None else search.strategy(e, order, most)
                room -= most if strategy is None else len(strategy.nodes)
                if strategy is not None:
                    yield (kind, e, order), strategy


def _narrowed(analysis: Analysis, e: Fraction, order: Order) -> Search | None:
    """The game in which the two streams that attain the fixed-stream value are submitted, and nothing else."""
    if analysis.streams is None:
        return None
    return Search(solve(Exploration(narrowed(analysis.solution.levels, analysis.streams.witness(e, order)))))
