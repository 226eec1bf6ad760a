"""All tables of one audit, one after the other, each made or left out by name."""

from collections.abc import Callable, Iterator
from functools import cached_property

from dpcert.audit.algebra.gap import find_gap
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.errors import ArgumentError, one_line
from dpcert.audit.frozen import frozen
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.offline import OfflineGame
from dpcert.audit.games.paired import Level, PairedGame
from dpcert.audit.kernels.label import label
from dpcert.audit.limits import within
from dpcert.audit.records.assembled import AuditFacts, Examination
from dpcert.audit.solving.analysis import left
from dpcert.audit.solving.strategy import Search, Strategy
from dpcert.audit.tables import curves, met, transcripts
from dpcert.audit.tables.left_out import MOST_TABLE_NODES, LeftOut, NotTabulated
from dpcert.audit.tables.met import KernelNumbers
from dpcert.audit.tables.table import ExactTable
from dpcert.audit.tables.transcripts import AttainedPlay, Point


@frozen
class AuditTables:
    """The tables of one audit of the paired game.

    Args:
        examination: The audit.
    Raises: ArgumentError: what was audited reads later inputs, so that it has no kernels.
    """

    examination: Examination

    def __post_init__(self) -> None:
        audited = self._audited
        if isinstance(audited.rules, OfflineGame):
            name = one_line(audited.request.target)
            raise ArgumentError(
                f"Expected a mechanism that runs live but got {name}, an output of which reads later inputs: "
                "it has no kernels to tabulate"
            )

    @property
    def unknown(self) -> str:
        """Why nothing is tabulated, where what was played need not be the mechanism; empty where it is."""
        finding = self.examination.knowledge.unknown
        return "" if finding is None else finding.detail

    @property
    def doubt(self) -> str:
        """Why the audit says of nothing that it holds, where that is so; else empty."""
        finding = self.examination.knowledge.doubt
        return "" if finding is None else finding.detail

    def tables(self) -> Iterator[ExactTable | LeftOut]:
        """Every table in the order in which they are read; those of what is known first."""
        makers: dict[str, Callable[[], ExactTable]] = {
            "kernels": lambda: met.kernels(self._met, self.scope),
            "pairs": lambda: met.pairs(self._met, self.scope),
            "pair-vertices": lambda: met.pair_vertices(self._met, self.scope),
            "fixed-hull": lambda: curves.fixed_hull(self._fixed, self.scope),
            "adaptive-hull": lambda: curves.adaptive_hull(self._adaptive, self.scope),
            "gap": self._gap,
            "fixed-streams": lambda: transcripts.streams(self._attaining, self.scope),
            "fixed-transcripts": lambda: transcripts.fixed_transcripts(self._audited.view, self._attaining, self.scope),
            "adversary": lambda: transcripts.adversary(self._strategy, self.scope),
            "adaptive-transcripts": lambda: transcripts.adaptive_transcripts(
                self._audited.view, self._strategy, self._point, self.scope
            ),
        }
        for name, make in makers.items():
            yield self._made(name, make)

    def _made(self, name: str, make: Callable[[], ExactTable]) -> ExactTable | LeftOut:
        budget = self._budget
        why = ""
        with best_so_far(budget) as part, within(budget.check):
            try:
                return make()
            except NotTabulated as reason:
                why = str(reason)
        return LeftOut(name, why or part.stopped)

    @property
    def _audited(self) -> AuditFacts:
        return self.examination.facts

    @property
    def _budget(self) -> Budget:
        return left(self._audited.analysis, self._audited.request.budget)

    @cached_property
    def scope(self) -> str:
        """What was audited, with the parameters it was given, and in which scope: the end of every title."""
        request = self._audited.request
        given = ", ".join(f"{name}={label(value)}" for name, value in request.arguments.items())
        name = one_line(request.target) + (f" with {one_line(given)}" if given else "")
        return f"{name}; {self._audited.scope}"

    @property
    def _levels(self) -> tuple[Level, ...]:
        return self._audited.analysis.solution.levels

    @cached_property
    def _met(self) -> KernelNumbers:
        game = self._audited.rules
        if not isinstance(game, PairedGame | BeliefGame):
            raise RuntimeError("tables are of the paired game")
        return met.met(game, self._levels)

    @property
    def _fixed(self) -> PowerFunction:
        return self._exact("fixed")

    @property
    def _adaptive(self) -> PowerFunction:
        return self._exact("adaptive")

    def _exact(self, which: str) -> PowerFunction:
        """A curve that is known exactly. Raises: NotTabulated: it is known between bounds alone."""
        found = self._audited.analysis
        bracket = found.fixed if which == "fixed" else found.adaptive
        if not bracket.exact:
            raise NotTabulated(f"the curve is known between bounds alone: {found.stopped or 'they do not meet'}")
        return bracket.lower

    def _gap(self) -> ExactTable:
        asked = self._audited.request.question.exp_epsilons
        return curves.gap(self._fixed, self._adaptive, (*asked, self._point.exp_epsilon), self.scope)

    @cached_property
    def _point(self) -> Point:
        """Where the largest gap is; without one, the least e^epsilon that was asked for."""
        found, asked = self._audited.analysis, self._audited.request.question.exp_epsilons
        gap = find_gap(found.adaptive, found.fixed, asked)
        return Point(asked[0], "0-1") if gap is None else Point(gap.exp_epsilon, gap.order)

    def _whole(self) -> None:
        """Raises: NotTabulated: the rounds that were played are not all those that the curves are of."""
        adaptive, played, asked = self._adaptive, len(self._levels), self._audited.request.question.rounds
        if played != asked or self._audited.analysis.solution.power != adaptive:
            raise NotTabulated(f"{played} of {asked} rounds were played, the rest is by theorem")

    @cached_property
    def _attaining(self) -> AttainedPlay:
        fixed = self._fixed
        self._whole()
        found = transcripts.attaining(self._levels, self._point, self._budget)
        if found.value != fixed.hockey_stick(self._point.exp_epsilon, self._point.order):
            raise RuntimeError("pairs of streams tried one by one do not make up the fixed-stream curve")
        return found

    @cached_property
    def _strategy(self) -> Strategy:
        self._whole()
        point = self._point
        found = Search(self._audited.analysis.solution).strategy(point.exp_epsilon, point.order, MOST_TABLE_NODES)
        if found is None:
            raise NotTabulated(f"more than MOST_TABLE_NODES = {MOST_TABLE_NODES:,} nodes")
        return found
