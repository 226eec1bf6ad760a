"""Others who run one audit's code: processes of this machine, or of a scheduler, that read its target.

They are asked only where all that the code can reach is the same there, and where all of it is plain; else one process
makes all runs.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from dpcert.audit.budget import silent
from dpcert.audit.errors import ArgumentError, one_line
from dpcert.audit.frozen import frozen
from dpcert.audit.kernels import targets
from dpcert.audit.kernels.border import has_statically
from dpcert.audit.kernels.code import Code
from dpcert.audit.kernels.view import any_view_of
from dpcert.audit.limits import look
from dpcert.audit.outside.machine import machine_words, settings_words, somebody_else_is_at_work
from dpcert.audit.outside.watching import unasked
from dpcert.audit.records.reached import reached
from dpcert.audit.scripted.code import Scripted
from dpcert.audit.scripted.others import CodeOpening, NoOthers, ShareAsked, ShareDone, helped_by
from dpcert.audit.scripted.remembered import numpy_words
from dpcert.audit.scripted.shared_questions import QuestionHelper
from dpcert.audit.scripted.shared_states import StateHelper
from dpcert.audit.scripted.unknown import Unknown
from dpcert.audit.workers.calls import Calls, Crew
from dpcert.audit.workers.workers import Workers

GUESSED_THREADS = 8
"""Threads that a scheduler's workers are taken to have when work is divided."""


@frozen
class SharedTarget:
    """A target that another process is to read.

    Attributes:
        target: As it was named.
        parameters: As they were spelled.
        folders: Where it imports from, behind what every interpreter has.
        code: The digest of its code and of all that this can reach.
        machine: On what machine that is.
        settings: What was set of the process.
        numpy: What numpy is made of there.
    """

    target: str
    parameters: tuple[tuple[str, str], ...]
    folders: tuple[str, ...]
    code: str
    machine: tuple[str, ...]
    settings: tuple[str, ...]
    numpy: tuple[str, ...]


@dataclass
class _NumberedCrew:
    """A crew that stays for several lots of calls: no call of one has the number of one of another's."""

    crew: Crew
    begun: int = 0

    def threads(self) -> int:
        return self.crew.threads()

    def submit(self, number: int, asked: Any) -> Any:
        del number
        self.begun += 1
        return self.crew.submit(self.begun, asked)

    def reply(self, number: int, future: Any) -> Any:
        return self.crew.reply(number, future)


@dataclass(eq=False, repr=False)
class OtherProcesses:
    """Those who have read the target of an audit as well.

    Attributes:
        mechanism: What was read here.
        target: How it was named.
        spelled: Its parameters, as they were spelled.
        crew: Begins the processes.
        jobs: How many there are, about.
        say: Takes a line on how far the work is.
        explain: Takes the line that says why runs were not shared.
        dismissed: Whether they are asked nothing more.
    """

    mechanism: Any
    target: str
    spelled: tuple[tuple[str, str], ...]
    crew: Callable[[], Any]
    jobs: int
    say: Callable[[str], None]
    explain: Callable[[str], None]
    dismissed: bool = False
    _place: SharedTarget | None = None
    _crew: _NumberedCrew | None = None
    _answered: bool = False
    _open: ExitStack = field(default_factory=ExitStack)

    def workers(self) -> int:
        """How many work at once, about."""
        return self.jobs

    def done(self, shares: Sequence[ShareAsked]) -> list[ShareDone]:
        """What comes of each share; once one is left, no more are waited for.

        Raises: Stopped: the limit on the work was met. NoOthers: none were found. Unknown: there are none any more.
        """
        with unasked():
            try:
                return self._done(shares)
            except ArgumentError as error:
                if self._answered:
                    raise Unknown(str(error)) from None
                raise NoOthers(error) from None
            except OSError as error:
                raise Unknown(f"no more processes can be had ({error.strerror})") from None
            except RuntimeError as error:  # an executor that has ended
                raise Unknown(one_line(str(error))) from None

    def _done(self, shares: Sequence[ShareAsked]) -> list[ShareDone]:
        if self._crew is None:
            self._place = self._told()
            self._crew = _NumberedCrew(self._open.enter_context(self.crew()))
        crew = self._crew
        calls = Calls(share_made, lambda: nullcontext(crew), _over)
        found: dict[int, ShareDone] = {}
        with closing(calls.replies((self._place, share) for share in shares)) as replies:
            for reply in replies:
                found[reply.number] = ShareDone(left=reply.lost) if reply.lost else reply.answer
                self._answered = True
                self.say(f"running the code in shares: {len(found)} of {len(shares)}")
                if found[reply.number].left:
                    break
        return [found.get(number, ShareDone(left=_why(found))) for number in range(len(shares))]

    def dismiss(self, why: str) -> None:
        """Ends them, and says why."""
        self.dismissed = True
        self.end()
        self.explain(f"runs were not shared: {why}")

    def end(self) -> None:
        """Ends them."""
        with unasked():
            self._open.close()

    def _told(self) -> SharedTarget:
        """What others are to read. Raises: Unknown: it cannot be told from other code."""
        code = reached(_code_of(self.mechanism))
        if code is None:
            raise Unknown("its code leads to what cannot be looked into")
        return SharedTarget(
            self.target, self.spelled, targets.appended(), code, machine_words(), settings_words(), numpy_words()
        )


