"""lem:randbin_wrapper: the contract of the wrapper, on whole runs."""

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.randbin.on_geometric_loads import RandBin
from dpcert.mechanisms.randbin.toy_scheduler import ToyScheduler
from dpcert.proofs_checked.cases.bin_runs import ALPHAS
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.pair_runs import DeletedItem
from dpcert.proofs_checked.cases.relations import NO_BIN, Stream
from dpcert.proofs_checked.cases.replayed import ways
from dpcert.proofs_checked.claims.defn_randbin_npp import Unpaid
from dpcert.proofs_checked.ledger import claim

SILENT = ToyScheduler(noise="none")
STEPS = 13


class Run(NamedTuple):
    """What either stream's bins are, step by step, in one run of the simulation: ids of events, or no bin."""

    edit: DeletedItem
    branch: int
    first: Stream
    second: Stream


def whole_runs(mechanism: RandBin, edit: DeletedItem, branch: int) -> Iterator[Run]:
    """Every run over the steps, on events that are told apart by their ids; no two runs are merged."""
    streams = [tuple(edit.item(stream, t) for t in range(1, STEPS + 1)) for stream in (0, 1)]

    def on(t: int, state: Any, bin_streams: tuple[Stream, Stream]) -> Iterator[Run]:
        if t > STEPS:
            yield Run(edit, branch, *bin_streams)
            return
        pair = streams[0][t - 1], streams[1][t - 1]
        for (release, after), _ in ways(lambda draw: mechanism.simulate(branch, state, pair, draw)):
            bins: Any = release.hidden if release.visible else (None, None)
            step = [_taken(stream, t, bin_) for stream, bin_ in zip(streams, bins, strict=True)]
            yield from on(t + 1, after, ((*bin_streams[0], step[0]), (*bin_streams[1], step[1])))

    return on(1, mechanism.simulation, ((), ()))


def _taken(stream: tuple[int, ...], t: int, bin_: tuple[int, int] | None) -> Any:
    """The events of (start, length), start counted back from the newest one."""
    return NO_BIN if bin_ is None else stream[t - bin_[0] : t - bin_[0] + bin_[1]]


@claim("lem:randbin_wrapper", row=None, method=Method.EXHAUSTIVE, subject=RandBin(ALPHAS[0], 2, SILENT),
       mutant=Unpaid(ALPHAS[0], 2, SILENT), scope=f"U 2, silent scheduler, {STEPS} steps: every run, edit and branch",
       uses=("defn:randbin_npp", "sec:randbin_short/one_edit_touches_two_adjacent_bins"))  # fmt: skip
def one_edit_is_at_most_two_adjacent_bins(subject: RandBin) -> Finding:
    """Streams one edit apart have bin streams at Hamming distance at most two; two bins that differ are adjacent.

    Bins that leave are without gap or overlap a prefix of the stream that they are of.
    """
    edits = [DeletedItem(place, longer) for place in range(1, STEPS + 1) for longer in (0, 1)]
    runs = (run for edit, branch in product(edits, (0, 1)) for run in whole_runs(subject, edit, branch))

    def kept(edit: DeletedItem, branch: int, first: Stream, second: Stream) -> bool:
        del branch
        emitted = [(a, b) for a, b in zip(first, second, strict=True) if (a, b) != (NO_BIN, NO_BIN)]
        differ = [i for i, (a, b) in enumerate(emitted) if a != b]
        near = len(differ) <= 2 and differ == list(range(differ[0], differ[-1] + 1)) if differ else True
        whole = [[event for both in emitted for event in both[stream]] for stream in (0, 1)]
        return near and all(
            taken == [edit.item(stream, t) for t in range(1, len(taken) + 1)] for stream, taken in enumerate(whole)
        )

    return every("runs", runs, kept)
