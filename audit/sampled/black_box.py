"""A mechanism of which only a sampler exists: what a user writes, and the checked view of it, run by run."""

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from dpcert.audit.errors import MechanismError
from dpcert.audit.frozen import frozen
from dpcert.audit.identity import held, value_of
from dpcert.audit.kernels.border import answering, name_of, placing
from dpcert.audit.kernels.code import Code, online
from dpcert.audit.kernels.kernel import Kernel
from dpcert.audit.kernels.label import label
from dpcert.audit.kernels.protocol_kind import lacking, method, spoken
from dpcert.audit.kernels.release import HALT
from dpcert.audit.kernels.view import View, alphabet_of, any_view_of, horizon_of

if TYPE_CHECKING:
    from numpy.random import Generator

X_contra = TypeVar("X_contra", bound=Hashable, contravariant=True)
Y_co = TypeVar("Y_co", bound=Hashable, covariant=True)
Respond = Callable[[Any], Any]
"""Input x_t to output y_t, within one run."""


class Stepper(Protocol[X_contra, Y_co]):
    """y_t = step(x_t) after reset(rng): a sampler that goes round by round. Nothing else is known of it.

    It has an `alphabet` and, if it likes, a `horizon`. All that it draws comes from `rng`, and nothing outlives a run:
    both are tried, and runs that answer otherwise to the same seed end the audit.

    Source: none; ours.
    """

    def reset(self, rng: "Generator") -> None:
        """Begins a run.

        Args:
            rng: A generator of numpy's, the only source of randomness of the run.
        """
        ...

    def step(self, x: X_contra) -> Y_co:
        """y_t, the output of the next round.

        Args:
            x: x_t, of the alphabet.
        Returns: A hashable output; HALT ends the interaction.
        """
        ...


class StreamSampler(Protocol):
    """y[1..t] = sample(x[1..t], rng): a sampler that is a function of inputs and a generator, under an `alphabet`.

    On the beginning of a stream it answers with the beginning of the outputs, from a generator in the same state: that
    is how somebody who adapts is served, and it is tried.

    Source: none; ours.
    """

    def sample(self, inputs: tuple[Any, ...], rng: "Generator") -> tuple[Any, ...]:
        """The outputs of all rounds.

        Args:
            inputs: x[1..t].
            rng: A generator of numpy's, the only source of randomness.
        Returns: t hashable outputs.
        """
        ...


@frozen
class BlackBox:
    """A checked sampler.

    Attributes:
        name: Its class.
        alphabet: Tokens of its inputs.
        horizon: Its own rounds; None without.
        begin: A run, from what gives the same generator each time it is asked.
    """

    name: str
    alphabet: tuple[Any, ...]
    horizon: int | None
    begin: Callable[[Callable[[], "Generator"]], Respond]


def black_box(mechanism: object, rounds: int | None = None) -> BlackBox:
    """The sampler that an object is: by `reset` and `step`, by `sample`, or one made of a mechanism's exact laws.

    Args:
        mechanism: The user's object.
        rounds: The horizon, where it is known by now; code under seeds needs it.
    Raises: MechanismError: an object that is none, or both.
    """
    stepping, sampling = not lacking(mechanism, ("reset", "step")), not lacking(mechanism, ("sample",))
    name = name_of(mechanism)
    with placing(mechanism):
        if issubclass(type(mechanism), type):
            raise MechanismError(f"Expected an instance but got the class {label(mechanism)}: call it first")
        if stepping and sampling:
            raise MechanismError(f"Expected one sampler but got {name} with `sample` as well as `reset` and `step`")
        if not (stepping or sampling):
            return _of_laws(mechanism, name, rounds)
        if lacking(mechanism, ("alphabet",)):
            raise MechanismError(f"Expected a sampler with an `alphabet` but got {name} without")
        alphabet, horizon = alphabet_of(mechanism), horizon_of(mechanism)
    begin = _stepping(mechanism, name) if stepping else _sampling(mechanism, name)
    return BlackBox(name, alphabet, horizon, begin)


