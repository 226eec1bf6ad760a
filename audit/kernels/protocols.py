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
    """P(y_t | x[1..t]): a core whose round-t release has a law given by the inputs up to round t alone.

    Fresh randomness and prefix dependence hold by construction. A `horizon` is its own number of rounds, where it has
    one; `null` its own null input.

    Source: paper.tex, defn:indep_decomp.

    >>> from fractions import Fraction
    >>> from dpcert import bernoulli
    >>> class NoisyBit:
    ...     alphabet = (0, 1)
    ...     def law(self, prefix):
    ...         return bernoulli(Fraction(1 + 2 * prefix[-1], 4))
    >>> NoisyBit().law((0, 1))
    Pmf({0: 1/4, 1: 3/4})
    """

    @property
    def alphabet(self) -> tuple[X, ...]:
        """The legal inputs of one round, distinct and hashable, at least one."""
        ...

    def law(self, prefix: tuple[X, ...]) -> Pmf[Y]:
        """P(y_t | x[1..t]), the law of the release of round t = len(prefix).

        Args:
            prefix: x[1..t], at least one input.
        Returns: The same law whenever it is asked for.
        """
        ...


class MarkovCore(Protocol[X, Y, S]):
    """P(y_t | s_t), s_t = advance(s_{t-1}, x_t): a core with a state that inputs alone make, so that positions merge.

    Source: paper.tex, defn:indep_decomp, where equal states have equal laws from then on.

    >>> from fractions import Fraction
    >>> from dpcert import bernoulli
    >>> class NoisyParity:
    ...     alphabet, initial = (0, 1), 0
    ...     def advance(self, state, x):
    ...         return (state + x) % 2
    ...     def law(self, state):
    ...         return bernoulli(Fraction(1 + 2 * state, 4))
    >>> parity = NoisyParity()
    >>> parity.law(parity.advance(parity.initial, 1))
    Pmf({0: 1/4, 1: 3/4})
    """

    @property
    def alphabet(self) -> tuple[X, ...]:
        """The legal inputs of one round, distinct and hashable, at least one."""
        ...

    @property
    def initial(self) -> S:
        """s_0, the state before round 1, hashable."""
        ...

    def advance(self, state: S, x: X) -> S:
        """s_t, the state after one more input.

        Args:
            state: s_{t-1}.
            x: x_t, of the alphabet.
        Returns: A state, hashable, the same whenever it is asked for.
        """
        ...

    def law(self, state: S) -> Pmf[Y]:
        """P(y_t | s_t), the law of the release of the round that led to `state`.

        Args:
            state: s_t, after at least one input.
        Returns: The same law whenever it is asked for.
        """
        ...


class Interactive(Protocol[X_contra, Y, S]):
    """(v_t, y_t), s_t ~ step(s_{t-1}, x_t): a mechanism with hidden state and, where it feeds another, hidden output.

    It names its `alphabet` where it has one; `draw` is its only randomness.

    Source: paper.tex, sec:modular_comp.

    >>> from dpcert import Release, Session, uniform
    >>> class SecretPad:
    ...     alphabet, initial = (0, 1), None
    ...     def step(self, state, x, draw):
    ...         pad = draw(uniform((0, 1))) if state is None else state
    ...         return Release(x ^ pad), pad
    >>> run = Session(SecretPad(), draws=(1,))
    >>> run.send(0).visible, run.send(1).visible
    (1, 0)
    """

    @property
    def initial(self) -> S:
        """s_0, the state before round 1, hashable."""
        ...

    def step(self, state: S, x: X_contra, draw: Draw) -> tuple[Release[Y, Any], S]:
        """The release of round t, and the state after it.

        Args:
            state: s_{t-1}.
            x: x_t, of the alphabet.
            draw: Gives an outcome of any law, independent of all before.
        Returns: (the release, s_t).
        """
        ...


