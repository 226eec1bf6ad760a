"""The checked view of a mechanism, every answer of the user's code looked at: what games are played on."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import wraps
from itertools import pairwise
from typing import Any

from dpcert.audit.answering import answering, has, member, name_of, placing, static
from dpcert.audit.draws import Draw, enumerated
from dpcert.audit.errors import MechanismError
from dpcert.audit.identity import held, parts_of, value_of, values_of
from dpcert.audit.label import label
from dpcert.audit.linear import Linear
from dpcert.audit.pmf import Pmf
from dpcert.audit.protocol_kind import lacking, method, refuse_ambiguous
from dpcert.audit.release import HALT, Release


@dataclass(frozen=True, slots=True)
class Kernel:
    """One round from a state under an input: (visible, next state, integer weight); weights sum to `denominator`."""

    entries: tuple[tuple[Hashable, Hashable, int], ...]
    denominator: int


@dataclass
class Core:
    """A PrefixCore or MarkovCore: the state is a function of the inputs, and a law belongs to a state.

    States and inputs are tokens. A core made from a mechanism with hidden state may release HALT, for ever, once it
    has; one of a user may not.
    `linear` is set where the law is additive noise on a weighted sum by the way it is written.
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
    _again: Callable[[Any], object] | None = None
    _known: dict[Hashable, Pmf[Any]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _after: dict[tuple[Any, Any], Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def advance(self, state: Any, x: Any) -> Any:
        """The state after input x, as it was given when it was first asked for."""
        if self._advance is _append:
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
        """(state, input, the state after it) for all that was asked."""
        return [(state, x, after) for (state, x), after in self._after.items()]

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


@dataclass
class Hidden:
    """A mechanism whose state is random and unseen: an Interactive, or code whose seeds are unseen."""

    name: str
    alphabet: tuple[Any, ...]
    initial: Hashable
    horizon: int | None
    _kernel: Callable[[Any, Any], Kernel]
    _again: Callable[[Any, Any], Kernel] | None = None

    def kernel(self, state: Hashable, x: Hashable) -> Kernel:
        """Every release of one round from a state, with the state after it."""
        return self._kernel(state, x)

    def kernel_again(self, state: Hashable, x: Hashable) -> Kernel:
        """The same from a new answer, where `kernel` may remember the first."""
        return (self._again or self._kernel)(state, x)


def enumerated_steps(
    name: str, step: Callable[[Any, Any, Draw], Any], written: object = None, what: str = "step"
) -> Callable[[Any, Any], Kernel]:
    """The kernels of a step, all its draws enumerated; hidden outputs are dropped, for no observer sees them.

    `written` is the user's function, where `step` itself is not; `what` is what it is called.
    """

    def visible(state: Any, x: Any, draw: Draw) -> tuple[Any, Any]:
        release, after = released_by(name, step(value_of(state), value_of(x), draw))
        return held(release.visible, "visible output"), held(after, "state")

    def kernel(state: Hashable, x: Hashable) -> Kernel:
        with answering(f"{name}.{what}", written or step):
            weights, denominator = enumerated(name, lambda draw: visible(state, x, draw))
        return Kernel(tuple((*result, w) for result, w in weights.items()), denominator)  # type: ignore[misc]

    return kernel


def released_by(name: str, answer: object) -> tuple[Release[Any, Any], Any]:
    """A step's answer, if it has the shape of one."""
    if not (isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[0], Release)):
        raise MechanismError(f"Expected {name}.step to return (Release, state) but got {type(answer).__name__}")
    return answer


@dataclass
class Code:
    """A Seeded mechanism: code under explicit seeds. Answers are remembered, and can be asked for again.

    Seeds, inputs and outputs are tokens.
    """

    name: str
    alphabet: tuple[Any, ...]
    horizon: int | None
    _seeds: Callable[[int], object]
    _respond: Callable[[Any, Any], object]
    _answers: dict[tuple[Any, Any], tuple[Any, ...]] = field(default_factory=dict)
    _laws: dict[int, Pmf[tuple[Any, ...]]] = field(default_factory=dict)

    def seeds(self, horizon: int) -> Pmf[tuple[Any, ...]]:
        """The joint law of one seed a round; the first answer."""
        known = self._laws.get(horizon)
        if known is None:
            known = self._laws[horizon] = self.seeds_again(horizon)
        return known

    def seeds_again(self, horizon: int) -> Pmf[tuple[Any, ...]]:
        """A new answer to the question for the law of the seeds."""
        with answering(f"{self.name}.seeds", self._seeds):
            law = self._seeds(horizon)
            if not isinstance(law, Pmf):
                raise MechanismError(f"Expected {self.name}.seeds to return a Pmf but got {type(law).__name__}")
            for seeds in law.support:
                if not (isinstance(seeds, tuple) and len(seeds) == horizon):
                    wanted = f"{self.name}.seeds({horizon}) to give tuples of {horizon} seeds"
                    raise MechanismError(f"Expected {wanted} but got {label(seeds)}")
        return law

    def respond(self, seeds: tuple[Any, ...], stream: tuple[Any, ...]) -> tuple[Any, ...]:
        """The first answer to this question."""
        known = self._answers.get((seeds, stream))
        if known is None:
            known = self._answers[seeds, stream] = self.again(seeds, stream)
        return known

    def again(self, seeds: tuple[Any, ...], stream: tuple[Any, ...]) -> tuple[Any, ...]:
        """A new answer to this question."""
        with answering(f"{self.name}.respond", self._respond):
            given = self._respond(value_of(seeds), values_of(stream))
            if not (type(given) is tuple and len(given) == len(stream)):
                raise MechanismError(
                    f"Expected {self.name}.respond to return a tuple of {len(stream)} outputs but got {label(given)}"
                )
            answer = parts_of(held(given, "output"))
            if any(y is HALT and z is not HALT for y, z in pairwise(answer)):
                raise MechanismError(
                    f"Expected {self.name}.respond to go on with HALT after HALT but got {label(answer)}"
                )
        return answer


View = Core | Hidden
"""A mechanism as games see it, every answer checked."""


def view_of(mechanism: object) -> View:
    """The checked view of a PrefixCore, a MarkovCore or an Interactive.

    Raises: MechanismError: an object that is none of them, or an alphabet that is no tuple of distinct hashable inputs.
    """
    view = any_view_of(mechanism)
    if isinstance(view, Code):
        raise MechanismError(f"Expected a PrefixCore, a MarkovCore or an Interactive but got {view.name}, a Seeded")
    return view


def any_view_of(mechanism: object) -> View | Code:
    """The checked view of a mechanism under any of the protocols.

    Raises: MechanismError: an object that is none of them, or an alphabet that is no tuple of distinct hashable inputs.
    """
    if issubclass(type(mechanism), type):
        raise MechanismError(f"Expected an instance but got the class {label(mechanism)}: call it first")
    with placing(mechanism):
        return _of_one_kind(mechanism)


def _of_one_kind(mechanism: object) -> View | Code:
    subject: Any = mechanism
    name = name_of(mechanism)
    refuse_ambiguous(mechanism)
    if not lacking(mechanism, ("respond", "seeds", "alphabet")):
        return Code(name, _alphabet(subject), _horizon(subject), method(subject, "seeds"), method(subject, "respond"))
    if not lacking(mechanism, ("weights", "noise_law")):
        return _linear(name, subject)
    interactive = has(mechanism, "step")
    needed = ("alphabet", "initial") if interactive else ("alphabet", "law")
    missing = lacking(mechanism, needed)
    if missing:
        other = "`alphabet` and `law` (or `initial` and `step`, or `seeds` and `respond`)"
        wanted = "`alphabet`, `initial` and `step`" if interactive else other
        raise MechanismError(f"Expected a mechanism with {wanted} but got {name} without {' and '.join(missing)}")
    alphabet, horizon = _alphabet(subject), _horizon(subject)
    if not interactive and lacking(mechanism, ("initial", "advance")):
        return Core(name, alphabet, (), horizon, _append, on_values(method(subject, "law"), values_of))
    with answering(f"{name}.initial", static(mechanism, "initial"), type(mechanism)):
        initial = held(subject.initial, "initial")
    if interactive:
        return Hidden(name, alphabet, initial, horizon, enumerated_steps(name, method(subject, "step")))
    advance, law = method(subject, "advance"), method(subject, "law")
    return Core(name, alphabet, initial, horizon, on_values(advance, token="state"), on_values(law))


def on_values(
    function: Callable[..., Any], opened: Callable[[Any], Any] = value_of, token: str | None = None
) -> Callable[..., Any]:
    """The user's function, handed the values that tokens stand for; its answer as a token where that is named."""

    @wraps(function)
    def asked(*tokens: Any) -> Any:
        answer = function(*map(opened, tokens))
        return answer if token is None else held(answer, token)

    return asked


def _linear(name: str, mechanism: Any) -> Core:
    alphabet = _alphabet(mechanism)
    modulus = member(mechanism, "modulus")
    zero = (0,) * len(alphabet[0]) if type(alphabet[0]) is tuple else 0
    linear = Linear(name, zero, modulus, method(mechanism, "weights"), method(mechanism, "noise_law"))
    wrong = [x for x in alphabet if not linear.takes(x)]
    if wrong:
        first = value_of(wrong[0])
        shown = f"alphabet={label(alphabet)}, where {label(first)} is of type {type(first).__name__}"
        raise MechanismError(f"Expected whole numbers (exactly int), or tuples of them of one length, but got {shown}")
    return Core(name, alphabet, (), _horizon(mechanism), _append, linear.after, linear=linear)


def merged(core: Core, horizon: int) -> Core:
    """The same core; where it is linear, with states that hold sums in place of streams."""
    if core.linear is None:
        return core
    linear = core.linear
    return replace(core, initial=linear.start(horizon), _advance=linear.advance(horizon), _law=linear.law)


def core_of(mechanism: object) -> Core:
    """The checked view of a PrefixCore or a MarkovCore."""
    view = view_of(mechanism)
    if not isinstance(view, Core):
        raise MechanismError(f"Expected a PrefixCore or a MarkovCore but got {view.name}, which has hidden state")
    return view


def _append(prefix: tuple[Hashable, ...], x: Hashable) -> tuple[Hashable, ...]:
    return (*prefix, x)


def _alphabet(mechanism: Any) -> tuple[Any, ...]:
    with answering(f"{name_of(mechanism)}.alphabet", static(mechanism, "alphabet"), type(mechanism)):
        inputs = tuple(held(x, "input") for x in mechanism.alphabet)
        if not inputs or len(set(inputs)) < len(inputs):
            shown = label(inputs)
            raise MechanismError(f"Expected an alphabet of distinct inputs, at least one, but got alphabet={shown}")
    return inputs


def _horizon(mechanism: object) -> int | None:
    with answering(f"{name_of(mechanism)}.horizon", static(mechanism, "horizon"), type(mechanism)):
        horizon = member(mechanism, "horizon")
        if horizon is not None and (isinstance(horizon, bool) or not isinstance(horizon, int) or horizon < 1):
            wanted = "a mechanism's horizon to be a whole number of rounds"
            raise MechanismError(f"Expected {wanted} but got horizon={label(horizon)}")
    return horizon
