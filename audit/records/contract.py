"""The record of an audit as a JSON document, part by part: what `schemas/audit-1.json` says, for the type checker.

Numbers are texts: a rational as `n` or `n/d`, an end of an interval also `infinite`. What another room makes is named
there: findings, the entries of the checklist, requirements, promises.
"""

from typing import Any, Literal, NotRequired, TypedDict

from dpcert.audit.algebra.power import Order
from dpcert.audit.checklist.conditions import EntryDocument
from dpcert.audit.context.document import ContextDocument
from dpcert.audit.finding import FindingDocument
from dpcert.audit.outside.repository import RepositoryDocument
from dpcert.audit.records.section import Section
from dpcert.audit.verdicts.guarantee import GuaranteeDocument
from dpcert.audit.verdicts.requirements import RequirementDocument

Point = list[str]
"""Two rationals."""


class LocationDocument(TypedDict):
    """File and line of what a user wrote; None where unknown."""

    file: str | None
    line: int | None


class ScopeDocument(TypedDict):
    """What was looked at: rounds, inputs, the neighbouring relation, the number of distinct positions solved."""

    every_horizon: NotRequired[Literal[True]]
    horizon: int
    alphabet: list[str]
    adjacency: str
    hops: int
    challenge_round: int | None
    positions: int
    text: str
    stopped: NotRequired[str]


class IntervalDocument(TypedDict):
    """Both ends of what is known of a number."""

    lower: str
    upper: str


class DeltaDocument(IntervalDocument):
    """delta at a rational e^epsilon."""

    exp_epsilon: str


class DeltaAtDocument(IntervalDocument):
    """delta at a rational epsilon."""

    epsilon: str


class EpsilonDocument(IntervalDocument):
    """epsilon for a delta; its exponential where that is rational."""

    delta: str
    exp_epsilon: str | None


class CurveDocument(TypedDict):
    """A power function, read off where the question asks; `power` has its vertices, all where it is `complete`."""

    tier: str
    total_variation: str
    delta_at_infinity: str
    largest_ratio: str | None
    delta: list[DeltaDocument]
    delta_at_epsilon: list[DeltaAtDocument]
    epsilon: list[EpsilonDocument]
    vertices: int
    complete: bool
    power: list[Point]


class EnclosedDocument(CurveDocument):
    """A curve with what is known from below, where that is another one."""

    lower: NotRequired[CurveDocument]


class WitnessDocument(TypedDict):
    """Fixed streams that attain the fixed-stream value at one slope and order."""

    exp_epsilon: str
    order: Order
    delta: str
    stream0: list[str]
    stream1: list[str]


class FixedStreamDocument(EnclosedDocument):
    """The curve of fixed streams, and streams that attain it."""

    witnesses: list[WitnessDocument]


class BranchDocument(TypedDict):
    """An observation, its probability in either world, and the node it leads to or the side of the event it ends on."""

    observation: str
    probability: Point
    next: int | None
    in_event: bool | None


class NodeDocument(TypedDict):
    """A position at a slope, and the pair of inputs that is submitted there."""

    id: int
    round: int
    position: str
    slope: Point
    pair: list[str]
    branches: list[BranchDocument]


class StrategyDocument(TypedDict):
    """An adversary as a policy graph; without nodes where it is too large to be written out."""

    exp_epsilon: str
    order: Order
    delta: str
    replayed: str | None
    event: Point | None
    complete: bool
    nodes: list[NodeDocument]


class AdaptiveDocument(EnclosedDocument):
    """The curve of adaptive adversaries, and adversaries that attain it."""

    strategies: list[StrategyDocument]


class LiftsDocument(TypedDict):
    """Whether the curve, and whether pure guarantees, are the same against adaptive adversaries."""

    curve: FindingDocument
    pure: FindingDocument


class UsedDocument(TypedDict):
    """The share of the bound's delta that the exact curve uses at one e^epsilon; None where that delta is 0."""

    exp_epsilon: str
    exact: str
    bound: str
    used: str | None


class BoundDocument(FindingDocument):
    """The exact curve against the mechanism's own bound, and against its promise `dp`."""

    power: list[Point] | None
    complete: bool
    dp: GuaranteeDocument | None
    used: list[UsedDocument]


class ClassesDocument(TypedDict):
    """The outputs of one round in classes: outputs that are one each and all others, or numbers between cuts."""

    outputs: list[str]
    cuts: list[str]


class PolicyWayDocument(TypedDict):
    """Where an output leads: the next node, or which side of the event it ends on."""

    next: int | None
    in_event: bool | None


class PolicyNodeDocument(TypedDict):
    """A round of a policy: what is submitted, and where each class of outputs leads."""

    round: int
    pair: list[str]
    ways: list[PolicyWayDocument]


class TestDocument(TypedDict):
    """An event that was tested: how often it came in either world, and bounds on its probability there.

    Either bound, from below where the event counts and from above where it costs, is wrong with a chance of `risk`.
    """

    exp_epsilon: str
    order: Order
    group: int
    runs: int
    hits: list[int]
    risk: str
    shares: list[str]
    delta: str
    complete: bool
    nodes: list[PolicyNodeDocument]


class SampledDocument(TypedDict):
    """What the bounds of a sampled record rest on; they are right together with probability `confidence` at least."""

    confidence: str
    runs: int
    learning: int
    seed: int
    remembered: str
    classes: list[ClassesDocument]
    tests: list[TestDocument]


class PrivacyDocument(TypedDict):
    """The least epsilon at one delta, and the chance of a right guess."""

    scope: str
    delta: str
    epsilon: IntervalDocument
    guess: IntervalDocument


class HeadlineDocument(TypedDict):
    """What a report says first."""

    badge: str
    privacy: PrivacyDocument


class PageDocument(TypedDict):
    """What its author says on the page of a record."""

    title: NotRequired[str]
    note: NotRequired[str]


class SubjectDocument(TypedDict):
    """What a user wrote: the first paragraph of its docstring, and its code, which may be `cut`."""

    about: str
    code: str
    cut: bool


class ProvenanceDocument(TypedDict):
    """Who computed a record, when, with what and how long, and what of; `git` where the target lies in a repository."""

    subject: NotRequired[SubjectDocument]
    time: str
    seconds: Any
    command: list[str]
    python: str
    platform: str
    versions: dict[str, str]
    git: NotRequired[RepositoryDocument]


class RecordDocument(TypedDict):
    """The whole record, keys in the order in which they are written."""

    schema: str
    target: str
    parameters: dict[str, str]
    game: Literal["paired", "npp"]
    vacuous: bool
    source_digest: str
    kernel_digest: str
    game_digest: str | None
    location: LocationDocument
    scope: ScopeDocument
    fixed_stream: FixedStreamDocument
    adaptive: AdaptiveDocument
    checklist: list[EntryDocument]
    lifts: LiftsDocument
    bound: BoundDocument | None
    requirements: list[RequirementDocument]
    verdict: str
    headline: HeadlineDocument
    sampled: NotRequired[SampledDocument]
    page: NotRequired[PageDocument]
    sections: list[Section]
    context: NotRequired[ContextDocument]
    provenance: ProvenanceDocument
