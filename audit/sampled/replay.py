"""A sampled record played again: its own policies on its own seeds, without anything that was learnt beside it."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.rational import parse
from dpcert.audit.errors import expected
from dpcert.audit.frozen import frozen
from dpcert.audit.kernels.label import label
from dpcert.audit.records.record import Record
from dpcert.audit.sampled.black_box import BlackBox, black_box, halted
from dpcert.audit.sampled.classes import OutputClasses
from dpcert.audit.sampled.fitting import TESTING
from dpcert.audit.sampled.running import RunRange, generator_of


@frozen
class WrittenClasses:
    """The classes of a round as a record has them."""

    outputs: list[str]
    cuts: tuple[Fraction, ...]

    def of(self, y: Any) -> int:
        """The class of an output."""
        if self.cuts:
            return OutputClasses(cuts=self.cuts).of(y)
        name = label(y)
        return self.outputs.index(name) if name in self.outputs else len(self.outputs)


def replayed(mechanism: object, record: Record | Mapping[str, Any]) -> list[tuple[int, int]]:
    """How often each tested event of a record comes in its test runs, in world 0 and in world 1.

    Args:
        mechanism: The sampler that the record is about.
        record: The record, or its document.
    Returns: Counts, event by event; those of the record, unless it or the sampler was changed.
    Raises: ArgumentError: no sampled record, or one whose policies are not written out.
    Source: none; ours.
    """
    document = record.document if isinstance(record, Record) else record
    evidence = document.get("sampled")
    if evidence is None or not all(test["complete"] for test in evidence["tests"]):
        raise expected("a sampled record with whole policies", target=document["target"])
    box = black_box(mechanism, document["scope"]["horizon"])
    classes = [
        WrittenClasses(one["outputs"], tuple(parse(c, "cut") for c in one["cuts"])) for one in evidence["classes"]
    ]
    return [
        (_hits(box, test, classes, evidence["seed"], 0), _hits(box, test, classes, evidence["seed"], 1))
        for test in evidence["tests"]
    ]


def _hits(box: BlackBox, test: Mapping[str, Any], classes: list[WrittenClasses], seed: int, world: int) -> int:
    input_of = {label(x): x for x in (None, *box.alphabet)}
    piece, hits = RunRange(TESTING, test["group"], world, 0, test["runs"]), 0
    for run in range(test["runs"]):
        respond, y = box.begin(generator_of(seed, piece, run)), None
        way: Any = {"next": 0}
        while way["next"] is not None:
            node = test["nodes"][way["next"]]
            y = y if halted(y) else respond(input_of[node["pair"][-world]])
            way = node["ways"][classes[node["round"] - 1].of(y)]
        hits += way["in_event"]
    return hits
