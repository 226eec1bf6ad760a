"""Whether the kernels that an audit was given are those of live runs: a memory may show in the order of its questions
alone, and then live runs go alike, here and in fresh processes, and are not what was audited."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.rational import text
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.hidden import Hidden
from dpcert.audit.kernels.kernel import Given, Kernel
from dpcert.audit.kernels.label import label
from dpcert.audit.steadiness.compared import Difference
from dpcert.audit.steadiness.live_runs import Choices, StepTaken

Probabilities = dict[tuple[Any, Any], Fraction]
"""Of what is visible and the state after it."""


@dataclass(eq=False)
class _Met:
    """Steps of live runs that stood at one place, and what they come to.

    Attributes:
        taken: The outcomes of their draws.
        outcomes: The probabilities of what they led to.
        published: The same with all that is published in view.
    """

    taken: set[Choices] = field(default_factory=set)
    outcomes: Probabilities = field(default_factory=dict)
    published: Probabilities = field(default_factory=dict)

    def add(self, step: StepTaken) -> None:
        """One more step."""
        if step.taken not in self.taken:
            self.taken.add(step.taken)
            self.outcomes[step.outcome] = self.outcomes.get(step.outcome, Fraction(0)) + step.weight
            if step.published is not None:
                shown = step.published[1]
                self.published[shown] = self.published.get(shown, Fraction(0)) + step.weight


@dataclass(eq=False)
class GivenKernels:
    """The kernels that an audit was given, held against live runs, step by step.

    Attributes:
        view: What gave them.
    """

    view: Core | Hidden
    _met: dict[tuple[tuple[Any, ...], Choices], _Met] = field(default_factory=dict)
    _known: dict[int, tuple[Kernel, Probabilities]] = field(default_factory=dict)

    def differs(self, stream: tuple[Any, ...], steps: Sequence[StepTaken]) -> Difference | None:
        """The first step of a run that was not to be expected: of a release or a state that no kernel has there, or the
        last of all steps of its place, where these come to another kernel."""
        for at, step in enumerate(steps, 1):
            met = self._met.setdefault((stream[:at], step.before), _Met())
            met.add(step)
            given = self.view.given if isinstance(self.view, Hidden) else None
            words = self._otherwise(given, step.asked, step.outcome, met.outcomes)
            if words is None and step.published is not None:
                words = self._otherwise(self.view.published, *step.published, met.published)
            if words is not None:
                return Difference(stream[:at], at, *words)
        return None

    def _otherwise(
        self, given: Given | None, asked: tuple[Any, Any], outcome: tuple[Any, Any], live: Probabilities
    ) -> tuple[str, str] | None:
        """A kernel that was given of a state and an input and what live runs have there, in words, if they differ."""
        for kernel in (given or {}).get(asked, []):
            known = self._probabilities(kernel)
            if outcome not in known or (known != live and sum(live.values()) == 1):
                return _in_words(known), _in_words(live)
        return None

    def _probabilities(self, kernel: Kernel) -> Probabilities:
        if id(kernel) not in self._known:
            listed: Probabilities = {}
            for visible, after, w in kernel.entries:
                listed[visible, after] = listed.get((visible, after), Fraction(0)) + Fraction(w, kernel.denominator)
            self._known[id(kernel)] = kernel, listed
        return self._known[id(kernel)][1]


def _in_words(kernel: Probabilities) -> str:
    return ", ".join(f"{label(visible)} and {label(after)}: {text(p)}" for (visible, after), p in kernel.items())
