"""Claims about a whole curve, rho-zCDP and mu-GDP, against what adaptive adversaries reach."""

from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from typing import Any, Protocol

from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.decimals import down, near
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.algebra.rational import text
from dpcert.audit.finding import Finding, Method, Verdict
from dpcert.audit.frozen import frozen
from dpcert.audit.kernels.label import label


class StreamTrials(Protocol):
    """Fixed streams that were tried, each with its own power function."""

    @property
    def curves(self) -> Mapping[Any, PowerFunction]:
        """Curve by key."""
        ...

    @property
    def streams(self) -> Callable[[Any], tuple[Any, ...]]:
        """The pairs of inputs, round by round, behind a key."""
        ...


@frozen
class Concentration:
    """rho-zCDP against adaptive adversaries: no adversary's view has D_alpha above rho alpha, at any alpha > 1."""

    name: str
    rho: Fraction

    def checked(
        self, adaptive: Bracket, fixed_streams: StreamTrials | None, scope: str
    ) -> tuple[Finding, Fraction | None]:
        """Kept where the supremum curve keeps it; exceeded where one adversary does, a pair of fixed streams at least.

        The supremum curve may lie above every single adversary's, so its own excess decides nothing.
        """
        from dpcert.audit.algebra.renyi import concentrated

        if concentrated(adaptive.upper, self.rho).kept:
            detail = "Kept: the curve of all adversaries together keeps it at every order."
            return Finding(Verdict.HOLDS, Method.ENCLOSED, scope, detail), None
        for key, power in (fixed_streams.curves if fixed_streams is not None else {}).items():
            found = concentrated(power, self.rho)
            if found.kept is False and found.at is not None and fixed_streams is not None:
                return _exceeded(found.at, found.value, self.rho, fixed_streams.streams(key), scope), None
        detail = (
            "Open: the curve of all adversaries together exceeds it or comes too close, no fixed streams were seen to."
        )
        return Finding(Verdict.UNDECIDED, None, scope, detail), None


def _exceeded(order: Fraction, value: Fraction | None, rho: Fraction, pairs: tuple[Any, ...], scope: str) -> Finding:
    reached = "infinite" if value is None else f"at least {down(value)}"
    claimed = near(rho * order)
    detail = f"Exceeded: fixed streams reach D_alpha {reached} at alpha = {text(order)}, where {claimed} is claimed."
    witness = {
        "alpha": text(order),
        "divergence": None if value is None else text(value),
        "claimed": text(rho * order),
        "stream0": [label(pair[0]) for pair in pairs],
        "stream1": [label(pair[-1]) for pair in pairs],
    }
    return Finding(Verdict.REFUTED, Method.ENCLOSED, scope, detail, witness)


@frozen
class Gaussian:
    """mu-GDP against adaptive adversaries: every power lies under Phi(Phi^-1(alpha) + mu)."""

    name: str
    mu: Fraction

    def checked(
        self, adaptive: Bracket, fixed_streams: StreamTrials | None, scope: str
    ) -> tuple[Finding, Fraction | None]:
        """Kept where every corner of the supremum curve keeps it; a corner above belongs to one adversary."""
        from dpcert.audit.algebra.renyi import gaussian

        del fixed_streams
        kept, _ = gaussian(adaptive.upper, self.mu)
        if kept:
            return Finding(Verdict.HOLDS, Method.ENCLOSED, scope, "Kept: every corner of the curve lies below."), None
        _, corner = gaussian(adaptive.lower, self.mu)
        if corner is None:
            return Finding(Verdict.UNDECIDED, None, scope, "Open: a corner of the curve comes too close."), None
        x, y = corner.vertex
        detail = f"Exceeded: an adversary has power {near(y)} at level {near(x)}, which is above the Gaussian curve."
        witness: dict[str, Hashable] = {
            "level": text(x), "power": text(y), "exp_epsilon": text(corner.exp_epsilon), "order": corner.order
        }  # fmt: skip
        return Finding(Verdict.REFUTED, Method.ENCLOSED, scope, detail, witness), corner.exp_epsilon
