"""Every run of RandBin's own kernel, equal situations merged: what is queued, drawn and released, beside the sums."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from typing import Any, ClassVar, NamedTuple

from dpcert.audit.algebra.common_laws import uniform
from dpcert.audit.kernels.draws import Draw, enumerated
from dpcert.audit.kernels.release import Release
from dpcert.mechanisms.randbin.on_geometric_loads import RandBin, State
from dpcert.mechanisms.randbin.toy_scheduler import ToyScheduler
from dpcert.mechanisms.sums.scheduler import Scheduler

ALPHAS = (Fraction(2), Fraction(3, 2), Fraction(3))
LEVELS = (2, 4, 6)


@dataclass(frozen=True)
class AnyScheduler:
    """Every always-valid, consistent scheduler at once: S[i] is drawn among all values that E and [U..2U] leave.

    Args:
        level: U, even.
        errors: E[1], E[2], ...; the last one goes on. E[0] = 0, and none is smaller than the one before.
    """

    level: int
    errors: tuple[int, ...]
    initial: ClassVar[tuple[int, int]] = (0, 0)

    def error(self, state: tuple[int, int]) -> int:
        """E[i], i loads in."""
        return 0 if state[1] == 0 else self.errors[min(state[1], len(self.errors)) - 1]

    def step(self, state: tuple[int, int], load: int, draw: Draw) -> tuple[Release[int, Any], tuple[int, int]]:
        """State: (S - A, loads so far); past the last error the number of loads does not matter."""
        off, loads = state
        after = min(loads + 1, len(self.errors))
        bound = self.errors[after - 1]
        low, high = max(self.level, load - bound - off), min(2 * self.level, load + bound - off)
        advance = draw(uniform(range(low, high + 1)))
        return Release(advance), (off + advance - load, after)


@dataclass(frozen=True)
class Told:
    """A scheduler that remembers its last release, S[i] - S[i-1], so that a run can be followed."""

    scheduler: Scheduler[Any]

    @property
    def initial(self) -> tuple[Any, int]:
        """Nothing released."""
        return self.scheduler.initial, 0

    def error(self, state: tuple[Any, int]) -> int:
        """The scheduler's own."""
        return self.scheduler.error(state[0])

    def step(self, state: tuple[Any, int], load: int, draw: Draw) -> tuple[Release[int, Any], tuple[Any, int]]:
        """The scheduler's own step."""
        release, after = self.scheduler.step(state[0], load, draw)
        return release, (after, release.visible)  # type: ignore[return-value]


@dataclass(frozen=True)
class Slack(RandBin):
    """RandBin that waits `slack` levels, where the algorithm waits 2, before bin 0 leaves and so before every bin."""

    slack: int = 2

    @property
    def initial(self) -> State:
        """Bin 0 leaves in round slack * U."""
        return self.slack * self.level, 0, 0, self.scheduler.initial


class LoadSums(NamedTuple):
    """Up to bin `bin`: A, the loads' sum; S, the scheduler's; E, its error."""

    bin: int = 0
    loads: int = 0
    noisy: int = 0
    error: int = 0


@dataclass(frozen=True, slots=True)
class Round:
    """One step of a run.

    Attributes:
        t: The step.
        last: The sums up to bin i - 1; those of bin 0 twice while i is 0.
        current: The sums up to bin i, the one that is due before the step.
        since: The step in which bin i - 1 left; 0 while i is 0.
        queued: Events in the queue once the new one is in, before any leaves.
        left: The (start, length) released, None if no bin was seen to leave.
        due: The sums up to the bin that is due after the step, with those up to the bin before it.
        backlog: Events in the queue after the step.
    """

    t: int
    last: LoadSums
    current: LoadSums
    since: int
    queued: int
    left: tuple[int, int] | None
    due: tuple[LoadSums, LoadSums]
    backlog: int

    @property
    def load(self) -> int:
        """C[i]."""
        return self.current.loads - self.last.loads

    def __str__(self) -> str:
        sums = f"A={self.current.loads}, S={self.current.noisy}, E={self.current.error}"
        return f"step {self.t}, bin {self.current.bin}: load {self.load}, {sums}"


def outcomes(step: Callable[[Draw], Any]) -> dict[Any, int]:
    """Every result of a step, all its draws enumerated, with whole weights."""
    return dict(enumerated("RandBin", step)[0])


@cache
def reached(mechanism: RandBin) -> tuple[State, ...]:
    """Every state that is reached at any time, in an order that is always the same."""
    stack, states = [mechanism.initial], {mechanism.initial: None}
    while stack:
        for _, after in outcomes(partial(mechanism.step, stack.pop(), "event")):
            if after not in states:
                states[after] = None
                stack.append(after)
    return tuple(states)


@cache
def rounds(mechanism: RandBin, bins: int) -> tuple[Round, ...]:
    """Every step of every run, merged where all that is told of it agrees, until bin number `bins` has left."""
    teller = replace(mechanism, scheduler=Told(mechanism.scheduler))
    follow = cache(lambda state: tuple(outcomes(lambda draw: teller.step(state, "event", draw))))
    level = {(teller.initial, LoadSums(), LoadSums(), 0)}
    steps: list[Round] = []
    t = 0
    while level:
        t += 1
        longer = set()
        for state, last, current, since in level:
            for release, after in follow(state):
                leaves, following = state[0] == 1, (last, current, since)
                if leaves:
                    sums = _more(current, after, teller.scheduler)
                    following = (current, sums, t)
                steps.append(Round(t, last, current, since, state[2] + 1, release.hidden, following[:2], after[2]))
                if not (leaves and current.bin == bins):
                    longer.add((after, *following))
        level = longer
    return tuple(dict.fromkeys(steps))


def _more(sums: LoadSums, state: State, scheduler: Scheduler[Any]) -> LoadSums:
    """The sums with the load and the release that were just drawn."""
    return LoadSums(sums.bin + 1, sums.loads + state[1], sums.noisy + state[3][1], scheduler.error(state[3]))


def toys(noise: str = "uniform", error: int = 1) -> Iterator[RandBin]:
    """RandBin on the toy scheduler, for every alpha and every level."""
    for level in LEVELS:
        for alpha in ALPHAS:
            yield RandBin(alpha, level, ToyScheduler(level, error, noise))


KERNELS = (*(one for one in toys() if one.level == LEVELS[0] or one.exp_epsilon == ALPHAS[0]),
           RandBin(Fraction(2), 2, ToyScheduler(2, 2, "triangular")),
           *(RandBin(Fraction(2), level, AnyScheduler(level, (1, 2, 4))) for level in LEVELS[:2]))  # fmt: skip
RUNS = (
    "every run to three bins, e^epsilon 2, for U 2 also 3/2 and 3 (a load's support, and so the list of runs, is the "
    "same for each): the toy scheduler with U 2, 4, 6 and E 1, once E 2; any scheduler with U 2, 4 and E[i] = 1, 2, 4"
)


def every_round(mechanisms: tuple[RandBin, ...], bins: int = 3) -> Iterator[tuple[RandBin, Round]]:
    """Every step of every run of each mechanism."""
    return ((mechanism, step) for mechanism in mechanisms for step in rounds(mechanism, bins))


HASTY, SLOW = ((Slack(Fraction(2), 2, ToyScheduler(), slack=slack),) for slack in (1, 3))
"""RandBin with half of its slack, and with half more."""
EXACT = (RandBin(Fraction(2), 2, ToyScheduler(noise="none")),)
"""RandBin whose scheduler adds no noise."""
