"""`dpcert probe`: code that releases sums of a stream under noise, run on scripted noise and audited as a matrix."""

import time
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from dpcert.audit.commands.arguments import Rational, WholeNumber, assigned
from dpcert.audit.commands.interrupts import reading
from dpcert.audit.commands.scope_options import param_option
from dpcert.audit.errors import expected, one_line
from dpcert.audit.finding import EXIT_STATUS
from dpcert.mechanisms.commands.answers import destinations
from dpcert.mechanisms.commands.matrix import (
    DEFAULT_MATRIX_DELTA,
    among,
    answer_options,
    change_options,
    participation_of,
    source_of,
)

if TYPE_CHECKING:
    from dpcert.mechanisms.probe.probed import ProbeQuestion

DEFAULT_PROBE_HORIZON = 8
"""Rounds of a probe where none are given."""
MOST_PROBED_ROUNDS = 256
"""Rounds of a probe."""


@click.command()
@click.argument("target", metavar="FILE.py:Name")
@click.option("--horizon", type=WholeNumber(), default=DEFAULT_PROBE_HORIZON, show_default=True, help="Rounds.")
@click.option("--dimension", type=WholeNumber(), metavar="D", help="Inputs are vectors of D numbers, not numbers.")
@param_option("the code")
@click.option("--clip", type=Rational(), default="1", show_default=True, help="G, the norm that inputs are clipped to.")
@click.option("--sigma", type=Rational(), help="The deviation that the noise is claimed to have.")
@click.option("--strategy", metavar="FILE", help="The encoder it is claimed to be, as `dpcert matrix` reads it.")
@click.option("--restart", type=WholeNumber(), metavar="R", help="Call restart() after round R.")
@change_options
@answer_options
def probe(target: str, json_path: str | None, html_path: str | None, **options: Any) -> int:
    """Run code on unit inputs and unit noise, recover its matrices, and audit those as `dpcert matrix` does.

    Name is a class, called with a generator, whose objects have step(x); or a function of all inputs and a generator.
    Normal and Laplace draws of a numpy Generator are scripted. Shown are y = A x + B z as probed, faults by name, what
    the releases give away and the claims. What is not linear is refuted, never shown to be linear.
    """
    with reading():  # here and not above, so that help need not wait for it
        from dpcert.audit.records.digest import provenance
        from dpcert.audit.render.page import page_of_sections
        from dpcert.audit.render.text import sections_text
        from dpcert.mechanisms.matrix_audit.report import column_norms
        from dpcert.mechanisms.probe.document import probe_document
        from dpcert.mechanisms.probe.probed import probed
        from dpcert.mechanisms.probe.report import probe_asked, probe_lead, probe_sections
    to, began = destinations(json_path, html_path, reads=target.rpartition(":")[0]), time.perf_counter()
    audit = probed(_question(target, **options))
    said, tables = probe_lead(audit), list(probe_sections(audit))
    ran, text = provenance(time.perf_counter() - began), sections_text(said, tables)

    def page() -> str:
        norms = [column_norms(audit.gaussian)] if audit.gaussian is not None else []
        drawn = [one for one in [*tables[1:], *norms] if one["rows"]]
        return page_of_sections("Linear probe", said, drawn, facts=probe_asked(audit), provenance=ran)

    to.write(lambda: text, lambda: probe_document(audit), page)
    return EXIT_STATUS[audit.verdict]


def _question(
    target: str,
    *,
    horizon: int,
    dimension: int | None,
    params: tuple[tuple[str, str], ...],
    clip: Fraction,
    sigma: Fraction | None,
    strategy: str | None,
    restart: int | None,
    neighbours: str,
    claims: tuple[str, ...],
    deltas: tuple[Fraction, ...],
    **participation: Any,
) -> "ProbeQuestion":
    """What the options ask. Raises: ArgumentError: they ask nothing that can be."""
    from dpcert.audit.verdicts.requirements import claim
    from dpcert.mechanisms.matrices.participations import Once
    from dpcert.mechanisms.matrices.record_change import RecordChange
    from dpcert.mechanisms.probe.probed import ProbeQuestion
    from dpcert.mechanisms.probe.target import probe_target

    if clip <= 0 or (sigma is not None and sigma <= 0):
        raise expected("a clip norm and a sigma above 0", clip=clip, sigma=sigma)
    if horizon > MOST_PROBED_ROUNDS:
        raise expected(f"a horizon of at most {MOST_PROBED_ROUNDS} (MOST_PROBED_ROUNDS)", horizon=horizon)
    for delta in deltas:
        if not 0 < delta < 1:
            raise expected("a delta above 0 and below 1", delta=delta)
    changes = {one.name.lower().replace("_", "-"): one for one in RecordChange}
    change = changes[among(neighbours, changes, "neighbours")]
    pattern, bounds = participation_of(**participation) or Once(), tuple(map(claim, claims))
    expected_encoder = None
    if strategy is not None:
        expected_encoder = one_line(strategy, 100), source_of(strategy, "encoder", None, horizon).encoder
    return ProbeQuestion(
        probe_target(target, assigned(params)), horizon, dimension, clip, change, pattern,
        deltas or (DEFAULT_MATRIX_DELTA,), bounds, sigma, expected_encoder, restart,
    )  # fmt: skip
