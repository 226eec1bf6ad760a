"""How long events wait under each design of RandBin that keeps one promise: bounds by proof, and live runs beside."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from dpcert.audit.label import in_full, parameters_of
from dpcert.audit.rational import decimal, text
from dpcert.mechanisms.certified import Certified
from dpcert.mechanisms.gaussian_design import randbin_gaussian
from dpcert.mechanisms.live_figures import LiveFigures, live_figures
from dpcert.mechanisms.randbin_paper import RandBinPaper
from dpcert.mechanisms.randbin_sections import Section, section, shown
from dpcert.mechanisms.randbin_sharp import RandBinSharp

POINTS = 40
"""Horizons between 1 and the last that a curve is drawn through."""


@dataclass(frozen=True)
class Promise:
    """What all designs are to keep: delta at e^epsilon over so many events."""

    exp_epsilon: Fraction
    delta: Fraction
    events: int

    def designs(self) -> Iterator[tuple[str, str, Certified]]:
        """(target, in words, mechanism), from the paper's on."""
        e, d, n = self.exp_epsilon, self.delta, self.events
        yield "randbin", "the paper's, closed-form error", RandBinPaper(e, d, "explicit", "uniform", n)
        yield "randbin", "the paper's, error by convolution", RandBinPaper(e, d, "convolution", "uniform", n)
        yield "randbin-sharp", "sharp", RandBinSharp(e, d, "convolution", "sharp", n)
        yield "randbin-gaussian", "Gaussian", randbin_gaussian(e, d, n)


@dataclass(frozen=True)
class Planned:
    """One design: what is proven of it, and what a live run showed, if one was made."""

    target: str
    name: str
    mechanism: Certified
    promise: Promise
    live: LiveFigures | None = None

    @property
    def waiting(self) -> int:
        """The most events that ever wait."""
        return self.mechanism.waiting(self.promise.events)

    @property
    def delta(self) -> Fraction:
        """At least delta at the promised e^epsilon."""
        return self.mechanism.delta_at(self.promise.exp_epsilon)

    @cached_property
    def document(self) -> dict[str, Any]:
        """The row as JSON values."""
        level, live = self.mechanism.level, self.live
        return {
            "target": self.target,
            "name": self.name,
            "parameters": {name: in_full(value) for name, value in parameters_of(self.mechanism).items()},
            "level": level,
            "error": self.mechanism.error_within(self.promise.events),
            "waiting": self.waiting,
            "delay": [2 * level, self.waiting],
            "delta": text(self.delta),
            "live": None if live is None else {
                "events": live.events, "bins": live.bins, "waiting": live.waiting,
                "mean_delay": text(live.mean_delay), "most_delay": live.most_delay,
            },
        }  # fmt: skip


def planned(promise: Promise, live: int | None) -> list[Planned]:
    """Every design, with a live run of so many events each if asked for."""
    made = []
    for target, name, mechanism in promise.designs():
        run = live_figures(mechanism, min(live, promise.events)) if live else None
        made.append(Planned(target, name, mechanism, promise, run))
    return made


def saved(made: Sequence[Planned]) -> str:
    """How much less waits under the best design than under the paper's."""
    first, best = made[0], min(made, key=lambda one: one.waiting)
    before, after = first.waiting, best.waiting
    less = Fraction(100 * (before - after), before)
    words = f"Under the same promise, at most {after} events wait in the {best.name} design, {before} in {first.name}: "
    words += f"{decimal(less, 3)} % less"
    if first.live and best.live and first.live.mean_delay:
        share = 100 * (1 - best.live.mean_delay / first.live.mean_delay)
        words += f"; in live runs an event waited {decimal(share, 3)} % less on average"
    return words + "."


def table(made: Sequence[Planned]) -> Section:
    """All designs in one table, with the curve of their bounds."""
    columns = ("design", "U", "E", "most events waiting", "inclusion delay", "proven δ")
    live = ("live: most waiting", "mean delay", "longest delay")
    some = any(one.live for one in made)
    rows = (_row(one) + (_live(one.live) if some else ()) for one in made)
    words = "Waiting and delay are bounds that no run exceeds; inclusion delay in rounds."
    if some:
        words += " Live figures are of one run each: they estimate, and prove nothing."
    whole = section("Designs", words, columns + live if some else columns, rows)
    return whole | {"figure": _figure(made)}


def _row(one: Planned) -> tuple[str, ...]:
    known = one.document
    delay = f"{known['delay'][0]} to {known['delay'][1]}"
    numbers = (known["level"], known["error"], known["waiting"])
    return (one.name, *map(str, numbers), delay, shown(one.delta))


def _live(live: LiveFigures | None) -> tuple[str, ...]:
    if live is None:
        return ("none",) * 3
    return str(live.waiting), decimal(live.mean_delay), str(live.most_delay)


def _figure(made: Sequence[Planned]) -> dict[str, Any]:
    curves = [
        {
            "name": one.name,
            "points": [[str(n), str(one.mechanism.waiting(n))] for n in _horizons(one.promise.events)],
        }
        for one in made
    ]
    return {"x": "events", "y": "most events waiting", "logarithmic": True, "curves": curves}


def _horizons(events: int) -> list[int]:
    """About POINTS whole numbers up to `events`, evenly spread in their logarithm."""
    steps = [1]
    while steps[-1] < events:
        steps.append(min(events, max(steps[-1] + 1, steps[-1] * 5 // 4)))
    return steps


def profile(made: Sequence[Planned], exp_epsilons: Sequence[Fraction]) -> Section:
    """The proven delta of every design at several e^epsilon."""
    rows = ((text(e), *(shown(one.mechanism.delta_at(e)) for one in made)) for e in exp_epsilons)
    words = "δ that is proven of RandBin's bins and schedule under one event more or less, at any e^ε."
    return section("Proven profiles", words, ("e^ε", *(one.name for one in made)), rows)
