"""All that one command is asked to run, and what comes of it: every setting by every method, as far as it gets."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from dpcert.audit.algebra.decimals import up
from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.errors import ArgumentError, expected
from dpcert.audit.records.section import Section
from dpcert.audit.workers.workers import THIS_PROCESS, Workers
from dpcert.mechanisms.models.adaptive_clip import AdaptiveClip
from dpcert.mechanisms.training.document import SgdDocument, document
from dpcert.mechanisms.training.edit_pair import edit_document
from dpcert.mechanisms.training.kept import Keeping
from dpcert.mechanisms.training.report import lead, remarks, sections
from dpcert.mechanisms.training.setting import CALIBRATIONS, SgdSetting
from dpcert.mechanisms.training.summary import Summary, summaries
from dpcert.mechanisms.training.sweep import runs, tasks
from dpcert.mechanisms.training.trained import BASELINES, NOTHING_KEPT, TrainedRun


@dataclass(frozen=True)
class RunsQuestion:
    """Runs that are to be made.

    Args:
        settings: Promises on a stream.
        calibrations: By name; none for all.
        baselines: Whether batches and runs without noise are made beside them, as far as no run is kept.
        seeds: Runs of each.
        workers: Who makes them.
        simulate: A seed of all randomness, for a simulation.
        edit: The event whose leaving out is looked at, in a simulation.
        keep: Where one run is kept.
    Raises: ArgumentError: options that do not go together.
    """

    settings: tuple[SgdSetting, ...]
    calibrations: tuple[str, ...] = ()
    baselines: bool = True
    seeds: int = 1
    workers: Workers = THIS_PROCESS
    simulate: int | None = None
    edit: int | None = None
    keep: Keeping = NOTHING_KEPT

    def __post_init__(self) -> None:
        if self.edit is not None and self.simulate is None:
            raise expected("--simulate with --edit, for both runs share their randomness", edit=self.edit)
        if not self.kept:
            return
        if self.workers.scheduler is not None:
            raise ArgumentError("Expected --scheduler without --releases and --state: a run is kept on this machine")
        if self.edit is not None:
            raise expected("--edit without --releases and --state: it looks at two runs", edit=self.edit)
        counts = {"promises": len(self.settings), "calibrations": len(self.methods), "seeds": self.seeds}
        if set(counts.values()) != {1}:
            raise expected("one promise, one --calibration and one seed with --releases or --state", **counts)

    @property
    def kept(self) -> bool:
        """Whether a run is kept."""
        return self.keep != NOTHING_KEPT

    @property
    def methods(self) -> tuple[str, ...]:
        """Calibrations and baselines."""
        beside = BASELINES if self.baselines and not self.kept else ()
        return (*dict.fromkeys(self.calibrations or CALIBRATIONS), *beside)

    @property
    def facts(self) -> dict[str, str]:
        """For a page, name by name."""
        first = self.settings[0]
        wishes, habits, rates, user = [one.wish for one in self.settings], first.habits, first.schedule, first.user
        users = f"churn {up(habits.churn)}, feedback {up(habits.feedback)}"
        return {
            "Stream": first.stream,
            "Model": f"{type(first.plain).__name__}, {first.plain.dimension} weights",
            "ε": _each(up(one.epsilon) for one in wishes),
            "δ": _each(up(one.delta) for one in wishes),
            "Horizon": f"{_each(f'{one.events:,}' for one in wishes)} events",
            "Split": _each(up(one.split, 3) for one in wishes),
            "Clip": first.clip.name if isinstance(first.clip, AdaptiveClip) else up(first.clip),
            "Step size": ", ".join(
                up(rate) if start == 1 else f"{up(rate)} from bin {start}"
                for start, rate in zip(rates.starts, rates.values, strict=True)
            ),
            "Sums": first.core,
            "Optimiser": first.optimiser,
            "Methods": ", ".join(self.methods),
            "Seeds": f"{self.seeds}",
            "Users": "each event once" if habits.steady else users,
        } | ({} if user.most == 1 else {"Events of one user": user.words})


@dataclass(frozen=True)
class RunsAnswer:
    """What came of them.

    Attributes:
        summaries: Runs that were made, by setting and method.
        edits: What leaving out an event changes.
        simulated: Whether all randomness is from a seed.
        stopped: What ended the work early, in words; empty where nothing did.
    """

    summaries: tuple[Summary, ...]
    edits: tuple[dict[str, Any], ...]
    simulated: bool
    stopped: str

    @property
    def lead(self) -> str:
        """In a sentence or two."""
        return lead(self.summaries, simulated=self.simulated, stopped=bool(self.stopped))

    @property
    def remarks(self) -> list[str]:
        """What is to be known of the numbers."""
        return remarks(self.summaries)

    @property
    def sections(self) -> list[Section]:
        """Tables and figures; the first two are for a text."""
        return list(sections(self.summaries, self.edits, self.remarks))

    @property
    def document(self) -> SgdDocument:
        """As JSON values."""
        both = {"simulated": self.simulated, "stopped": bool(self.stopped)}
        return document(self.summaries, self.edits, self.remarks, **both)


def answered(request: RunsQuestion, say: Callable[[str], None]) -> RunsAnswer:
    """Makes the runs; an interrupt keeps those that were made.

    Args:
        request: What is asked.
        say: Told of each run.
    Raises: ArgumentError: a run that cannot be made. Interrupted: before the first was made, where none is kept.
    """
    results: list[TrainedRun] = []
    edits: list[dict[str, Any]] = []
    listed = tasks(request.settings, request.methods, request.seeds, request.simulate, request.keep)
    with best_so_far(Budget()) as part:
        for run in runs(listed, THIS_PROCESS if request.kept else request.workers, say):
            results.append(run)
        edits.extend(_edits(request, say))
    if not results and not request.keep.state:
        part.pass_on()
    found = summaries(results, request.settings, request.methods)
    return RunsAnswer(tuple(found), tuple(edits), request.simulate is not None, part.stopped)


def _edits(request: RunsQuestion, say: Callable[[str], None]) -> list[dict[str, Any]]:
    """What an edit changes in each calibration's run."""
    if request.edit is None or request.simulate is None:
        return []
    say("Comparing the runs with and without an event")
    methods = [name for name in request.methods if name in CALIBRATIONS]
    return [edit_document(one, name, request.edit, request.simulate) for one in request.settings for name in methods]


def _each(texts: Iterable[str]) -> str:
    """Different ones, in order."""
    return ", ".join(dict.fromkeys(texts))
