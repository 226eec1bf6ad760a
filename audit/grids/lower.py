"""Policies at the nodes of a grid, read off a pass of upper bounds, and the points that they attain.

A policy stands at a node, and chooses the release that the upper bound found largest there. A slope between two nodes
is followed by one of them: now the one before it, now the one behind it, so that what that is off by comes to nothing
over the rounds. Floats choose, and any answer is a policy; what it attains is worked out in `attained`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from dpcert.audit.grids.attained import AttainedRows, StagePolicy
from dpcert.audit.grids.choices import ClassPlaces, Spans, covers
from dpcert.audit.grids.grid import ON_A_NODE, Taps
from dpcert.audit.grids.passes import Choices, Runner, StageTaps
from dpcert.audit.grids.reaching import stages_reached
from dpcert.audit.grids.sides import SidesByPlace
from dpcert.audit.grids.stages import Release
from dpcert.audit.grids.units import Units

FEW_CLASSES = 2
"""Classes past which it is told first which places are reached, and chosen place by place which of two nodes is
followed, on every grid: others stay where they are, mostly. Of fewer that is done on finer grids (`bounding`)."""


@dataclass
class GridPolicy:
    """What is chosen at the nodes of a grid, the last stage first.

    Attributes:
        runner: The game and its grid.
        placewise: Whether it is chosen place by place on which side of slopes to go on, of few classes too.
        by_stage: What is done there.
    """

    runner: Runner
    placewise: bool = False
    by_stage: list[StagePolicy] = field(default_factory=list)
    _attained: tuple[tuple[Units, ClassPlaces], AttainedRows] | None = None
    _off: list[float] = field(default_factory=list)
    _numbers: dict[Release, int] = field(default_factory=dict)
    _numbered: dict[int, tuple[StageTaps, list[int]]] = field(default_factory=dict)

    def note(self, stage: int, taps: StageTaps, choices: Sequence[Choices | None]) -> None:
        """Keeps what was chosen at a stage: per class, which of its releases at each place."""
        low, high = self.runner.windows.at(stage)
        spans = Spans.of(taps.table.classes, choices, low, high)
        pairs = zip(taps.releases, self._released(taps), strict=True)
        behind = tuple(self._behind(one, number) for one, number in pairs)
        placewise = taps.between_nodes and (self.placewise or len(spans) > FEW_CLASSES)
        self.by_stage.append(StagePolicy(stage, taps, spans, behind, placewise))

    def by_places(self) -> "GridPolicy":
        """The same choices, and place by place on which side of slopes to go on."""
        stages = [replace(one, placewise=one.taps.between_nodes) for one in self.by_stage]
        return GridPolicy(self.runner, placewise=True, by_stage=stages)

    def attained(self, units: Units, starts: ClassPlaces) -> AttainedRows:
        """What it attains at the last stage, with one round to come before it, at the places where it may start.

        What is known serves for fewer places as well: what is had at one does not depend on where else one may start.
        """
        if self._attained is None or self._attained[0][0] != units or not covers(self._attained[0][1], starts):
            self._attained = (units, starts), self._followed(units, starts)
        return self._attained[1]

    def ended(self, units: Units) -> AttainedRows:
        """What is had at the end."""
        return AttainedRows.ended(self.runner, units)

    def sides(self, stage: int) -> SidesByPlace | None:
        """On which sides of slopes it goes on at a stage, where that was chosen place by place."""
        return None if self._attained is None else self._attained[1].sides.get(stage)

    def _followed(self, units: Units, starts: ClassPlaces) -> AttainedRows:
        rows = self.ended(units)
        few = not self.placewise and all(len(stage_policy.spans) <= FEW_CLASSES for stage_policy in self.by_stage)
        places_by_stage = (
            [None] * len(self.by_stage) if few else stages_reached(starts, self.by_stage, self.runner.windows)
        )
        for stage_policy, places in zip(self.by_stage, places_by_stage, strict=bool(self.by_stage)):
            self.runner.check()
            rows.follow(stage_policy, places)
        return rows

    def _released(self, taps: StageTaps) -> list[int]:
        """The numbers of a table's releases among all."""
        if id(taps) not in self._numbered:
            numbers = [self._numbers.setdefault(one, len(self._numbers)) for one in taps.table.releases]
            self._off += [0.0] * (len(self._numbers) - len(self._off))
            self._numbered[id(taps)] = taps, numbers
        return self._numbered[id(taps)][1]

    def _behind(self, one: Taps, number: int) -> tuple[int, ...]:
        """Per run, whether to go on behind a slope: what makes less of the steps that all runs so far were off by."""
        behind, off = [], self._off[number]
        for _, _, part, weight in one.runs:
            further = part > ON_A_NODE and abs(off + weight * (1 - part)) < abs(off - weight * part)
            off += weight * (further - part)
            behind.append(int(further))
        self._off[number] = off
        return tuple(behind)
