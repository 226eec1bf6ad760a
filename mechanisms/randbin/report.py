"""What a report of RandBin adds: when bins leave, which of them an edit touches, how long events wait."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.common_laws import point
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.rational import text
from dpcert.audit.budget import Budget
from dpcert.audit.kernels.draws import Draw, enumerated
from dpcert.audit.records.section import Section, section, shown
from dpcert.mechanisms.randbin.bound import bins_within, load_power
from dpcert.mechanisms.randbin.state import Bin, RandBinParts, State

SLOPES = tuple(Fraction(e) for e in (1, 2, 4, 8))


Expected = dict[int, Fraction]
"""A number -> its probability, or the expected number of events with it."""


@dataclass
class Forward:
    """The run of a RandBin played forwards, every outcome of every draw with its probability.

    Attributes:
        left: Bin number -> round -> probability that it leaves then.
        delays: Rounds from an event's arrival to its bin's leaving -> expected number of such events.
        backlogs: Events waiting after the last round -> probability.
    """

    left: dict[int, Expected] = field(default_factory=dict)
    delays: Expected = field(default_factory=dict)
    backlogs: Expected = field(default_factory=dict)


def forward(mechanism: RandBinParts, horizon: int, budget: Budget) -> Forward:
    """Plays `horizon` rounds. Events are told apart by their round of arrival alone.

    Raises: Stopped: the time is over.
    """
    schedule = Forward()
    steps = _steps(mechanism)
    law: dict[tuple[State, int], Fraction] = {(mechanism.initial, 0): Fraction(1)}
    for round_ in range(1, horizon + 1):
        budget.check()
        following: dict[tuple[State, int], Fraction] = {}
        for (state, bins), mass in law.items():
            for slice_, after, odds in steps(state):
                share = mass * odds
                if slice_ is not None:
                    start, length = slice_
                    _add(schedule.left.setdefault(bins + 1, {}), round_, share)
                    for delay in range(start - 1, start - 1 - length, -1):
                        _add(schedule.delays, delay, share)
                key = after, bins + (slice_ is not None)
                following[key] = following.get(key, Fraction(0)) + share
        law = following
    for (state, _), mass in law.items():
        _add(schedule.backlogs, state[2], mass)
    return schedule


def _steps(mechanism: RandBinParts) -> Callable[[State], list[tuple[Bin | None, State, Fraction]]]:
    """(bin that leaves, next state, probability) for every outcome of a round; rounds without draws are counted."""
    table: dict[State, list[tuple[Bin | None, State, Fraction]]] = {}

    def steps(state: State) -> list[tuple[Bin | None, State, Fraction]]:
        if state[0] > 1:
            return [(None, mechanism.waited(state, 1), Fraction(1))]
        if state not in table:

            def step(draw: Draw) -> tuple[Bin | None, State]:
                release, after = mechanism.step(state, None, draw)
                return release.hidden, after

            outcomes, total = enumerated("RandBin", step)
            pairs: Any = outcomes
            table[state] = [(slice_, after, Fraction(w, total)) for (slice_, after), w in pairs.items()]
        return table[state]

    return steps


def _add(to: Expected, key: int, share: Fraction) -> None:
    to[key] = to.get(key, Fraction(0)) + share


def sections(mechanism: RandBinParts, horizon: int, budget: Budget) -> list[Section]:
    """Schedule, affected bins, waiting: exact, over `horizon` rounds. Raises: Stopped: the time is over."""
    forward_play = forward(mechanism, horizon, budget)
    return [
        _shares(mechanism, horizon, budget),
        section(
            "Schedule",
            f"When bins leave within {horizon} rounds. All of it is visible.",
            ("bin", "earliest round", "latest round", f"leaves by round {horizon}"),
            (
                (bin_, min(rounds), max(rounds), shown(sum(rounds.values(), Fraction(0))))
                for bin_, rounds in forward_play.left.items()
            ),
        ),
        section(
            "Affected bins",
            "The bin that holds the event of a round. An item more or less there touches this bin and the next.",
            ("edit in round", "first affected bin"),
            ((t, _law(holding(mechanism.loads, t))) for t in range(1, horizon + 1)),
        ),
        section(
            "Inclusion delay",
            f"Rounds from an event's arrival to its bin, over the bins that leave within {horizon} rounds.",
            ("delay", "expected events"),
            ((delay, shown(forward_play.delays[delay])) for delay in sorted(forward_play.delays)),
        ),
        section(
            "Backlog",
            f"Events that wait for a bin after round {horizon}.",
            ("events", "probability"),
            ((events, shown(forward_play.backlogs[events])) for events in sorted(forward_play.backlogs)),
        ),
    ]


def _shares(mechanism: RandBinParts, horizon: int, budget: Budget) -> Section:
    """What the proof allows the load and the scheduler to give away, and both together."""
    bins = bins_within(mechanism.scheduler, mechanism.level, horizon)
    load = load_power(mechanism.loads)
    scheduler = mechanism.scheduler_curve(bins, budget)
    curves = load, scheduler, load.tensor(scheduler)
    return section(
        "Budget",
        f"A load shifted by 1, and the scheduler over {bins} loads of which one is off by 1.",
        ("e^ε", "load δ", "scheduler δ", "both δ"),
        ((text(e), *(shown(curve.delta(e)) for curve in curves)) for e in SLOPES),
    )


def holding(loads: Pmf[int], t: int) -> Pmf[int]:
    """The law of the number of the bin that holds the event of round t: bins are filled in the order of arrival."""
    bins: Pmf[tuple[int, int]] = point((0, 0))
    while any(total < t for _, total in bins.support):
        parts = ((mass, _filled(loads, bin_, total, t)) for (bin_, total), mass in bins.items())
        bins = Pmf.mix(parts)
    return bins.map(lambda pair: pair[0])


def _filled(loads: Pmf[int], bin_: int, total: int, t: int) -> Pmf[tuple[int, int]]:
    """(bin, sum of the loads up to it), one bin further unless it holds event t."""
    return point((bin_, total)) if total >= t else loads.map(lambda z: (bin_ + 1, total + z))


def _law(law: Pmf[int]) -> str:
    return ", ".join(f"{bin_} ({shown(mass)})" for bin_, mass in sorted(law.items()))
