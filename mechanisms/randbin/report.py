"""What a report of RandBin adds: when bins leave, which of them an edit touches, how long events wait."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from math import lcm
from typing import cast

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
    schedule, steps = Forward(), _steps(mechanism)
    law, over = {(mechanism.initial, 0): 1}, 1
    for round_ in range(1, horizon + 1):
        budget.check()
        ways = [(mass, bins, *steps(state)) for (state, bins), mass in law.items()]
        scale = lcm(*(total for _, _, _, total in ways))
        following, left, delays = Counter[tuple[State, int]](), Counter[int](), Counter[int]()
        for mass, bins, outcomes, total in ways:
            for (slice_, after), weight in outcomes.items():
                share = mass * weight * (scale // total)
                following[after, bins + (slice_ is not None)] += share
                if slice_ is not None:
                    start, length = slice_
                    left[bins + 1] += share
                    for delay in range(start - length, start):
                        delays[delay] += share
        law, over = dict(following), over * scale
        for bin_, share in left.items():
            schedule.left.setdefault(bin_, {})[round_] = Fraction(share, over)
        for delay, share in delays.items():
            schedule.delays[delay] = schedule.delays.get(delay, Fraction(0)) + Fraction(share, over)
    waiting = Counter[int]()
    for (state, _), mass in law.items():
        waiting[state[2]] += mass
    schedule.backlogs = {events: Fraction(mass, over) for events, mass in waiting.items()}
    return schedule


Outcomes = Mapping[tuple[Bin | None, State], int]
"""(bin that leaves, next state) -> weight."""


def _steps(mechanism: RandBinParts) -> Callable[[State], tuple[Outcomes, int]]:
    """The outcomes of a round from a state, and the sum of their weights; rounds without draws are counted."""
    table: dict[State, tuple[Outcomes, int]] = {}

    def steps(state: State) -> tuple[Outcomes, int]:
        if state[0] > 1:
            return {(None, mechanism.waited(state, 1)): 1}, 1
        if state not in table:

            def step(draw: Draw) -> tuple[Bin | None, State]:
                release, after = mechanism.step(state, None, draw)
                return release.hidden, after

            outcomes, total = enumerated("RandBin", step)
            table[state] = cast(Outcomes, outcomes), total
        return table[state]

    return steps


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
            ((t, _law(law)) for t, law in enumerate(holdings(mechanism.loads, horizon), 1)),
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


def holdings(loads: Pmf[int], horizon: int) -> list[Expected]:
    """The laws of the number of the bin that holds the event of a round, from round 1 on: bins are filled in the order
    of arrival, so it is the first bin whose load and those before it add up to the round or more."""
    weights, unit = loads.token_weights()
    laws: list[Expected] = [{} for _ in range(horizon)]
    sums, over, bin_ = Counter({0: 1}), 1, 0
    fewer = [1] * horizon
    while sums:
        longer = Counter[int]()
        for total, mass in sums.items():
            for load, weight in weights.items():
                if total + load < horizon:
                    longer[total + load] += mass * weight
        over, bin_ = over * unit, bin_ + 1
        still_fewer = list(accumulate(longer[total] for total in range(horizon)))
        for law, before, after in zip(laws, fewer, still_fewer, strict=True):
            if before * unit > after:
                law[bin_] = Fraction(before * unit - after, over)
        sums, fewer = longer, still_fewer
    return laws


def _law(law: Expected) -> str:
    return ", ".join(f"{bin_} ({shown(mass)})" for bin_, mass in sorted(law.items()))
