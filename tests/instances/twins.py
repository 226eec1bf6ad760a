"""The same code twice in one process, of which one stands for what another process has read."""

import pickle
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from dpcert import MechanismError, Scripted
from dpcert.audit.kernels.code import Code
from dpcert.audit.kernels.machine import Machine
from dpcert.audit.kernels.view import any_view_of
from dpcert.audit.scripted import shared_questions, shares
from dpcert.audit.scripted.others import ShareAsked, ShareDone, helped_by
from dpcert.audit.scripted.shared_questions import QuestionHelper
from dpcert.audit.scripted.shared_states import StateHelper
from dpcert.audit.scripted.unknown import Unknown


class Twins:
    """Others that have the same code, each made anew; they answer in turn."""

    def __init__(self, make: Callable[[], Any], count: int = 2) -> None:
        self.make, self.count = make, count
        self.helpers: list[StateHelper | QuestionHelper] = []
        self.shares: list[ShareAsked] = []
        self.why: list[str] = []
        self.dismissed = False

    def workers(self) -> int:
        return self.count

    def done(self, shares: Sequence[ShareAsked]) -> list[ShareDone]:
        return [self._one(pickle.loads(pickle.dumps(share))) for share in shares]

    def _one(self, share: ShareAsked) -> ShareDone:
        self.shares.append(share)
        if self.dismissed:
            raise RuntimeError("they were dismissed")
        try:
            if len(self.helpers) < self.count:
                self.helpers.append(self._helper(share))
                self.helpers[-1].open()
            return self.helpers[len(self.shares) % len(self.helpers)].done(share)
        except (Unknown, MechanismError) as error:
            return ShareDone(left=str(error) or type(error).__name__)

    def _helper(self, share: ShareAsked) -> StateHelper | QuestionHelper:
        mechanism = self.make()
        if not isinstance(mechanism, Scripted):
            code = any_view_of(mechanism)
            assert isinstance(code, Code)
            return QuestionHelper(mechanism, code, share.opening)
        return StateHelper(mechanism, share.opening)

    def dismiss(self, why: str) -> None:
        self.why.append(why)
        self.dismissed = True

    def end(self) -> None:
        """Nothing is left of them."""


def share_all(monkeypatch: pytest.MonkeyPatch, size: int = 3) -> None:
    """Everything is worth sharing, a few states or ways at a time, but the first two of each lot."""
    monkeypatch.setattr(shares, "WORTH_SHARING", 0)
    monkeypatch.setattr(shares, "FIRST_RUN_HERE", 2)
    monkeypatch.setattr(shared_questions, "FIRST_RUN_HERE", 2)
    monkeypatch.setattr(shares.Sharer, "_size", lambda *_: size)


def machine_of(mechanism: Scripted, horizon: int) -> tuple[Machine | None, Any, str]:
    """The machine, the cells of the draws, and why states are not merged; or the error."""
    try:
        machine = mechanism.machine(horizon)
    except MechanismError as error:
        return None, None, str(error)
    cells = mechanism.known_cells[horizon]
    return machine, (cells.ends, cells.rejected), mechanism.why_unmerged(horizon)


def shared_machine(make: Callable[[], Scripted], horizon: int) -> tuple[tuple[Any, Any, str], Twins]:
    """The same where twins share the work."""
    mechanism, twins = make(), Twins(make)
    with helped_by(twins, mechanism):
        return machine_of(mechanism, horizon), twins