class Seeded(Protocol[X, W, Y_co]):
    """y[1..t] = respond(omega[1..T], x[1..t]): code as a function of seeds, one a round. Nothing else is assumed.

    Source: paper.tex, defn:indep_decomp (the seeds r = (omega_1, omega_2, ...)).

    >>> from dpcert import point
    >>> class Echo:
    ...     alphabet = (0, 1)
    ...     def seeds(self, horizon):
    ...         return point((0,) * horizon)
    ...     def respond(self, seeds, stream):
    ...         return tuple(x ^ omega for x, omega in zip(stream, seeds))
    >>> Echo().respond((0, 0), (1, 0))
    (1, 0)
    """

    @property
    def alphabet(self) -> tuple[X, ...]:
        """The legal inputs of one round, distinct and hashable, at least one."""
        ...

    def seeds(self, horizon: int) -> Pmf[tuple[W, ...]]:
        """The joint law of (omega_1, ..., omega_T); that they are independent is checked, not assumed.

        Args:
            horizon: T, rounds.
        Returns: A law on tuples of T seeds.
        """
        ...

    def respond(self, seeds: tuple[W, ...], stream: tuple[X, ...]) -> tuple[Y_co, ...]:
        """(y_1, ..., y_t), the outputs of all rounds of a stream.

        Args:
            seeds: omega[1..T].
            stream: x[1..t], t at most T.
        Returns: t outputs, hashable.
        """
        ...


class LinearCore(Protocol[X]):
    """y_t = <b_t, x[1..t]> + z_t: a core of fresh noise on a weighted sum; the audit puts its laws together.

    Inputs, weights and noise are whole numbers, exactly of type int, or tuples of them; no other number will do, for
    sums of it may round. An optional `modulus` reduces every coordinate. That common inputs change no curve holds by
    form in each round in which `weights` and `noise_law` answer like this, the same whenever asked; an audit asks twice
    for the rounds of its horizon (with horizon "inf" for 64 at least), and says that it takes later ones for granted.
    An optional `stretches(t)` gives the weights other than 0 as triples (first round, last round, weight), in order;
    then these are what runs, `weights` is held against them in 64 rounds, and horizons may be as long as 2^20 rounds.
    An optional `progressions()` tells all rounds at once, with or without the rest: tuples (first round, last round or
    None, step, ((near, far or None, weight), ...), law of the noise), by which rounds first, first + step, ... weigh
    the inputs of `far` up to `near` rounds before, with None from round 1 on. Each round is in one of them. Then these
    are what runs, nothing is asked round by round, and 2^20 rounds take no longer than 200.

    Source: paper.tex, sec:cert (lower-triangular mechanisms).

    >>> from dpcert import from_weights
    >>> class NoisySums:
    ...     alphabet = (0, 1)
    ...     def weights(self, t):
    ...         return (1,) * t
    ...     def noise_law(self, t):
    ...         return from_weights({-1: 1, 0: 2, 1: 1})
    >>> NoisySums().weights(3)
    (1, 1, 1)
    """

    @property
    def alphabet(self) -> tuple[X, ...]:
        """The legal inputs of one round: distinct ints, or tuples of ints of one length."""
        ...

    def weights(self, t: int) -> tuple[int, ...]:
        """b_t, how often each of x_1, ..., x_t counts in round t.

        Args:
            t: The round, from 1.
        Returns: t whole numbers.
        """
        ...

    def noise_law(self, t: int) -> Pmf[X]:
        """The law of z_t, the noise of round t.

        Args:
            t: The round, from 1.
        Returns: A law on whole numbers, or on tuples of them as long as the inputs.
        """
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
    """(v_t, (y_t, y'_t)): an Interactive that knows its paired simulation too, with both hidden outputs in each branch.

    Inputs arrive as pairs under EDIT, each item once, to be kept and compared with one another (or None), whatever the
    alphabet: `x == 1` is refused. In branch b the simulation draws first what `step` draws on the
    inputs of stream b, in the same order, and releases what `step` releases, with a hidden output for the other stream
    beside it; then it may draw more. An audit checks all of it, and `outputs` after every round. An optional
    `bound(horizon, budget)` gives a power function that is proven never to be exceeded. An optional `guarantee` is a
    promise (e^epsilon, delta), two rationals, e^epsilon at least 1 and delta in [0, 1]: the exact curve is held against
    it as well.

    Source: paper.tex, def:npp.

    >>> from dpcert import examine
    >>> from dpcert.mechanisms.randbin.toy import RandBinToy
    >>> examine(RandBinToy(), game="npp", horizon=6)["verdict"]
    'HOLDS'
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
        """One round of the simulation in one branch.

        Args:
            branch: Which stream it runs on, 0 or 1.
            state: The simulation's state.
            pair: (x_t, x'_t), the inputs of both streams.
            draw: Gives an outcome of any law, independent of all before.
        Returns: (the release: its visible output, and the hidden outputs of streams 0 and 1; the state after it).
        """
        ...