def _why(found: dict[int, ShareDone]) -> str:
    return next((done.left for done in found.values() if done.left), "a process was lost")


def _over() -> str:
    """Raises: Stopped: the limit on the work in hand was met."""
    look()
    return ""


@contextmanager
def runs_shared(
    mechanism: Any, target: str, spelled: Any, workers: Workers, say: Callable[[str], None] = silent
) -> Iterator[None]:
    """Inside, others run a mechanism's code.

    Args:
        mechanism: What was read from the target.
        target: How it was named.
        spelled: Its parameters, as they were spelled.
        workers: Who was asked for.
        say: Takes lines on how far the work is.
    Raises: ArgumentError: a target that is no code, or workers of a scheduler that cannot be had, or are not set up
        for this.
    """
    asked = f"--jobs {workers.jobs}" if workers.scheduler is None else "--scheduler"
    if not _looks_like_code(mechanism):
        raise ArgumentError(f"Expected code that is run, seeded or scripted, with {asked} but got {one_line(target)}")
    jobs = workers.jobs if workers.scheduler is None else GUESSED_THREADS
    others = OtherProcesses(mechanism, target, tuple(spelled.items()), workers.crew(), jobs, say, workers.say)
    try:
        with helped_by(others, mechanism):
            yield
    except NoOthers as refused:
        raise refused.error from None


def share_made(argument: tuple[SharedTarget, ShareAsked]) -> ShareDone:
    """What a share comes to, in a process that has read the target anew.

    Args:
        argument: The target, and the share.
    """
    place, share = argument
    try:
        return _helper(place, share.opening).done(share)
    except Unknown as why:
        return ShareDone(left=str(why))
    except BaseException as error:  # noqa: BLE001 - whoever asked finds it again, and says it
        return ShareDone(left=f"{type(error).__name__} in another process")


@cache
def _helper(place: SharedTarget, opening: CodeOpening) -> StateHelper | QuestionHelper:
    """The code, as it is read here, which is the same. Raises: Unknown: it is not."""
    for folder in place.folders:
        targets.append_to_path(folder)
    mechanism = targets.find(place.target, dict(place.parameters)).mechanism
    if reached(_code_of(mechanism)) != place.code:
        raise Unknown("what its code can reach is not the same there")
    if machine_words() != place.machine:
        raise Unknown("the machine, or what Python and numpy are there, is another one")
    if numpy_words() != place.numpy:
        raise Unknown("numpy is made of something else there")
    if settings_words() != place.settings:
        raise Unknown("Python's flags, or what it takes for an error, are set otherwise there")
    if somebody_else_is_at_work():
        raise Unknown("its target starts threads or timers, or handles signals")
    helper: StateHelper | QuestionHelper
    if type(mechanism) is Scripted:
        helper = StateHelper(mechanism, opening)
    else:
        code = any_view_of(mechanism)
        if not isinstance(code, Code):
            raise Unknown("it is no code there")
        helper = QuestionHelper(mechanism, code, opening)
    helper.open()
    return helper


def _looks_like_code(mechanism: Any) -> bool:
    """Whether it is code that is run, found without asking for anything of the user's, who could tell."""
    return type(mechanism) is Scripted or all(has_statically(mechanism, name) for name in ("seeds", "respond"))


def _code_of(mechanism: Any) -> Any:
    """What the user wrote of it."""
    return mechanism.factory if type(mechanism) is Scripted else mechanism
