"""The mechanism protocols, and the checked view of a mechanism that games are played on.

No base class: a frozen dataclass with the right members is a mechanism.
"""

import traceback
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from dpcert.audit.draws import Draw, enumerated
from dpcert.audit.errors import DpcertError, MechanismError, expected, one_line
from dpcert.audit.pmf import Pmf
from dpcert.audit.release import Release

X = TypeVar("X", bound=Hashable)
Y = TypeVar("Y", bound=Hashable)
S = TypeVar("S", bound=Hashable)
X_contra = TypeVar("X_contra", bound=Hashable, contravariant=True)


class PrefixCore(Protocol[X, Y]):
    """A core whose round-t release has a law given by the inputs x[1..t] alone.

    Fresh randomness and prefix dependence hold by construction. Source: paper.tex, defn:indep_decomp.
    """

    @property
    def alphabet(self) -> tuple[X, ...]:
        """The legal inputs of one round."""
        ...

    def law(self, prefix: tuple[X, ...]) -> Pmf[Y]:
        """The law of y_t given x[1..t]; t = len(prefix), at least 1."""
        ...


class MarkovCore(Protocol[X, Y, S]):
    """A core with a state that is a function of the inputs only, so that positions merge."""

    @property
    def alphabet(self) -> tuple[X, ...]:
        """The legal inputs of one round."""
        ...

    @property
    def initial(self) -> S:
        """The state before round 1."""
        ...

    def advance(self, state: S, x: X) -> S:
        """The state after input x."""
        ...

    def law(self, state: S) -> Pmf[Y]:
        """The law of the release of the round that led to `state`."""
        ...


class Interactive(Protocol[X_contra, Y, S]):
    """A mechanism with a hidden state and, where it feeds another one, a hidden output.

    Source: paper.tex, sec:modular_comp. It names its `alphabet` where it has one; `draw` is its only randomness.
    """

    @property
    def initial(self) -> S:
        """The state before round 1."""
        ...

    def step(self, state: S, x: X_contra, draw: Draw) -> tuple[Release[Y, Any], S]:
        """The release of one round and the state after it."""
        ...


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


def hash_or_refuse(value: object, name: str) -> None:
    """Refuses a value that cannot be a dictionary key."""
    try:
        hash(value)
    except TypeError:
        raise expected(f"a hashable {name}", **{name: value}) from None


def name_of(mechanism: object) -> str:
    """The name a report gives to a mechanism: its class, on one line."""
    return one_line(type(mechanism).__name__)


_AUDIT = Path(__file__).resolve().parent


@contextmanager
def answering(member: str, function: object = None) -> Iterator[None]:
    """Turns whatever the user's `Class.member` raises into one line with the user's file and line.

    Where none of the user's frames is left, the line is where `function` stands.
    """
    try:
        yield
    except MechanismError as error:
        raise MechanismError(f"{error}{place_of(error) or stands(function)}") from error
    except (Exception, SystemExit) as error:
        raise MechanismError(f"{member} raised {_described(error)}{place_of(error) or stands(function)}") from error


def _described(error: BaseException) -> str:
    text = one_line(str(error))
    if isinstance(error, DpcertError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def place_of(error: BaseException) -> str:
    """` (file:line)` of the innermost frame that is neither ours nor a library's; empty if there is none."""
    own = [f for f in traceback.extract_tb(error.__traceback__) if not (_ours(f.filename) or _library(f.filename))]
    return f" ({shown_path(own[-1].filename)}:{own[-1].lineno})" if own else ""


def stands(function: object) -> str:
    """` (file:line)` of a function's definition; empty where it is not known."""
    code = getattr(function, "__code__", None)
    return "" if code is None else f" ({shown_path(code.co_filename)}:{code.co_firstlineno})"


def shown_path(filename: str) -> str:
    """A path relative to the working directory where it lies below it."""
    path = Path(filename)
    try:
        return str(path.resolve().relative_to(Path.cwd().resolve()))
    except ValueError:
        return str(path)


def _ours(filename: str) -> bool:
    return _AUDIT in Path(filename).resolve().parents


def _library(filename: str) -> bool:
    return filename.startswith("<") or "site-packages" in filename or str(Path(traceback.__file__).parent) in filename
