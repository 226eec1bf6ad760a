"""Others who run plain code for this process, if there are any: who they are, and what they are asked.

They have read the same code anew. Who made which run shows nowhere: where anything is not as it should be, nothing that
they did is used, and this process makes all runs, as if there were nobody else.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

from dpcert.audit.frozen import frozen
from dpcert.audit.limits import OWN_VARIABLES

EXPLORED, ONCE_MORE, QUESTIONS = "explored", "once more", "questions"


@frozen
class CodeOpening:
    """What says that two processes have the same code, and speak of the same objects by the same numbers.

    Attributes:
        horizon: T, rounds.
        spelled: How the code is asked: of code that draws its generator, method, and whether errors are outcomes.
        whole: The form of all that the code can reach before a run, written.
        first: What its first round does, or what it answers to the first questions, written.
        released: The values that this speaks of, written.
        lasting: In words what both forms know by its number, each in order: code, classes, functions of Python's.
        stack: How many calls there may be inside one another where runs are made.
    """

    horizon: int
    spelled: tuple[Any, ...]
    whole: bytes
    first: bytes
    released: bytes
    lasting: tuple[tuple[str, ...], ...]
    stack: int


@frozen
class ShareAsked:
    """What is to be done.

    Attributes:
        opening: Of the code.
        kind: `EXPLORED` for states that are to be explored, `ONCE_MORE` for ways that are run again whose end is known,
            `QUESTIONS` for seeds and streams under which code is asked.
        runs: How many runs were made before.
        body: The states, ways or questions, written.
        tokens: The values that they speak of, written.
    """

    opening: CodeOpening
    kind: str
    runs: int
    body: bytes
    tokens: bytes


@frozen
class ShareDone:
    """What came of it and the outputs that this speaks of, written; or why it was not done."""

    body: bytes = b""
    tokens: bytes = b""
    left: str = ""


class Others(Protocol):
    """Processes that have read the same code.

    Attributes:
        dismissed: Whether they are asked nothing more.
    """

    dismissed: bool

    def workers(self) -> int:
        """How many work at once, about."""
        ...

    def done(self, shares: Sequence[ShareAsked]) -> Sequence[ShareDone]:
        """What comes of each share. Raises: Stopped: the limit on the work was met; NoOthers: there are none."""
        ...

    def dismiss(self, why: str) -> None:
        """Ends them, and says why in a few words."""
        ...

    def end(self) -> None:
        """Ends them."""
        ...


class SharedInVain(Exception):
    """What others did is not to be used: this process makes all runs itself."""


class NoOthers(BaseException):
    """Others that were asked for cannot be had, or should not have been; it passes where the user's code is asked.

    Attributes:
        error: Why.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def no_look() -> None:
    """Where nobody else makes runs, and these may leave something behind."""


_OTHERS: ContextVar[tuple[Any, Others] | None] = ContextVar("others", default=None)
OWN_VARIABLES.add(_OTHERS)


@contextmanager
def helped_by(others: Others, mechanism: Any) -> Iterator[None]:
    """Inside, others run a mechanism that is code, where that takes long.

    Args:
        others: Who has read the same.
        mechanism: What the user gave.
    """
    before = _OTHERS.set((mechanism, others))
    try:
        yield
    finally:
        _OTHERS.reset(before)
        others.end()


def others_of(mechanism: Any) -> Others | None:
    """Those who run this very mechanism, if there are any who are asked still."""
    found = _OTHERS.get()
    return found[1] if found is not None and found[0] is mechanism and not found[1].dismissed else None
