"""What a report of RandBin on Gaussian noise adds: its parts, and step by step why it is private, at any size."""

from fractions import Fraction

from dpcert.audit.records.section import Section, section, shown
from dpcert.audit.render.cells import Cell, stated
from dpcert.mechanisms.design.gaussian_costs import OnGaussianNoise
from dpcert.mechanisms.design.report import SLOPES


def parts(mechanism: OnGaussianNoise) -> Section:
    """What it is made of."""
    one = mechanism
    loads = one.loads
    mean = Fraction(3 * one.level, 2)
    variance = sum((mass * (z - mean) ** 2 for z, mass in loads.items()), Fraction(0))
    rows = (
        ("U, events", one.level),
        ("variance of a load", shown(variance)),
        ("deviation of the scheduler's noise, events", shown(one.sigma / one.scale)),
        ("grid units in one event", one.scale),
        ("values of the noise", len(one.noise.law)),
        ("loads", f"at most {one.rounds}"),
        ("events", f"at most {one.horizon}"),
        ("E, events", one.error),
        ("most events waiting", one.waiting(one.horizon)),
    )
    words = "Chosen by search; what is promised of them is proven."
    return section("Parts", words, ("part", "value"), rows, brief=True)


def why(mechanism: OnGaussianNoise) -> list[Section]:
    """The steps of the proof with what each of them costs, and the proven profile."""
    one, costs = mechanism, [mechanism.costs(e) for e in SLOPES]
    core = stated("μ²", Cell(shown(one.mu_squared)))
    rows = (
        ("RandBin gives away a load shifted by 1 and what its scheduler does", "30, 53", "f ⊗ g, δ below"),
        ("a load is drawn from a finite law, whose curve f is computed from it", "42", "exact"),
        (
            "R x is whole, so its sum with rounded noise is the rounded sum: post-processing of R x + N(0, σ²)",
            "5",
            "0",
        ),
        ("inputs that differ by 1 move R x by a column of R, whatever the common inputs are", "62, 66, 96", core),
        ("that the scheduler's raw error ever reaches E", "77, 81, 82", f"β {shown(costs[0].clipping)}"),
        ("the noise that runs has finitely many values", "none", f"(1 + e^ε) · {shown(costs[0].finite / 2)}"),
        ("estimates and projections are functions of the core releases", "5, 85", "0"),
    )
    profile = (
        (shown(e), shown(cost.noise), shown(cost.clipping), shown(cost.finite), shown(one.delta_at(e)))
        for e, cost in zip(SLOPES, costs, strict=True)
    )
    words = "Holds at any size by theorem; `dpcert claims show` has each claim."
    columns = ("e^ε", "load and Gaussian noise", "clipping", "finite noise", "δ, all of it")
    return [
        section("Certificate", words, ("step", "claims", "costs"), rows, brief=True),
        section("Proven profile", "Upper bounds of δ, and their parts.", columns, profile),
    ]
