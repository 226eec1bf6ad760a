"""The audit of a black box: bounds from below at a confidence, which refute or estimate, and never hold."""

import hashlib
import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.decimals import down
from dpcert.audit.algebra.power import PowerFunction, dp_power
from dpcert.audit.algebra.rational import text
from dpcert.audit.budget import Budget, best_so_far, check_rounds
from dpcert.audit.checklist.conditions import Entry
from dpcert.audit.defaults import DEFAULT_EXP_EPSILONS
from dpcert.audit.errors import expected
from dpcert.audit.finding import Finding, Item, Method, Verdict, worst
from dpcert.audit.frozen import frozen
from dpcert.audit.games.horizon import Asked
from dpcert.audit.games.question import Question, asked
from dpcert.audit.kernels.border import placing
from dpcert.audit.kernels.label import all_parameters, label
from dpcert.audit.records import digest, documents, headline
from dpcert.audit.records.contract import EnclosedDocument, RecordDocument
from dpcert.audit.records.record import SCHEMA, Record
from dpcert.audit.relations.adjacency import Adjacency
from dpcert.audit.relations.edits import EDIT
from dpcert.audit.render.headline import badge
from dpcert.audit.sampled.black_box import BlackBox, black_box
from dpcert.audit.sampled.fitting import Contest, lesson
from dpcert.audit.sampled.report import SampleOutcome
from dpcert.audit.sampled.sampling import Sampling
from dpcert.audit.sampled.testing import lower_bound, tested
from dpcert.audit.verdicts.requirements import Judgement, Knowledge, Requirements, check

PERFECT = dp_power(1, 1)
"""The upper bound of every black box: runs alone bound nothing from above."""
NEVER_HOLDS = "Not decided: samples refute, and never show that something holds."


