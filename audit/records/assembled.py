"""The record of one audit, put together from what was found; the same for either game."""

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

from dpcert.audit.algebra.gap import Gap
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import ORDERS, Order, PowerFunction
from dpcert.audit.algebra.rational import text
from dpcert.audit.budget import Budget
from dpcert.audit.checklist.conditions import Entry
from dpcert.audit.enclosed.effort import Effort
from dpcert.audit.finding import Finding, Verdict
from dpcert.audit.frozen import frozen
from dpcert.audit.games.offline import OfflineGame
from dpcert.audit.games.paired import Game
from dpcert.audit.games.question import Question
from dpcert.audit.kernels.code import Code
from dpcert.audit.kernels.label import all_parameters, label
from dpcert.audit.kernels.laws_digest import digest_of_laws
from dpcert.audit.kernels.linear import Linear
from dpcert.audit.kernels.view import View
from dpcert.audit.records import adversaries, digest, documents, headline
from dpcert.audit.records.adversaries import Named, as_is
from dpcert.audit.records.game_digest import Weighing, game_digest
from dpcert.audit.records.record import SCHEMA, Record
from dpcert.audit.relations.adjacency import Adjacency
from dpcert.audit.render.headline import badge
from dpcert.audit.render.tree import chosen
from dpcert.audit.solving.analysis import Analysis, left
from dpcert.audit.steadiness.watched import WatchedMechanism
from dpcert.audit.verdicts.requirements import Judgement, Knowledge, Requirements

if TYPE_CHECKING:
    from dpcert.audit.records.contract import (
        AdaptiveDocument,
        BoundDocument,
        FixedStreamDocument,
        RecordDocument,
        StrategyDocument,
    )


@frozen
class Request:
    """What an audit is asked.

    Attributes:
        watch: The mechanism, as the user gave it, and what is seen of it from outside.
        view: Its checked view.
        question: The scope, and the points at which curves are read off.
        requirements: What the verdict is about.
        budget: Bounds on the work.
        target: The name that the record gives the mechanism.
        arguments: What the mechanism's class or factory was given.
        effort: How curves are to be found.
        on_screen: Whether the record is read on a screen alone, which shows one adversary: others are not read off.
        start: When the audit began, of the performance counter.
    """

    watch: WatchedMechanism
    view: View | Code
    question: Question
    requirements: Requirements
    budget: Budget
    target: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    effort: Effort = field(default_factory=Effort)
    on_screen: bool = False
    start: float = field(default_factory=time.perf_counter)

    @property
    def mechanism(self) -> Any:
        """What is audited, as the user gave it."""
        return self.watch.mechanism


@frozen
class Conclusions:
    """What an audit concludes.

    Attributes:
        lifts: Whether the curve and whether pure guarantees lift, by name.
        judgements: The requirements, one by one.
        verdict: Over every check that was asked for.
        slopes: Every e^epsilon at which adversaries are shown.
        checklist: Checklist 1.
        bound: In the neighbour-preserving game, the exact curve against the mechanism's own bound.
    """

    lifts: Mapping[str, Finding]
    judgements: Sequence[Judgement]
    verdict: Verdict
    slopes: Iterable[Fraction]
    checklist: Sequence[Entry] = ()
    bound: "BoundDocument | None" = None


