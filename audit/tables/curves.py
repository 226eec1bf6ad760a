"""Both curves as tables: their vertices, and delta at the points asked for with what lies between the two."""

from collections.abc import Iterable
from fractions import Fraction

from dpcert.audit.algebra.gap import equal_from
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.tables.left_out import bounded
from dpcert.audit.tables.met import VERTEX
from dpcert.audit.tables.table import ExactTable


def fixed_hull(power: PowerFunction, scope: str) -> ExactTable:
    """The supremum over fixed pairs of streams."""
    title = f"The hull of all fixed pairs of streams: vertices of its power function. {scope}"
    return _vertices("fixed-hull", title, power)


def adaptive_hull(power: PowerFunction, scope: str) -> ExactTable:
    """The supremum over adaptive adversaries."""
    title = f"The supremum over all adaptive adversaries: vertices of its power function. {scope}"
    return _vertices("adaptive-hull", title, power)


def _vertices(name: str, title: str, power: PowerFunction) -> ExactTable:
    return ExactTable(name, title, VERTEX, tuple(bounded(iter(power.vertices))))


def gap(
    fixed_stream: PowerFunction, adaptive: PowerFunction, exp_epsilons: Iterable[Fraction], scope: str
) -> ExactTable:
    """delta of both, two-sided, at the given e^epsilon and where the two meet for good, if they differ before."""
    end = equal_from(adaptive, fixed_stream)
    slopes = sorted({*exp_epsilons} | ({end} if end is not None and end > 1 else set()))
    rows = bounded(
        (e, fixed_stream.delta(e), adaptive.delta(e), adaptive.delta(e) - fixed_stream.delta(e)) for e in slopes
    )
    columns = (
        ("e^ε", r"$e^{\varepsilon}$"),
        ("fixed-stream δ", r"fixed-stream $\delta$"),
        ("adaptive δ", r"adaptive $\delta$"),
        ("gap", "gap"),
    )
    return ExactTable("gap", f"δ against fixed streams and against adaptive adversaries. {scope}", columns, tuple(rows))
