"""RandBin's neighbour-preserving simulation: real bins, and bins of the other stream that differ in at most two."""

from collections.abc import Callable
from typing import Any, NamedTuple

from dpcert.audit.errors import expected
from dpcert.audit.identity import held, structural, value_of
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import Release

Bin = tuple[int, int]
Step = Callable[[Any, object, Draw], tuple[Release[bool, Bin], Any]]


class EditFacts(NamedTuple):
    """What is known of the edit.

    Attributes:
        last: Both events of the last round, until they tell which stream is longer.
        longer: Which stream that is, None before it is known.
        ahead: Events in the queue before the edited place; None once bin J, which holds it, has left.
        over: Whether bin K = J + 1 has left as well.
    """

    last: tuple[Any, Any] | None
    longer: int | None
    ahead: int | None
    over: bool = False


def _closed(edited: EditFacts) -> EditFacts:
    """The same with tokens for both events."""
    last = held(edited.last, "events", copying=True)
    return edited if last is edited.last else edited._replace(last=last)


structural(EditFacts, _closed, lambda edited: edited._replace(last=value_of(edited.last)))


State = tuple[Any, EditFacts | None]
"""The algorithm's own state, and the edit, None while the streams are equal."""


def simulate(
    step: Step, branch: int, state: State, pair: tuple[Any, Any], draw: Draw
) -> tuple[Release[bool, tuple[Bin | None, Bin | None]], State]:
    """One round of branch b: the real release, and beside it the bin of the other stream; it needs no draws of its own.

    Bin J has the same place in both streams. Bin K holds one event more in the longer stream, and later bins start one
    event apart. Source: paper.tex, defn:randbin_npp.
    """
    real, edit = state
    edit = _told(edit, pair, real[2])
    release, after = step(real, pair[branch], draw)
    if release.hidden is None:
        return Release(release.visible, (None, None)), (after, edit)
    synthetic, edit = _synthetic(release.hidden, branch, edit)
    bins = (release.hidden, synthetic) if branch == 0 else (synthetic, release.hidden)
    return Release(release.visible, bins), (after, edit)


def _told(edit: EditFacts | None, pair: tuple[Any, Any], backlog: int) -> EditFacts | None:
    """What a round's events tell: that the streams differ, and in the next round which one is longer."""
    if edit is None:
        return None if pair[0] == pair[1] else EditFacts(pair, None, backlog)
    if edit.last is None:
        return edit
    fits = [longer for longer in (0, 1) if pair[longer] == edit.last[1 - longer]]
    if not fits:
        raise expected("events of edit neighbours", last=edit.last, pair=pair)
    return edit._replace(last=pair) if len(fits) > 1 else edit._replace(last=None, longer=fits[0])


def _synthetic(real: Bin, branch: int, edit: EditFacts | None) -> tuple[Bin, EditFacts | None]:
    """The other stream's bin beside the real one."""
    start, length = real
    if edit is None:
        return real, None
    if edit.ahead is not None:
        ahead = edit.ahead - length
        return real, edit._replace(ahead=ahead if ahead >= 0 else None)
    if edit.longer is None:
        raise expected("unique tags, which tell the longer stream before bin K leaves", last=edit.last)
    more = -1 if branch == edit.longer else 1
    return ((start - more, length), edit) if edit.over else ((start, length + more), edit._replace(over=True))
