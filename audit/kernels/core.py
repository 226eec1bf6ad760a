"""The checked view of a core: its state is a function of the inputs, and a law belongs to a state."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import MechanismError
from dpcert.audit.kernels.border import answering
from dpcert.audit.kernels.kernel import Kernel
from dpcert.audit.kernels.label import label
from dpcert.audit.kernels.linear import Linear
from dpcert.audit.kernels.release import HALT


@dataclass
class Core:
    """A PrefixCore or MarkovCore: the state is a function of the inputs, and a law belongs to a state.

    States and inputs are tokens. A core made from a mechanism with hidden state may release HALT, for ever, once it
    has; one of a user may not.
    `linear` is set where the law is additive noise on a weighted sum by the way it is written. `whole` is set where
    states that cannot be told apart within a horizon were merged: the core in which they are not.
    """

    name: str
    alphabet: tuple[Any, ...]
    initial: Hashable
    horizon: int | None
    _advance: Callable[[Any, Any], Hashable]
    _law: Callable[[Any], object]
    describe: Callable[[Any], str] = label
    may_halt: bool = False
    linear: Linear | None = None
    whole: "Core | None" = None
    _again: Callable[[Any], object] | None = None
    _known: dict[Hashable, Pmf[Any]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _after: dict[tuple[Any, Any], Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def tells_prefixes_apart(self) -> bool:
        """Whether every two prefixes are two states, as where a mechanism names none and its laws are taken as such."""
        return self._advance is append and self.linear is None

    def advance(self, state: Any, x: Any) -> Any:
        """The state after input x, as it was given when it was first asked for."""
        if self._advance is append:
            return (*state, x)
        known = self._after.get((state, x), self)
        if known is self:
            known = self._after[state, x] = self.advance_again(state, x)
        return known

    def advance_again(self, state: Any, x: Any) -> Any:
        """A new answer to the question for the state after input x."""
        with answering(f"{self.name}.advance", self._advance):
            return self._advance(state, x)

    def steps(self) -> list[tuple[Any, Any, Any]]:
        """(state, input, the state after it) for all that was asked of the mechanism."""
        return [] if self.whole is not None else [(state, x, after) for (state, x), after in self._after.items()]

    def laws(self) -> Iterable[tuple[Any, Pmf[Any]]]:
        """Every law that was asked of the mechanism, each by its state."""
        return (self if self.whole is None else self.whole)._known.items()

    def law(self, state: Hashable) -> Pmf[Any]:
        """The law of the release in `state`, as it was given when it was first asked for."""
        known = self._known.get(state)
        if known is None:
            known = self._known[state] = self._asked(self._law, state)
        return known

    def law_again(self, state: Hashable) -> Pmf[Any]:
        """A new answer to the question for the law in `state`."""
        return self._asked(self._again or self._law, state)

    def _asked(self, answer: Callable[[Any], object], state: Hashable) -> Pmf[Any]:
        with answering(f"{self.name}.law", self._law):
            law = answer(state)
            if not isinstance(law, Pmf):
                raise MechanismError(f"Expected {self.name}.law to return a Pmf but got {type(law).__name__}")
            if law.probability(HALT) and not self.may_halt:
                raise MechanismError(f"Expected {self.name}.law to go on but got HALT: what halts is an Interactive")
        return law

    def kernel(self, state: Hashable, x: Hashable) -> Kernel:
        """Every outcome of the law leads to the same state."""
        return self._released(self.law, state, x)

    def kernel_again(self, state: Hashable, x: Hashable) -> Kernel:
        """The kernel from a new answer."""
        return self._released(self.law_again, state, x)

    def _released(self, law: Callable[[Hashable], Pmf[Any]], state: Hashable, x: Hashable) -> Kernel:
        after = self.advance(state, x)
        weights, denominator = law(after).token_weights()
        return Kernel(tuple((y, after, w) for y, w in weights.items()), denominator)


def merged(core: Core, horizon: int) -> Core:
    """The same core; where it is linear, with states that hold sums in place of streams."""
    if core.linear is None:
        return core
    linear = core.linear
    return replace(core, initial=linear.start(horizon), _advance=linear.advance(horizon), _law=linear.law)


def append(prefix: tuple[Hashable, ...], x: Hashable) -> tuple[Hashable, ...]:
    """The inputs so far, which are the state where a mechanism names none."""
    return (*prefix, x)