@frozen
class AuditFacts:
    """What an audit was asked, what it played, and what is known of it.

    Attributes:
        request: What was asked; its question is the one that the record answers.
        game: Which game it is.
        rules: The game itself.
        analysis: Its curves.
        view: What adversaries are replayed on.
        relation: The relation that their pairs keep to.
        scope: The scope in words.
        label_of: How a report names inputs.
        duration: How long, in words, where it is not the rounds of the question.
        additive: What the laws are made of, where more rounds than were played are known by that.
    """

    request: Request
    game: Literal["paired", "npp"]
    rules: Game[Any] | OfflineGame
    analysis: Analysis
    view: View
    relation: Adjacency[Any]
    scope: str
    label_of: Named = as_is
    duration: str = ""
    additive: Linear | None = None

    def slopes(self, gap: Gap | None, outcomes: Iterable[Judgement]) -> set[Fraction]:
        """Every e^epsilon for which adversaries are shown: those asked for, of the gap, and of the requirements."""
        shown = {gap.exp_epsilon} if gap is not None else set()
        return {
            *self.request.question.exp_epsilons,
            *shown,
            *(c.exp_epsilon for c in outcomes if c.exp_epsilon is not None),
        }

    def record(self, conclusions: Conclusions) -> Record:
        """The record, with adversaries at the slopes of the conclusions."""
        analysis, request, question = self.analysis, self.request, self.request.question
        fixed_stream, adaptive = self._curves(sorted(conclusions.slopes), self._shown(conclusions))
        parameters = all_parameters(request.mechanism, request.arguments)
        privacy = headline.privacy(analysis.adaptive, question.delta, self.duration or question.horizon.in_words)
        document: RecordDocument = {
            "schema": SCHEMA,
            "target": request.target,
            "parameters": {name: label(value) for name, value in parameters.items()},
            "game": self.game,
            "vacuous": analysis.adaptive.upper == PowerFunction.identity(),
            "source_digest": digest.source(request.mechanism, request.arguments),
            "kernel_digest": self._kernel_digest(),
            "game_digest": self._game_digest(),
            "location": digest.location(request.mechanism),
            "scope": documents.scope(question, request.view.alphabet, analysis, self.scope),
            "fixed_stream": fixed_stream,
            "adaptive": adaptive,
            "checklist": [entry.document() for entry in conclusions.checklist],
            "lifts": {
                "curve": conclusions.lifts["curve"].document(),
                "pure": conclusions.lifts["pure"].document(),
            },
            "bound": conclusions.bound,
            "requirements": [one.document() for one in conclusions.judgements],
            "verdict": conclusions.verdict.value,
            "headline": {"badge": "", "privacy": privacy},
            "sections": documents.sections(request.mechanism, question.rounds, left(analysis, request.budget)),
            "provenance": {
                **digest.provenance(time.perf_counter() - request.start),
                "subject": digest.subject(request.mechanism),
            },
        }
        document["headline"]["badge"] = badge(document)
        return Record(document)

    def _shown(self, conclusions: Conclusions) -> Collection[tuple[Fraction, Order]] | None:
        """Which adversaries are read off: on a screen the one that it shows, and those behind what was decided."""
        if not self.request.on_screen:
            return None
        power, slopes = self.analysis.solution.power, {*conclusions.slopes}
        rows = [documents.strategy_too_large(e, order, power) for e in sorted(slopes) for order in ORDERS]
        first = chosen({"lifts": {"curve": conclusions.lifts["curve"].document()}, "adaptive": {"strategies": rows}})
        asked = {*self.request.question.exp_epsilons}
        decisive = slopes - asked | {c.exp_epsilon for c in conclusions.judgements}
        return {
            (e, order)
            for e in slopes
            for order in ORDERS
            if e in decisive or (first is not None and (text(e), order) == (first["exp_epsilon"], first["order"]))
        }

    def _curves(
        self, slopes: list[Fraction], selection: Collection[tuple[Fraction, Order]] | None
    ) -> "tuple[FixedStreamDocument, AdaptiveDocument]":
        """Both curves with their evidence: fixed streams that attain the one, adversaries that attain the other."""
        findings, question = self.analysis, self.request.question
        rest = left(findings, self.request.budget)
        self.request.budget.progress("reading off adversaries")
        witnesses = adversaries.witnesses(findings, question, self.label_of)
        strategies = self._strategies(slopes, rest, selection)
        fixed_stream: FixedStreamDocument = {**documents.enclosed(findings.fixed, question), "witnesses": witnesses}
        return fixed_stream, {**documents.enclosed(findings.adaptive, question), "strategies": strategies}

    def _kernel_digest(self) -> str:
        """The digest of the laws met; of an audit that ended early, of as many as there is time to read."""
        laws: Iterable[tuple[object, Pmf[Any]]] = self.rules.laws()
        if self.additive is not None:
            laws = chain(laws, self.additive.told(self.request.question.rounds))
        if self.analysis.stopped is None:
            return digest_of_laws(laws)
        return digest_of_laws(laws, left(self.analysis, self.request.budget).check)

    def _game_digest(self) -> str | None:
        """That of the game, where it was explored whole; None of code that reads later inputs."""
        levels, played = self.analysis.solution.levels, self.rules
        whole = self.analysis.stopped is None and self.additive is None and len(levels) == self.request.question.rounds
        return game_digest(played, levels) if whole and isinstance(played, Weighing) else None

    def strategies(self, slopes: list[Fraction]) -> "list[StrategyDocument]":
        """Adversaries of this very audit at further slopes, in what its budget has left."""
        return self._strategies(slopes, left(self.analysis, self.request.budget))

    def _strategies(
        self, slopes: list[Fraction], budget: Budget, selection: Collection[tuple[Fraction, Order]] | None = None
    ) -> "list[StrategyDocument]":
        """Adversaries at the given slopes; only their values where more rounds than were played make up the curve."""
        findings = self.analysis
        if findings.adaptive.exact and findings.solution.power != findings.adaptive.lower:
            reached = findings.adaptive.lower
            return [documents.strategy_too_large(e, order, reached) for e in slopes for order in ORDERS]
        if findings.events:
            rows = [(e, order, findings.events.get((e, order))) for e in slopes for order in ORDERS]
            return [documents.strategy_played(e, order, findings.adaptive.lower, value) for e, order, value in rows]
        solution, game = findings.solution, self.rules
        return adversaries.strategies(
            solution, game, self.view, self.relation, slopes, budget, self.label_of, selection
        )


@frozen
class Examination:
    """An audit: its record, and what further requirements can be held against.

    Attributes:
        record: What was found.
        knowledge: What requirements are held against.
        named: Whether somebody chose the rounds: what is asked to hold is not decided over rounds that nobody chose.
        facts: What was played, and what is known of it.
    """

    record: Record
    knowledge: Knowledge
    named: bool
    facts: AuditFacts
