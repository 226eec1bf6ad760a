"""Where the policies of a lower bound lead, from the first round to the last: classes, and places of each."""

from collections.abc import Sequence

from dpcert.audit.grids.attained import StagePolicy
from dpcert.audit.grids.windows import Windows

ClassPlaces = dict[int, tuple[int, int]]
"""Per class the first place at which anybody may be, and the one after the last."""


def reach(places: ClassPlaces, number: int, low: int, high: int) -> None:
    """Notes that places of a class are reached."""
    first, end = places.get(number, (low, high))
    places[number] = min(first, low), max(end, high)


def within(places: ClassPlaces, windows: Windows, stage: int) -> ClassPlaces:
    """The same in the window of a stage: those beyond it go on as its ends do."""
    low, high = windows.at(stage)
    return {
        number: (min(max(first, low), high - 1), max(min(end, high), low + 1))
        for number, (first, end) in places.items()
    }


def stages_reached(starts: ClassPlaces, policy: Sequence[StagePolicy], windows: Windows) -> list[ClassPlaces]:
    """What is reached at the stages of `policy`, in its order, on either side of any slope.

    Args:
        starts: What is reached after round 1.
        policy: Choices, those of the last round first.
        windows: The places of each stage.
    """
    stages, here = [starts], starts
    for one in reversed(policy[1:]):
        then: ClassPlaces = {}
        for number, (first, end) in here.items():
            for release, low, high in one.spans[number]:
                a, b = max(first, low), min(end, high)
                if a < b:
                    for after, steps, _, _ in one.taps.releases[release].runs:
                        reach(then, after, a + steps, b + steps + 1)
        here = within(then, windows, one.stage - 1)
        stages.append(here)
    return stages[::-1]