def _stepping(mechanism: object, name: str) -> Callable[[Callable[[], "Generator"]], Respond]:
    reset, step = method(mechanism, "reset"), method(mechanism, "step")

    def begin(generator: Callable[[], "Generator"]) -> Respond:
        with answering(f"{name}.reset", reset):
            reset(generator())

        def respond(x: Any) -> Any:
            with answering(f"{name}.step", step):
                return _output(step(value_of(x)))

        return respond

    return begin


def _sampling(mechanism: object, name: str) -> Callable[[Callable[[], "Generator"]], Respond]:
    sample = method(mechanism, "sample")

    def begin(generator: Callable[[], "Generator"]) -> Respond:
        inputs: list[Any] = []
        before: list[Any] = []

        def respond(x: Any) -> Any:
            inputs.append(value_of(x))
            with answering(f"{name}.sample", sample):
                outputs = sample(tuple(inputs), generator())
                answers = [_output(y) for y in _sequence(outputs, len(inputs), name)]
            if list(map(held, answers[:-1])) != list(map(held, before)):
                wanted = f"{name}.sample to begin with the outputs that it gave to the beginning of the inputs"
                raise MechanismError(
                    f"Expected {wanted} but got {label(tuple(answers[:-1]))} for {label(tuple(before))}"
                )
            before.append(answers[-1])
            return answers[-1]

        return respond

    return begin


def _sequence(outputs: Any, rounds: int, name: str) -> list[Any]:
    """One output a round. Raises: MechanismError: another number, or no sequence."""
    try:
        sequence = list(outputs)
    except TypeError:
        raise MechanismError(f"Expected {name}.sample to return one output a round but got {label(outputs)}") from None
    if isinstance(outputs, (str, bytes, dict, set, frozenset)) or len(sequence) != rounds:
        raise MechanismError(f"Expected {name}.sample to return {rounds} outputs in order but got {label(outputs)}")
    return sequence


def _output(y: Any) -> Any:
    """The output, which has an identity. Raises: ArgumentError: it has none."""
    held(y, "output")
    return y


def _of_laws(mechanism: object, name: str, rounds: int | None) -> BlackBox:
    """The sampler of a mechanism whose laws are exact: what it would release, drawn by whole numbers."""
    if not spoken(mechanism):
        wanted = "a sampler with `alphabet`, and `reset` and `step`, or `sample`"
        raise MechanismError(f"Expected {wanted} but got {name}")
    any_view = any_view_of(mechanism)
    horizon = any_view.horizon
    view = online(any_view, rounds or horizon or 1) if isinstance(any_view, Code) else any_view
    known: dict[tuple[Any, Any], Kernel] = {}

    def begin(generator: Callable[[], "Generator"]) -> Respond:
        return _Run(view, generator(), known)

    return BlackBox(name, any_view.alphabet, horizon, begin)


class _Run:
    """One run of a checked view."""

    def __init__(self, view: View, rng: "Generator", known: dict[tuple[Any, Any], Kernel]) -> None:
        self.view, self.rng, self.known, self.state = view, rng, known, view.initial

    def __call__(self, x: Any) -> Any:
        kernel = self.known.get((self.state, x))
        if kernel is None:
            kernel = self.known[self.state, x] = self.view.kernel(self.state, x)
        left = _below(kernel.denominator, self.rng)
        for visible, after, weight in kernel.entries:
            left -= weight
            if left < 0:
                self.state = after
                return value_of(visible)
        raise RuntimeError("weights that do not sum to their denominator")


def _below(bound: int, rng: "Generator") -> int:
    """A whole number below `bound`, each as likely."""
    if bound < 1 << 62:
        return int(rng.integers(bound))
    words = -(-bound.bit_length() // 32)
    while True:
        value = int.from_bytes(rng.bytes(4 * words), "little") >> (32 * words - bound.bit_length())
        if value < bound:
            return value


def halted(y: Any) -> bool:
    """Whether an output ends the interaction."""
    return y is HALT
