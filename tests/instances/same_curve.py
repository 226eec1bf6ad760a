"""Relations beside the oracle's, and the agreement of a curve with brute force."""

from typing import Any

from oracles.hidden import hops, unit_hamming, zero_out
from oracles.paired import curve_points, hamming, hamming_at

from dpcert import PowerFunction
from dpcert.audit.relations.adjacency import HAMMING, UNIT_HAMMING, ChallengeAt, ZeroOut
from dpcert.audit.relations.hops import Hops

RELATIONS: list[tuple[Any, Any]] = [
    (HAMMING, hamming),
    (ChallengeAt(HAMMING, 1), hamming_at(1)),
    (UNIT_HAMMING, unit_hamming),
    (ZeroOut(null=0), zero_out(0)),
    (Hops(HAMMING, 2), hops(hamming, 2)),
]


def assert_same_curve(power: PowerFunction, brute_force: Any) -> None:
    """Agreement at points at which it implies that the curves coincide (see the oracle's curve_points)."""
    for exp_epsilon in curve_points(power.vertices):
        assert power.hockey_stick(exp_epsilon, "1-0") == brute_force(exp_epsilon)
