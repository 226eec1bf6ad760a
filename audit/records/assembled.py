"""The record of one audit, put together from what was found; the same for either game."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from dpcert.audit.algebra.gap import Gap
from dpcert.audit.algebra.power import ORDERS, PowerFunction
from dpcert.audit.budget import Budget
from dpcert.audit.checklist.conditions import Entry
from dpcert.audit.finding import Finding, Verdict
from dpcert.audit.games.offline import OfflineGame
from dpcert.audit.games.paired import Game
from dpcert.audit.games.question import Question
from dpcert.audit.kernels.label import all_parameters, label
from dpcert.audit.kernels.view import View
from dpcert.audit.records import adversaries, digest, documents, headline
from dpcert.audit.records.adversaries import Named, as_is
from dpcert.audit.records.record import SCHEMA, Record
from dpcert.audit.relations.adjacency import Adjacency
from dpcert.audit.render.headline import badge
from dpcert.audit.solving.analysis import Analysis, left
from dpcert.audit.verdicts.requirements import Checked


@dataclass(frozen=True)
class Audited:
    """What an audit was asked, what it played, and what is known of it.

    Attributes:
        mechanism: What is audited, as the user gave it.
        target: The name that the record gives it.
        question: The scope, and the points at which curves are read off.
        budget: Bounds on the work.
        game: Which game it is.
        played: The game itself.
        found: Its curves.
        seen: What adversaries are replayed on.
        relation: The relation that their pairs keep to.
        alphabet: The inputs of a round.
        scope: The scope in words.
        named: How a report names inputs.
        observed: How long, in words, where it is not the rounds of the question.
        started: When the audit began, of the performance counter.
        given: What the mechanism's class or factory was given.
    """

    mechanism: object
    target: str
    question: Question
    budget: Budget
    game: Literal["paired", "npp"]
    played: Game | OfflineGame
    found: Analysis
    seen: View
    relation: Adjacency[Any]
    alphabet: tuple[Any, ...]
    scope: str
    named: Named = as_is
    observed: str = ""
    started: float = field(default_factory=time.perf_counter)
    given: Mapping[str, Any] = field(default_factory=dict)

    def slopes(self, gap: Gap | None, checked: Iterable[Checked]) -> set[Fraction]:
        """Every e^epsilon for which adversaries are shown: those asked for, of the gap, and of the requirements."""
        shown = {gap.exp_epsilon} if gap is not None else set()
        return {*self.question.exp_epsilons, *shown, *(c.exp_epsilon for c in checked if c.exp_epsilon is not None)}

    def record(
        self,
        *,
        slopes: Iterable[Fraction],
        lifts: Mapping[str, Finding],
        checked: Iterable[Checked],
        verdict: Verdict,
        checklist: Iterable[Entry] = (),
        bound: dict[str, Any] | None = None,
    ) -> Record:
        """The record, with adversaries at the given slopes."""
        found, question = self.found, self.question
        rest = left(found, self.budget)
        self.budget.progress("reading off adversaries")
        witnesses = adversaries.witnesses(found, question, self.named)
        strategies = self._strategies(sorted(slopes), rest)
        laws = self.played.laws()
        rest = left(found, self.budget)
        document = {
            "schema": SCHEMA,
            "target": self.target,
            "parameters": {name: label(value) for name, value in all_parameters(self.mechanism, self.given).items()},
            "game": self.game,
            "vacuous": found.adaptive.upper == PowerFunction.identity(),
            "source_digest": digest.source(self.mechanism, self.given),
            "kernel_digest": digest.kernel(laws) if found.stopped is None else digest.kernel(laws, rest.check),
            "location": digest.location(self.mechanism),
            "scope": documents.scope(question, self.alphabet, found.solution.positions, self.scope),
            "fixed_stream": documents.enclosed(found.fixed, question) | {"witnesses": witnesses},
            "adaptive": documents.enclosed(found.adaptive, question) | {"strategies": strategies},
            "checklist": [entry.document() for entry in checklist],
            "lifts": {name: finding.document() for name, finding in lifts.items()},
            "bound": bound,
            "requirements": [one.document() for one in checked],
            "verdict": verdict.value,
            "headline": {},
            "sections": documents.sections(self.mechanism, question.rounds, left(found, self.budget)),
            "provenance": digest.provenance(time.perf_counter() - self.started),
        }
        seen = headline.privacy(found.adaptive, question.delta, self.observed or question.horizon.in_words)
        document["headline"] = {"badge": badge(document), "privacy": seen}
        return Record(document)

    def _strategies(self, slopes: list[Fraction], budget: Budget) -> list[dict[str, Any]]:
        """Adversaries at the given slopes; only their values where more rounds than were played make up the curve."""
        found = self.found
        if found.adaptive.exact and found.solution.power != found.adaptive.lower:
            reached = found.adaptive.lower
            return [documents.strategy_too_large(e, order, reached) for e in slopes for order in ORDERS]
        return adversaries.strategies(found.solution, self.played, self.seen, self.relation, slopes, budget, self.named)
