"""Which rounds are played, and what a theorem gives beyond them: every horizon, or one of very many rounds."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpcert.audit.algebra.bracket import Bracket, exactly
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.checklist.contexts import Curves
from dpcert.audit.checklist.ladder import Whole
from dpcert.audit.checklist.subject import Subject
from dpcert.audit.finding import Item, Method
from dpcert.audit.frozen import frozen
from dpcert.audit.games.question import Question
from dpcert.audit.kernels.code import Code
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.view import View
from dpcert.audit.relations.adjacency import HAMMING
from dpcert.audit.solving.adaptive import PERFECT
from dpcert.audit.solving.analysis import Analysis

if TYPE_CHECKING:
    from dpcert.audit.checklist.additive import Additive
    from dpcert.audit.checklist.stationary import Stationary, TensorCurve

LONG_HORIZON = 128
"""Rounds past which a core that is certified for every horizon is not played to the end: a theorem gives its curve."""
LONG_ADDITIVE = 100
"""Rounds past which additive noise is not played to the end: a theorem gives its curve."""
PLAYED = 3
"""Rounds that are played of what a theorem knows."""


@frozen
class Horizons:
    """What is played, and what is known beyond it.

    Attributes:
        played: Rounds that are played.
        rounds: Rounds that the record's curves are of.
        whole: The ladder for every horizon, where it was decided.
        certain: The per-round curves of every challenge, where FUTURE_STABLE holds for every horizon.
        settled: Whether the curve over `rounds` is that of every horizon.
        tensor: The curve over `rounds`, where fewer are played.
        additive: The same of additive noise.
    """

    played: int
    rounds: int
    whole: Whole | None = None
    certain: "Stationary | None" = None
    settled: bool = False
    tensor: "TensorCurve | None" = None
    additive: "Additive | None" = None

    def inner(self, question: Question) -> Question:
        """The question that is played; with a ladder for every horizon, only rungs of that kind count."""
        every = self.whole is not None or self.additive is not None
        return replace(question, horizon=question.horizon.exploring(self.played, every=every))

    def outer(self, question: Question) -> Question:
        """The question that the record answers."""
        return replace(question, horizon=question.horizon.exploring(self.rounds))

    def beyond(self, analysis: Analysis, certified: bool, budget: Budget) -> Analysis:
        """The analysis of all `rounds`: by theorem where the core is certified, else with no upper bound but 1."""
        if self.played == self.rounds:
            if certified and self.settled and analysis.adaptive.exact and self.certain is not None:
                self._agree(self.certain, analysis, budget)
            return analysis
        if not certified or self.tensor is None:
            return unbounded(analysis)
        if not analysis.adaptive.lower <= self.tensor.power:
            raise RuntimeError("a certificate gives less than what was played")
        exact = exactly(self.tensor.power)
        return replace(analysis, adaptive=exact, fixed=exact, streams=self.tensor)

    def _agree(self, certain: "Stationary", analysis: Analysis, budget: Budget) -> None:
        """What was played is what the theorem says, as far as that can be looked at in time."""
        tensored = None
        with best_so_far(budget):
            tensored = certain.at(self.rounds, budget)
        if tensored is not None and tensored.power != analysis.adaptive.lower:
            raise RuntimeError("a certificate gives another curve than what was played")

    def missing(self, certified: bool) -> str:
        """Why no theorem bounds what is reached over every horizon."""
        if self.whole is not None and self.whole.closure.open is not None:
            return f"no theorem gives the curve of every horizon: {self.whole.closure.open}"
        if not certified or self.certain is None:
            return "no theorem gives the curve of every horizon"
        from dpcert.audit.checklist.stationary import MOST_BYTES, MOST_DOUBLINGS, MOST_SEGMENTS

        tried = f"2^{MOST_DOUBLINGS - 1} rounds (MOST_DOUBLINGS), {MOST_SEGMENTS} segments (MOST_SEGMENTS) and "
        return f"it leaks for ever, and horizons were tried up to {tried}{MOST_BYTES >> 20} MiB (MOST_BYTES)"

    def ratio_above(self, epsilon: Fraction, certified: bool) -> dict[str, Any] | None:
        """A horizon at which the likelihood ratio is above e^epsilon, for pure claims about all of them."""
        return self.certain.ratio_above(epsilon) if certified and self.certain is not None else None

    def longer(self, certified: bool, budget: Budget) -> "Iterable[TensorCurve]":
        """Curves at longer and longer horizons, for claims about all of them."""
        return self.certain.doubling(budget) if certified and self.certain is not None else ()


def unbounded(analysis: Analysis) -> Analysis:
    """The same lower bounds, with no upper bound but 1."""
    perfect = PowerFunction(PERFECT)
    return replace(
        analysis, adaptive=Bracket(analysis.adaptive.lower, perfect), fixed=Bracket(analysis.fixed.lower, perfect)
    )


def horizons(subject: Subject, view: View | Code, question: Question, budget: Budget) -> Horizons:
    """The rounds to play for a question, and what is certain beyond them."""
    scope = Horizons(question.rounds, question.rounds)
    plain = question.neighbours is HAMMING and (question.hops, question.challenge_round) == (1, None)
    linear = subject.core is not None and subject.core.linear is not None
    if not (question.every_horizon or (plain and question.rounds > (LONG_ADDITIVE if linear else LONG_HORIZON))):
        return scope
    if subject.core is not None and subject.core.linear is not None:
        return scope if question.every_horizon else _additive(subject.core, question.rounds, budget)
    whole = _whole(subject, view, budget)
    if whole is None or subject.core is None:
        return scope
    certain = None
    if whole.closure.open is None and whole.closure.future is None:
        with best_so_far(budget):
            from dpcert.audit.checklist.stationary import stationary

            certain = stationary(subject.core.whole or subject.core, whole.curves, budget)
    if question.every_horizon:
        return _every(question.rounds, whole, certain, budget)
    return scope if certain is None else _long(question.rounds, whole, certain, budget)


def _additive(core: Core, rounds: int, budget: Budget) -> Horizons:
    """Many rounds of additive noise: few are played, unless the curve of all is too much to write out."""
    closed_form = None
    budget.progress("putting together the curve of additive noise")
    with best_so_far(budget):
        from dpcert.audit.checklist.additive import additive

        closed_form = additive(core, rounds, budget)
    if closed_form is None:
        return Horizons(rounds, rounds)
    return Horizons(PLAYED, rounds, tensor=closed_form.tensor, additive=closed_form)


def _every(asked: int, whole: Whole, certain: "Stationary | None", budget: Budget) -> Horizons:
    """Every horizon: so many rounds as show what was refuted, or as it takes until nothing more leaks."""
    rounds = max(asked, whole.closure.rounds)
    if certain is None or certain.settled is None:
        return Horizons(rounds, rounds, whole, certain)
    if (needed := max(rounds, certain.settled)) <= LONG_HORIZON:
        return Horizons(needed, needed, whole, certain, settled=True)
    long = _long(needed, whole, certain, budget)
    return Horizons(rounds, rounds, whole, certain) if long.tensor is None else replace(long, settled=True)


def _long(rounds: int, whole: Whole, certain: "Stationary", budget: Budget) -> Horizons:
    """Many rounds: so many are played that every state is met, unless those are too many as well."""
    depth = max(3, certain.depth)
    tensored = None
    with best_so_far(budget):
        tensored = certain.at(rounds, budget) if depth < rounds else None
    return Horizons(rounds, rounds) if tensored is None else Horizons(depth, rounds, whole, certain, tensor=tensored)


def _whole(subject: Subject, view: View | Code, budget: Budget) -> Whole | None:
    """Rungs 3 and 4 of a core for every horizon; None where the core is one only within a horizon, or linear.

    So it is where something is published: that it is made from core releases alone was seen within a horizon.
    """
    if subject.core is None or not isinstance(view, Core) or subject.core.linear is not None:
        return None
    if subject.findings[Item.POST_PROCESSING].method is not Method.BY_CONSTRUCTION:
        return None
    budget.progress("following pairs of states until nothing new comes")
    curves = Curves()
    from dpcert.audit.checklist.closure import closure

    return Whole(closure(subject.core.whole or subject.core, curves, budget), curves)
