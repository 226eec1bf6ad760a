"""What a report of a designed RandBin adds: its parts, the error and the waiting they allow, and the certificate."""

from collections.abc import Iterator
from fractions import Fraction

from dpcert.audit.algebra.rational import integer_text, text
from dpcert.audit.records.section import Figure, Section, section, shown
from dpcert.audit.render.cells import Cell, stated
from dpcert.mechanisms.design.certificate import Certificate
from dpcert.mechanisms.design.certified import Certified
from dpcert.mechanisms.design.parts import Design
from dpcert.mechanisms.design.promise import REFERENCE

"""Sections that a summary shows as well."""
SLOPES = (Fraction(1), Fraction(5, 4), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(4), Fraction(8), Fraction(16))


def designed(mechanism: Certified, design: Design) -> list[Section]:
    """The parts, and E with the waiting that it allows."""
    events, noise = mechanism.horizon or REFERENCE, design.noise
    least, most = 2 * design.level, mechanism.waiting(events)
    delay = f"{integer_text(least)} to {integer_text(most)}"
    rows = (
        ("U, events", design.level),
        ("e^ε of a load", shown(design.load)),
        ("e^ε of the scheduler", shown(noise.exp_epsilon)),
        ("δ for the ends of its noise", shown(noise.truncation)),
        ("δ for clipping", shown(design.beta)),
        ("events", f"at most {integer_text(events)}" if mechanism.horizon else f"any number; below, {REFERENCE}"),
        ("E, events", mechanism.error_within(events)),
        ("most events waiting", most),
        ("inclusion delay, rounds", delay if least <= most else "none: no bin can leave"),
    )
    words = "What follows from the ε and δ that are promised."
    return [section("Parts", words, ("part", "value"), rows, brief=True), waiting(mechanism)]


def waiting(mechanism: Certified) -> Section:
    """E, and how many events may wait, along the run."""
    events = list(_horizons(mechanism.horizon or REFERENCE))
    points = [[str(n), integer_text(mechanism.waiting(n))] for n in events]
    figure: Figure = {
        "x": "events",
        "y": "most events waiting",
        "logarithmic": True,
        "curves": [{"name": "bound", "points": points}],
    }
    table = section(
        "Error",
        "How far the scheduler's sums may be off, and how many events may wait for a bin.",
        ("events so far", "E", "most events waiting"),
        ((n, mechanism.error_within(n), mechanism.waiting(n)) for n in events),
    )
    return {**table, "figure": figure}


def _horizons(events: int) -> Iterator[int]:
    """1, 2, 4, ..., and the last."""
    n = 1
    while n < events:
        yield n
        n *= 2
    yield events


def certified(certificate: Certificate) -> Section:
    """The steps of the proof, each with the claims it rests on."""
    rows = ((step.claims, step.says, shown(step.at), shown(step.delta)) for step in certificate.steps)
    words = "Holds at any size by theorem; `dpcert claims show` has each claim. "
    kind = "The curve of the core is exact." if certificate.exact else "The curve of the core is an upper bound."
    return section("Certificate", words + kind, ("claims", "step", "at e^ε", "δ"), rows, brief=True)


def profile(certificate: Certificate) -> Section:
    """The proven curve beside the promise."""
    promise = certificate.design.promise
    curves = certificate.load, certificate.scheduler, certificate.power
    return section(
        "Proven profile",
        f"δ of a load, of the scheduler, and of both; promised is δ = {text(promise.delta)} at "
        f"{stated('e^ε', Cell(shown(promise.exp_epsilon)))}.",
        ("e^ε", "load δ", "scheduler δ", "both δ"),
        ((text(e), *(shown(curve.delta(e)) for curve in curves)) for e in SLOPES),
    )
