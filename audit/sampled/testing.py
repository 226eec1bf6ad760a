"""The testing half: how often each event came in either world, and what that bounds at the stated confidence."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.binomial import at_least, at_most
from dpcert.audit.algebra.power import PowerFunction, supremum
from dpcert.audit.errors import MechanismError
from dpcert.audit.frozen import frozen
from dpcert.audit.identity import held
from dpcert.audit.kernels.label import label
from dpcert.audit.sampled.fitting import TESTING, Candidate, Contest, Lesson
from dpcert.audit.sampled.policy import Way
from dpcert.audit.sampled.running import RunRange, generator_of, pieces, played

PLAYED_AGAIN = 10
"""Runs of each world and group that are played again, last ones first: a sampler answers the same to the same seed."""


@frozen
class EventTest:
    """An event as it was tested.

    Attributes:
        candidate: Its policy, slope and order.
        group: Which policies it submits alike with.
        runs: In each world.
        hits: How often it came, in world 0 and in world 1.
        risk: What either of its two bounds may be wrong with.
    """

    candidate: Candidate
    group: int
    runs: int
    hits: tuple[int, int]
    risk: Fraction

    @property
    def shares(self) -> tuple[Fraction, Fraction]:
        """Bounds on the event's probability in either world: from below where it counts, from above where it costs."""
        if self.candidate.order == "0-1":
            return at_least(self.hits[0], self.runs, self.risk), at_most(self.hits[1], self.runs, self.risk)
        return at_most(self.hits[0], self.runs, self.risk), at_least(self.hits[1], self.runs, self.risk)


def tested(contest: Contest, lesson: Lesson) -> list[EventTest]:
    """Every event of a lesson on runs that nothing was learnt from.

    Raises: Stopped: the work ended early; nothing is known then, for when it ended may tell of the outputs.
        MechanismError: a run that is played again and answers otherwise.
    """
    runs = (contest.sampling.runs - contest.sampling.learning) // (2 * len(lesson.groups))
    todo = [p for g in range(len(lesson.groups)) for world in (0, 1) for p in pieces(TESTING, g, world, runs)]
    contest.budget.progress("testing")
    counts = contest.done(lambda piece: _counted(contest, lesson, piece), todo)
    _play_again(contest, lesson, todo, [answer[1] for answer in counts])
    number = sum(map(len, lesson.groups))
    risk = (1 - contest.sampling.confidence) / (2 * number)
    tests = []
    for g, group in enumerate(lesson.groups):
        for i, candidate in enumerate(group):
            hits = [
                sum(answer[0][i] for piece, answer in zip(todo, counts, strict=True) if _is(piece, g, world))
                for world in (0, 1)
            ]
            tests.append(EventTest(candidate, g, runs, (hits[0], hits[1]), risk))
    return tests


def lower_bound(events: Sequence[EventTest]) -> PowerFunction:
    """A curve below that of all adversaries, at the confidence of the events: the hull of what each attains."""
    curves = [PowerFunction.identity()]
    for one in events:
        x, y = one.shares if one.candidate.order == "1-0" else (1 - one.shares[0], 1 - one.shares[1])
        if y > x:
            curves.append(PowerFunction.from_vertices([(0, 0), (x, y), (1, 1)]))  # type: ignore[list-item]
    return supremum(curves)


def _is(piece: RunRange, group: int, world: int) -> bool:
    return (piece.group, piece.world) == (group, world)


def _counted(contest: Contest, lesson: Lesson, piece: RunRange) -> tuple[list[int], list[list[Any]]]:
    """How often each event of the group came in the runs of a piece, and the outputs of the first few."""
    group = lesson.groups[piece.group]
    hits, first_outputs = [0] * len(group), []
    for run in range(piece.first, piece.last):
        outputs, class_numbers = _run(contest, lesson, piece, run)
        if run < PLAYED_AGAIN:
            first_outputs.append(outputs)
        for i, candidate in enumerate(group):
            at: Way = 0
            for y in class_numbers:
                at = candidate.policy.after(at, y)
            hits[i] += at is True
    return hits, first_outputs


def _run(contest: Contest, lesson: Lesson, piece: RunRange, run: int) -> tuple[list[Any], list[int]]:
    policy = lesson.groups[piece.group][0].policy
    generator = generator_of(contest.sampling.seed, piece, run)
    _, outputs, observed = played(contest.box, policy, lesson.classes, piece.world, generator)
    return outputs, observed


def _play_again(contest: Contest, lesson: Lesson, todo: Sequence[RunRange], kept: Sequence[list[list[Any]]]) -> None:
    """Raises: MechanismError: a run that answers otherwise from the same seed, after other runs."""
    for piece, before in reversed(list(zip(todo, kept, strict=True))):
        for run in reversed(range(len(before))):
            outputs, _ = _run(contest, lesson, piece, run)
            if list(map(held, outputs)) != list(map(held, before[run])):
                wanted = f"{contest.box.name} to answer the same to the same generator, with nothing left of other runs"
                raise MechanismError(
                    f"Expected {wanted}, but got {label(tuple(outputs))} after {label(tuple(before[run]))}"
                )
