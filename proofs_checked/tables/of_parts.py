"""Tables of what the mechanisms are made of: load curves, errors, sensitivities, and calibrations side by side."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate

from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.algebra.rational import integer_text, text
from dpcert.audit.tables.table import Cell, ExactTable, Heading
from dpcert.mechanisms.design.parts import Design, paper, sharp
from dpcert.mechanisms.design.promise import Promise
from dpcert.mechanisms.matrices.square_root import coefficients, psi, squared_norm_bound
from dpcert.mechanisms.noise.geometric import exp_epsilon_below, load_law
from dpcert.mechanisms.sums.error_convolution import envelope, raw_bounds
from dpcert.mechanisms.sums.error_explicit import explicit_error
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise
from dpcert.mechanisms.sums.union_bound import UnionBound

LOADS = ((2, 2), (2, 4), (3, 2), (3, 4))
"""(e^epsilon_1, U) of the load curves."""
BETA = Fraction(1, 10)
TIMES = tuple(range(1, 17))
PROMISES = tuple((e, Fraction(1, 10**d), 256) for e in (4, 16, 256) for d in (3, 6))
"""(e^epsilon, delta, events) of the calibrations."""
PLACES = 10**6
"""Enclosures are shown at six digits, rounded outward."""
EXP_EPSILON: Heading = ("e^ε", r"$e^{\varepsilon}$")


def tables_of_parts() -> list[ExactTable]:
    """All of them, in the order in which they are read."""
    return [_load_curves(), _errors(), _sensitivities(), _calibrations()]


def _load_curves() -> ExactTable:
    """Source: paper.tex, eq:randbin_load_profile."""
    rows: list[tuple[Cell, ...]] = []
    for base, level in LOADS:
        law = load_law(Fraction(base), level)
        curve = PowerFunction.from_laws(law, law.map(lambda z: z - 1))
        rows += [(integer_text(base), integer_text(level), x, y) for x, y in curve.vertices]
    columns: tuple[Heading, ...] = (
        ("e^ε_1", r"$e^{\varepsilon_1}$"),
        ("U", "$U$"),
        ("P0[S]", "$P_0[S]$"),
        ("largest P1[S]", r"$\max P_1[S]$"),
    )
    return ExactTable("load-curves", "A load Z against Z - 1: the vertices of its power function", columns, tuple(rows))


def _errors() -> ExactTable:
    """Source: paper.tex, thm:dp_unbounded_prefix_sum, th:prefix_sum."""
    noise, union = HybridNoise(exp_epsilon_below(Fraction(1))[0]), UnionBound(BETA)
    exact = raw_bounds(noise, BETA, None, TIMES)
    rising = envelope(exact)
    explicit = [explicit_error(noise, union, t, "paper") for t in TIMES]
    rows = tuple(
        tuple(map(integer_text, (t, printed, raw, bound + 2, bound + 1)))
        for t, printed, raw, bound in zip(TIMES, explicit, exact, rising, strict=True)
    )
    columns: tuple[Heading, ...] = (
        ("t", "$t$"),
        ("E(t), explicit B", "$E(t)$, explicit $B$"),
        ("least B(t)", "least $B(t)$"),
        ("ceil(B) + 2", r"$\lceil B \rceil + 2$"),
        ("floor(B) + 1", r"$\lfloor B \rfloor + 1$"),
    )
    return ExactTable("errors", "Errors of the prefix sum at ε = 1, β = 1/10; the last two of rising B", columns, rows)


def _sensitivities() -> ExactTable:
    """Source: paper.tex, prop:tree_zcdp_rdp, prop:fhu_zcdp_rdp."""
    norms = list(accumulate(f * f for f in coefficients(16)))
    columns: tuple[Heading, ...] = (
        ("T", "$T$"),
        ("padded tree", "padded tree"),
        ("released nodes", "released nodes"),
        ("square root", "square root"),
        ("Psi(T)", r"$\Psi(T)$"),
        ("corrected bound", "corrected bound"),
    )
    rows = tuple(
        (
            integer_text(t),
            integer_text((t - 1).bit_length() + 1),
            integer_text(t.bit_length()),
            norms[t - 1],
            _rounded_up(psi(t).finite().upper),
            _rounded_up(squared_norm_bound(t).finite().upper),
        )
        for t in (1, 2, 3, 4, 8, 10, 11, 12, 16)
    )
    title = "Squared column norms; Psi is less than that of the square root from T = 11 on"
    return ExactTable("sensitivities", title, columns, rows)


def _rounded_up(upper: Fraction) -> str:
    """The upper end of an enclosure, rounded up at six digits."""
    whole, rest = divmod(-(-upper * PLACES // 1), PLACES)
    return f"at most {integer_text(whole)}.{integer_text(rest).zfill(6)}"


def _calibrations() -> ExactTable:
    """Source: paper.tex, cor:adap_randbin; claims 40 and 82."""
    rows = []
    for base, delta, events in PROMISES:
        promise = Promise(Fraction(base), delta, events)
        made = [
            list(_parts(design, events)) for design in (paper(promise), paper(promise, "convolution"), sharp(promise))
        ]
        shown = [integer_text(n) for parts in zip(*made, strict=True) for n in parts]
        rows.append((integer_text(base), text(delta), *shown))
    columns: tuple[Heading, ...] = (
        EXP_EPSILON,
        ("δ", r"$\delta$"),
        *((f"{part} {how}", f"{tex} {how}") for part, tex in PARTS for how in ("paper", "convolved", "sharp")),
    )
    return ExactTable(
        "calibrations", "RandBin for 256 events: the paper's parts against sharp ones", columns, tuple(rows)
    )


PARTS = (("U", "$U$"), ("E", "$E$"), ("backlog", "backlog"))


def _parts(design: Design, events: int) -> Iterator[int]:
    """U, E of the last bin that is due within the events, and the backlog 4U + 2E - 1."""
    known = design.error_function.horizon
    bins = events // design.level
    error = design.error_function(bins if known is None else min(bins, known))
    yield from (design.level, error, 4 * design.level + 2 * error - 1)
