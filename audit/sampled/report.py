"""What a sampled audit says: the part of its record that holds the evidence, and tables that show it."""

from collections.abc import Sequence
from fractions import Fraction

from dpcert.audit.algebra.decimals import down, up
from dpcert.audit.algebra.rational import text
from dpcert.audit.frozen import frozen
from dpcert.audit.identity import value_of
from dpcert.audit.kernels.label import label
from dpcert.audit.records.contract import ClassesDocument, PolicyWayDocument, SampledDocument, TestDocument
from dpcert.audit.records.documents import MOST_NODES_WRITTEN
from dpcert.audit.records.section import Section, section, shown
from dpcert.audit.sampled.classes import OutputClasses
from dpcert.audit.sampled.fitting import Lesson
from dpcert.audit.sampled.policy import Way
from dpcert.audit.sampled.sampling import Sampling
from dpcert.audit.sampled.testing import EventTest


@frozen
class SampleOutcome:
    """What was learnt, and what came of it.

    Attributes:
        sampling: How much was run.
        lesson: What half of it taught; None where the work ended early.
        events: What the other half tested.
    """

    sampling: Sampling
    lesson: Lesson | None = None
    events: Sequence[EventTest] = ()

    def document(self) -> SampledDocument:
        """The evidence as it stands in a record."""
        sampling = self.sampling
        return {
            "confidence": text(sampling.confidence),
            "runs": sampling.runs,
            "learning": sampling.learning,
            "seed": sampling.seed,
            "remembered": "" if self.lesson is None else self.lesson.memory,
            "classes": [] if self.lesson is None else [_classes(one) for one in self.lesson.classes],
            "tests": [_test(one) for one in self.events],
        }

    def sections(self) -> list[Section]:
        """The evidence as tables."""
        if self.lesson is None:
            return []
        return [_bounds(self), *_policy(self), _partition(self.lesson)]

    def best(self, exp_epsilon: Fraction) -> int | None:
        """The number of the event from which the largest delta follows at a slope; None without one."""
        worth = [_delta(one, exp_epsilon) for one in self.events]
        return worth.index(max(worth)) if worth and max(worth) > 0 else None


def _delta(one: EventTest, exp_epsilon: Fraction) -> Fraction:
    """What the bounds on an event say of delta, at a slope."""
    low, high = one.shares if one.candidate.order == "0-1" else one.shares[::-1]
    return max(Fraction(0), low - exp_epsilon * high)


def _classes(one: OutputClasses) -> ClassesDocument:
    outputs = [label(value_of(token)) for token in one.single]
    return {"outputs": outputs, "cuts": [text(cut) for cut in one.cuts]}


def _test(one: EventTest) -> TestDocument:
    nodes = one.candidate.policy.nodes
    return {
        "exp_epsilon": text(one.candidate.exp_epsilon),
        "order": one.candidate.order,
        "group": one.group,
        "runs": one.runs,
        "hits": list(one.hits),
        "risk": text(one.risk),
        "shares": [text(share) for share in one.shares],
        "delta": text(_delta(one, one.candidate.exp_epsilon)),
        "complete": len(nodes) <= MOST_NODES_WRITTEN,
        "nodes": [
            {
                "round": node.round,
                "pair": [label(value_of(x)) for x in node.pair],
                "ways": [_written(w) for w in node.ways],
            }
            for node in nodes[:MOST_NODES_WRITTEN]
        ],
    }


def _written(way: Way) -> PolicyWayDocument:
    ended = isinstance(way, bool)
    return {"next": None if ended else way, "in_event": way if isinstance(way, bool) else None}


def _bounds(found: SampleOutcome) -> Section:
    """Every event with its counts and its bounds."""
    sampling, rows = found.sampling, []
    for number, one in enumerate(found.events):
        order = one.candidate.order
        ends = (_at_least, _at_most) if order == "0-1" else (_at_most, _at_least)
        shares = [end(share) for end, share in zip(ends, one.shares, strict=True)]
        delta = down(_delta(one, one.candidate.exp_epsilon))
        came = [f"{hits} of {one.runs}" for hits in one.hits]
        rows.append((number, order, shown(one.candidate.exp_epsilon), *came, *shares, delta))
    words = (
        f"{sampling.learning} runs taught what to submit and which event to bet on, "
        f"{sampling.runs - sampling.learning} others tested it. "
        f"At confidence {down(sampling.confidence)} all bounds of this table are right at once; "
        f"they are exact binomial bounds, {2 * len(rows)} in number. Seed {sampling.seed}."
    )
    columns = ("event", "order", "e^ε", "came in world 0", "came in world 1", "P₀", "P₁", "δ at least")
    return section("What the test runs show", words, columns, rows, brief=True)


def _at_least(share: Fraction) -> str:
    return f"at least {down(share)}"


def _at_most(share: Fraction) -> str:
    return f"at most {up(share)}"


def _policy(found: SampleOutcome) -> list[Section]:
    """The policy of the event from which most follows: what is submitted after what was seen, and where it bets."""
    best = max(range(len(found.events)), key=lambda i: _delta(found.events[i], found.events[i].candidate.exp_epsilon))
    one, lesson = found.events[best], found.lesson
    if lesson is None:
        return []
    rows = []
    for number, node in enumerate(one.candidate.policy.nodes):
        labels = lesson.classes[node.round - 1].labels
        for observed, way in zip(labels, node.ways, strict=True):
            pair = f"{label(value_of(node.pair[0]))} | {label(value_of(node.pair[-1]))}"
            rows.append((number, node.round, pair, observed, _way(way)))
    words = (
        f"Event {best}: node 0 starts; the inputs of world 0 stand before the bar, of world 1 behind it. "
        "The record has the policy of every event."
    )
    return [section("A policy and its event", words, ("node", "round", "submitted", "seen", "then"), rows)]


def _way(way: Way) -> str:
    if isinstance(way, bool):
        return "the event" if way else "not the event"
    return f"node {way}"


def _partition(lesson: Lesson) -> Section:
    """The classes of outputs, round by round."""
    words = f"Outputs of one class are not told apart. Laws were learnt as depending on {lesson.memory}."
    rows = [(t, ", ".join(one.labels)) for t, one in enumerate(lesson.classes, 1)]
    return section("Outputs in classes", words, ("round", "classes"), rows)
