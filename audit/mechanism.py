"""The mechanism protocols. No base class: a frozen dataclass with the right members is a mechanism."""

from collections.abc import Hashable
from typing import Any, Protocol, TypeVar

from dpcert.audit.draws import Draw
from dpcert.audit.pmf import Pmf
from dpcert.audit.release import Release

X = TypeVar("X", bound=Hashable)
Y = TypeVar("Y", bound=Hashable)
S = TypeVar("S", bound=Hashable)
W = TypeVar("W", bound=Hashable)
Y_co = TypeVar("Y_co", bound=Hashable, covariant=True)
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


class Seeded(Protocol[X, W, Y_co]):
    """Somebody's code as a function of explicit seeds, one a round; nothing about it is taken for granted.

    Source: paper.tex, defn:indep_decomp (the seeds r = (omega_1, omega_2, ...)).
    """

    @property
    def alphabet(self) -> tuple[X, ...]:
        """The legal inputs of one round."""
        ...

    def seeds(self, horizon: int) -> Pmf[tuple[W, ...]]:
        """The joint law of the seeds of rounds 1 to `horizon`; independence is checked, not assumed."""
        ...

    def respond(self, seeds: tuple[W, ...], stream: tuple[X, ...]) -> tuple[Y_co, ...]:
        """The outputs of all rounds of `stream`, which is at most as long as `seeds`."""
        ...


class LinearCore(Protocol[X]):
    """A core that adds fresh noise to a weighted sum of the inputs so far; its laws are put together by the audit.

    Inputs and noise are whole numbers or tuples of them. An optional `modulus` reduces every coordinate.
    Source: paper.tex, sec:cert (lower-triangular mechanisms).
    """

    @property
    def alphabet(self) -> tuple[X, ...]:
        """The legal inputs of one round."""
        ...

    def weights(self, t: int) -> tuple[int, ...]:
        """b_t: how often each of x_1, ..., x_t counts in round t."""
        ...

    def noise_law(self, t: int) -> Pmf[X]:
        """The law of the noise of round t."""
        ...
