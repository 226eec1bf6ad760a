"""The checked view of a mechanism, every answer of the user's code looked at: what games are played on."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from dpcert.audit.answering import answering, hash_or_refuse, name_of
from dpcert.audit.draws import Draw, enumerated
from dpcert.audit.errors import MechanismError
from dpcert.audit.pmf import Pmf
from dpcert.audit.release import Release


@dataclass(frozen=True, slots=True)
class Kernel:
    """One round from a state under an input: (visible, next state, integer weight); weights sum to `denominator`."""

    entries: tuple[tuple[Hashable, Hashable, int], ...]
    denominator: int


@dataclass
class Core:
    """A PrefixCore or MarkovCore: the state is a function of the inputs, and a law belongs to a state."""

    name: str
    alphabet: tuple[Any, ...]
    initial: Hashable
    horizon: int | None
    _advance: Callable[[Any, Any], Hashable]
    _law: Callable[[Any], object]

    def advance(self, state: Hashable, x: Hashable) -> Hashable:
        """The state after input x."""
        with answering(f"{self.name}.advance", self._advance):
            after = self._advance(state, x)
            hash_or_refuse(after, "state")
        return after

    def law(self, state: Hashable) -> Pmf[Any]:
        """The law of the release in `state`."""
        with answering(f"{self.name}.law", self._law):
            law = self._law(state)
            if not isinstance(law, Pmf):
                raise MechanismError(f"Expected {self.name}.law to return a Pmf but got {type(law).__name__}")
        return law

    def kernel(self, state: Hashable, x: Hashable) -> Kernel:
        """Every outcome of the law leads to the same state."""
        after = self.advance(state, x)
        weights, denominator = self.law(after).integer_weights()
        return Kernel(tuple((y, after, w) for y, w in weights.items()), denominator)


@dataclass
class Hidden:
    """An Interactive: the state is random and unseen."""

    name: str
    alphabet: tuple[Any, ...]
    initial: Hashable
    horizon: int | None
    _step: Callable[[Any, Any, Draw], Any]

    def kernel(self, state: Hashable, x: Hashable) -> Kernel:
        """All draws enumerated; hidden outputs are dropped, for an observer does not see them."""
        with answering(f"{self.name}.step", self._step):
            weights, denominator = enumerated(self.name, lambda draw: self._visible(state, x, draw))
        return Kernel(tuple((*result, w) for result, w in weights.items()), denominator)  # type: ignore[misc]

    def _visible(self, state: Hashable, x: Hashable, draw: Draw) -> tuple[Hashable, Hashable]:
        release, after = released_by(self.name, self._step(state, x, draw))
        return release.visible, after


def released_by(name: str, answer: object) -> tuple[Release[Any, Any], Hashable]:
    """The checked answer of a step."""
    if not (isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[0], Release)):
        raise MechanismError(f"Expected {name}.step to return (Release, state) but got {type(answer).__name__}")
    release, after = answer
    hash_or_refuse(release.visible, "visible output")
    hash_or_refuse(after, "state")
    return release, after


View = Core | Hidden
"""A mechanism as games see it, every answer checked."""


def view_of(mechanism: object) -> View:
    """The checked view of a PrefixCore, a MarkovCore or an Interactive.

    Raises: MechanismError: an object that is none of them, or an alphabet that is no tuple of distinct hashable inputs.
    """
    if isinstance(mechanism, type):
        raise MechanismError(f"Expected an instance but got the class {mechanism.__name__}: call it first")
    subject: Any = mechanism
    name = name_of(mechanism)
    interactive = hasattr(mechanism, "step")
    needed = ("alphabet", "initial") if interactive else ("alphabet", "law")
    missing = [member for member in needed if not hasattr(mechanism, member)]
    if missing:
        has = "`alphabet`, `initial` and `step`" if interactive else "`alphabet` and `law` (or `initial` and `step`)"
        raise MechanismError(f"Expected a mechanism with {has} but got {name} without {' and '.join(missing)}")
    alphabet, horizon = _alphabet(subject), _horizon(subject)
    if not interactive and not (hasattr(subject, "initial") and hasattr(subject, "advance")):
        return Core(name, alphabet, (), horizon, _append, subject.law)
    with answering(f"{name}.initial"):
        initial = subject.initial
        hash_or_refuse(initial, "initial")
    if interactive:
        return Hidden(name, alphabet, initial, horizon, subject.step)
    return Core(name, alphabet, initial, horizon, subject.advance, subject.law)


def core_of(mechanism: object) -> Core:
    """The checked view of a PrefixCore or a MarkovCore."""
    view = view_of(mechanism)
    if not isinstance(view, Core):
        raise MechanismError(f"Expected a PrefixCore or a MarkovCore but got {view.name}, which has hidden state")
    return view


def _append(prefix: tuple[Hashable, ...], x: Hashable) -> tuple[Hashable, ...]:
    return (*prefix, x)


def _alphabet(mechanism: Any) -> tuple[Any, ...]:
    with answering(f"{name_of(mechanism)}.alphabet"):
        inputs = tuple(mechanism.alphabet)
        for x in inputs:
            hash_or_refuse(x, "input")
    if not inputs or len(set(inputs)) < len(inputs):
        raise MechanismError(f"Expected an alphabet of distinct inputs, at least one, but got alphabet={inputs!r}")
    return inputs


def _horizon(mechanism: object) -> int | None:
    with answering(f"{name_of(mechanism)}.horizon"):
        horizon = getattr(mechanism, "horizon", None)
    if horizon is not None and (isinstance(horizon, bool) or not isinstance(horizon, int) or horizon < 1):
        raise MechanismError(f"Expected a mechanism's horizon to be a whole number of rounds but got {horizon!r}")
    return horizon
