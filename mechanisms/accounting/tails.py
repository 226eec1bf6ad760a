"""Phi, and delta of N(0, 1) against N(mu, 1), as balls at the precision that is set, however small they are."""

from flint import arb


def tail(x: arb) -> arb:
    """Phi(-x), the mass of N(0, 1) beyond x; past 1 with its relative precision, which erfc loses far out."""
    return _bell(x) * scaled_tail(x) if x > 1 else (x / arb(2).sqrt()).erfc() / 2


def scaled_tail(x: arb) -> arb:
    """e^(x^2/2) Phi(-x) of an x above 0, by Tricomi's U: erfc(z) = e^(-z^2) U(1/2, 1/2, z^2) / sqrt(pi)."""
    half = arb(1) / 2
    return (x * x / 2).hypgeom_u(half, half) / (2 * arb.pi().sqrt())


def shift_delta(epsilon: arb, mu: arb) -> arb:
    """Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), at any eps.

    N(0, 1) and N(mu, 1) mirror each other, so both orders of worlds have it. With near = eps/mu - mu/2 and
    far = eps/mu + mu/2, (far^2 - near^2) / 2 is eps: what the two tails share is taken out of their difference.

    Source: claims 93.
    """
    middle = epsilon / mu
    near, far = middle - mu / 2, middle + mu / 2
    if not far > 0:
        return tail(near) - epsilon.exp() * tail(far)
    if near > 0:
        return _bell(near) * (scaled_tail(near) - scaled_tail(far))
    return tail(near) - _bell(near) * scaled_tail(far)


def _bell(x: arb) -> arb:
    return (-x * x / 2).exp()