def estimate(
    mechanism: object,
    *,
    horizon: Asked = None,
    adjacency: str | Adjacency[Any] = "hamming",
    hops: int = 1,
    challenge_round: int | None = None,
    exp_epsilons: Iterable[Fraction | int] = DEFAULT_EXP_EPSILONS,
    epsilons: Iterable[Fraction | int] = (),
    deltas: Iterable[Fraction | int] = (),
    requirements: Requirements | None = None,
    sampling: Sampling | None = None,
    budget: Budget | None = None,
    target: str | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Record:
    """Lower bounds on the privacy loss of a black box, at a stated confidence, as a record.

    Half of the runs teach a policy, what to submit after what was seen, and an event; the other half tests it.

    Args:
        mechanism: A sampler: `alphabet`, and `reset(rng)` and `step(x)`, or `sample(inputs, rng)`. Of a mechanism with
            exact laws, what it would release is drawn.
        horizon: Rounds played; the mechanism's own, or 3.
        adjacency: The neighbouring relation, by name or as an object; not edit.
        hops: How many neighbours apart the two streams are.
        challenge_round: The one round in which the streams differ (from 1); any round if None.
        exp_epsilons: Rational e^epsilon of at least 1 at which delta is bounded.
        epsilons: Rational epsilon in nats, at which delta is bounded.
        deltas: delta in [0, 1], for which epsilon is bounded.
        requirements: What the verdict is about: what is exceeded is REFUTED, all else UNDECIDED.
        sampling: Runs, confidence, seed and processes.
        budget: Bounds on the time; past them nothing is known.
        target: The name that the record gives the mechanism.
        parameters: What a factory was given to make the mechanism.
    Returns: The record; its bounds hold together with probability at least the confidence, over the test runs.
    Raises: DpcertError: an argument or a sampler that cannot be used; one line says what was expected.
    Source: none; ours.

    >>> from dpcert.mechanisms.randomized_response import RandomizedResponse
    >>> record = estimate(RandomizedResponse(), horizon=1, sampling=Sampling(runs=2_000))
    >>> record["verdict"], record["adaptive"]["tier"]
    ('UNDECIDED', 'sampled')
    """
    start = time.perf_counter()
    box = black_box(mechanism, horizon if isinstance(horizon, int) else None)
    question = asked(
        box,
        horizon=horizon,
        adjacency=adjacency,
        hops=hops,
        challenge_round=challenge_round,
        exp_epsilons=exp_epsilons,
        epsilons=epsilons,
        deltas=deltas,
    )
    _check(question)
    how, bounds = sampling or Sampling(), budget or Budget()
    with placing(mechanism):
        found, stopped = _sampled(box, question, question.relation(mechanism), how, bounds)
    name = target or f"{type(mechanism).__module__}:{type(mechanism).__qualname__}"
    said = _Said(mechanism, box, question, found, stopped, name, parameters or {})
    return said.record(requirements or Requirements(), start)


def _check(question: Question) -> None:
    """Refuses scopes that no run reaches. Raises: ArgumentError."""
    if question.every_horizon:
        raise expected("a number of rounds with --tier sampled, whose runs end", horizon="inf")
    check_rounds(question.rounds)
    if question.neighbours == EDIT:
        raise expected("a relation of streams of the alphabet with --tier sampled", adjacency=question.adjacency)


def _sampled(
    box: BlackBox, question: Question, relation: Adjacency[Any], sampling: Sampling, budget: Budget
) -> tuple[SampleOutcome, str]:
    """What runs teach and test, and what ended the work early, if anything did: then they show nothing."""
    deltas = tuple({question.delta, *question.deltas})
    contest = Contest(box, relation, question.rounds, question.exp_epsilons, deltas, sampling, budget)
    samples = SampleOutcome(sampling)
    with best_so_far(budget) as part:
        learnt = lesson(contest)
        samples = SampleOutcome(sampling, learnt, tuple(tested(contest, learnt)))
    return samples, part.stopped


@frozen
class _Said:
    """All that goes into the record of a black box."""

    mechanism: Any
    box: BlackBox
    question: Question
    found: SampleOutcome
    stopped: str
    target: str
    given: Mapping[str, Any]

    @property
    def confidence(self) -> str:
        """In words."""
        return down(self.found.sampling.confidence)

    @property
    def scope(self) -> str:
        """What was looked at, in words."""
        words = self.question.in_words.replace("every adversary", "learnt adversaries", 1)
        if self.stopped:
            return f"{words}; stopped early, nothing was tested"
        sampling = self.found.sampling
        return f"{words}; sampled in {sampling.runs} runs, at confidence {self.confidence}"

    @property
    def open(self) -> Finding:
        """What is said of everything that is not refuted."""
        detail = f"Not decided: {self.stopped}." if self.stopped else NEVER_HOLDS
        return Finding(Verdict.UNDECIDED, None, self.scope, detail)

    def checked(self, adaptive: Bracket, asked_for: Requirements) -> tuple[Judgement, ...]:
        """Every requirement: refuted by what was tested, or open."""
        entries = [Entry(item, self.open) for item in Item]
        known = Knowledge(adaptive, self.open, self.scope, entries=entries, doubt=self.open)
        return tuple(self._by_samples(one) for one in check(asked_for, known)[0])

    def _by_samples(self, one: Judgement) -> Judgement:
        """A refutation with how it is known; whatever else is no verdict."""
        finding = one.finding
        if finding.verdict is not Verdict.REFUTED:
            return replace(one, finding=self.open if finding.verdict is Verdict.HOLDS else finding)
        event = self.found.best(Fraction(finding.witness["exp_epsilon"])) if "exp_epsilon" in finding.witness else None
        witness = {**finding.witness, "confidence": text(self.found.sampling.confidence)}
        witness |= {"seed": str(self.found.sampling.seed)} | ({} if event is None else {"event": str(event)})
        detail = f"{finding.detail} At confidence {self.confidence}, by exact binomial bounds on test runs."
        return replace(one, finding=replace(finding, method=Method.SAMPLED, detail=detail, witness=witness))

    def record(self, asked_for: Requirements, start: float) -> Record:
        """The record."""
        question, nothing = self.question, Bracket(PowerFunction.identity(), PERFECT)
        adaptive = Bracket(lower_bound(self.found.events), PERFECT)
        claims = self.checked(adaptive, asked_for)
        evidence = self.found.document()
        document: RecordDocument = {
            "schema": SCHEMA,
            "target": self.target,
            "parameters": {n: label(value) for n, value in all_parameters(self.mechanism, self.given).items()},
            "game": "paired",
            "vacuous": False,
            "source_digest": digest.source(self.mechanism, self.given),
            "kernel_digest": "sha256:" + hashlib.sha256(json.dumps(evidence).encode()).hexdigest(),
            "game_digest": None,
            "location": digest.location(self.mechanism),
            "scope": documents.sampled_scope(question, self.box.alphabet, self.scope, self.stopped),
            "fixed_stream": {**_tier(documents.enclosed(nothing, question)), "witnesses": []},
            "adaptive": {**_tier(documents.enclosed(adaptive, question)), "strategies": []},
            "checklist": [Entry(item, self.open).document() for item in Item],
            "lifts": {"curve": self.open.document(), "pure": self.open.document()},
            "bound": None,
            "requirements": [one.document() for one in claims],
            "verdict": worst([one.finding.verdict for one in claims] or [Verdict.UNDECIDED]).value,
            "headline": {
                "badge": "",
                "privacy": headline.privacy(adaptive, question.delta, question.horizon.in_words),
            },
            "sampled": evidence,
            "sections": self.found.sections(),
            "provenance": {
                **digest.provenance(time.perf_counter() - start),
                "subject": digest.subject(self.mechanism),
            },
        }
        document["headline"]["badge"] = badge(document)
        return Record(document)


def _tier(curve: EnclosedDocument) -> EnclosedDocument:
    """A curve with what is known of it by samples alone."""
    return {**curve, "tier": "sampled"}
