"""Where the policies of a lower bound lead, from the first round to the last: classes, and places of each."""

from collections.abc import Sequence

from dpcert.audit.grids.attained import StagePolicy
from dpcert.audit.grids.choices import ClassPlaces
from dpcert.audit.grids.windows import Windows


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
        one.spans.reached(here).lead(then, one.taps.columns)
        here = within(then, windows, one.stage - 1)
        stages.append(here)
    return stages[::-1]
