"""The mechanism protocols. No base class: a frozen dataclass with the right members is a mechanism."""

from collections.abc import Hashable
from typing import Any, Protocol, TypeVar

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import Release

X = TypeVar("X", bound=Hashable)
Y = TypeVar("Y", bound=Hashable)
S = TypeVar("S", bound=Hashable)
W = TypeVar("W", bound=Hashable)
N = TypeVar("N", bound=Hashable)
Y_co = TypeVar("Y_co", bound=Hashable, covariant=True)
X_contra = TypeVar("X_contra", bound=Hashable, contravariant=True)
Y_contra = TypeVar("Y_contra", bound=Hashable, contravariant=True)


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

    Inputs, weights and noise are whole numbers, exactly of type int, or tuples of them; no other number will do, for
    sums of it may round. An optional `modulus` reduces every coordinate. That common inputs change no curve holds by
    form in each round in which `weights` and `noise_law` answer like this, the same whenever asked; an audit asks twice
    for the rounds of its horizon (with horizon "inf" for 64 at least), and says that it takes later ones for granted.
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


class OutputRelation(Protocol[S, Y_contra]):
    """A neighbouring relation on hidden outputs, as an automaton that reads inputs and outputs round by round."""

    @property
    def name(self) -> str:
        """The name that a report gives it."""
        ...

    @property
    def initial(self) -> S:
        """The state before round 1."""
        ...

    def after(self, state: S, items: tuple[Any, Any], bins: tuple[Y_contra | None, Y_contra | None]) -> S | None:
        """The state after a round's inputs and outputs of both streams; None where they are no longer neighbours."""
        ...


class NeighborPreserving(Interactive[X_contra, Y, S], Protocol[X_contra, Y, S, N]):
    """An Interactive that also knows its neighbour-preserving paired simulation: in each branch, both hidden outputs.

    Inputs arrive as pairs under EDIT, each item once. In branch b the simulation draws first what `step` draws on the
    inputs of stream b, in the same order, and releases what `step` releases, with a hidden output for the other stream
    beside it; then it may draw more. An audit checks all of it, and `outputs` after every round. An optional
    `bound(horizon, budget)` gives a power function that is proven never to be exceeded. An optional `guarantee` is a
    promise (e^epsilon, delta), two rationals, e^epsilon at least 1 and delta in [0, 1]: the exact curve is held against
    it as well. Source: paper.tex, def:npp.
    """

    @property
    def simulation(self) -> N:
        """The simulation's state before round 1."""
        ...

    @property
    def outputs(self) -> OutputRelation[Any, Any]:
        """The relation that both hidden outputs keep."""
        ...

    def simulate(
        self, branch: int, state: N, pair: tuple[X_contra, X_contra], draw: Draw
    ) -> tuple[Release[Y, tuple[Any, Any]], N]:
        """One round in branch 0 or 1: the visible output, and the hidden outputs of stream 0 and of stream 1."""
        ...
