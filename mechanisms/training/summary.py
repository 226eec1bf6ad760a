"""Runs of one setting and method over several seeds: medians, with the spread from the least to the largest."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from dpcert.mechanisms.training.setting import SgdSetting
from dpcert.mechanisms.training.trained import TrainedRun


@dataclass(frozen=True)
class Spread:
    """A number over seeds: the middle one, the least and the largest."""

    middle: float
    least: float
    largest: float

    @property
    def document(self) -> dict[str, float]:
        """As JSON."""
        return {"median": self.middle, "least": self.least, "largest": self.largest}


@dataclass(frozen=True, eq=False)
class Summary:
    """Runs of one setting and method, by seed."""

    setting: SgdSetting
    method: str
    runs: tuple[TrainedRun, ...]

    def spread(self, of: Callable[[TrainedRun], float]) -> Spread:
        """A number of each run."""
        found = [of(run) for run in self.runs]
        return Spread(float(median(found)), float(min(found)), float(max(found)))

    @property
    def accuracy(self) -> Spread:
        """Prequential, of all events."""
        return self.spread(lambda run: run.measures.accuracy)

    @property
    def delay(self) -> Spread:
        """The mean inclusion delay, in rounds."""
        return self.spread(lambda run: run.measures.delay()[0])

    @property
    def releases(self) -> Spread:
        """Models."""
        return self.spread(lambda run: len(run.measures.left))

    @property
    def most_waiting(self) -> Spread:
        """The largest Q_t."""
        return self.spread(lambda run: run.measures.most_waiting)

    @property
    def longest_delay(self) -> Spread:
        """Of an event whose bin left, in rounds."""
        return self.spread(lambda run: run.measures.delay()[1])

    @property
    def seconds(self) -> Spread:
        """Of a run."""
        return self.spread(lambda run: run.seconds)

    def windows(self) -> list[list[float]]:
        """Accuracy over time: in each part of the stream the median of the seeds."""
        each = [run.measures.windows() for run in self.runs]
        return [[parts[0][0], float(median(part[1] for part in parts))] for parts in zip(*each, strict=True)]


def summaries(runs: Sequence[TrainedRun], settings: Sequence[SgdSetting], methods: Sequence[str]) -> list[Summary]:
    """One for each setting and method that has runs, in their order."""
    groups: dict[tuple[SgdSetting, str], list[TrainedRun]] = {(one, name): [] for one in settings for name in methods}
    for run in runs:
        groups[run.setting, run.method].append(run)
    return [
        Summary(setting, method, tuple(sorted(of, key=lambda run: run.seed)))
        for (setting, method), of in groups.items()
        if of
    ]
