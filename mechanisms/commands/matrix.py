"""`dpcert matrix`: a matrix mechanism from a file, audited with Gaussian noise and the participations it claims."""

import time
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeVar

import click

from dpcert.audit.algebra.rational import text
from dpcert.audit.commands.arguments import Rational, WholeNumber
from dpcert.audit.commands.interrupts import reading
from dpcert.audit.errors import ArgumentError, expected, one_line
from dpcert.audit.finding import EXIT_STATUS, Verdict
from dpcert.mechanisms.commands.answers import destinations

if TYPE_CHECKING:
    from dpcert.mechanisms.foreign.source import MatrixSource
    from dpcert.mechanisms.matrices.participations import Participation
    from dpcert.mechanisms.matrices.record_change import RecordChange
    from dpcert.mechanisms.matrices.sensitivity import Stream
    from dpcert.mechanisms.matrix_audit.audited import MatrixQuestion

DEFAULT_MATRIX_DELTA = Fraction(1, 10**6)
"""The delta for which epsilon is enclosed where none is given."""
HTML_TITLE = "Matrix mechanism"
Command = Callable[..., Any]
T = TypeVar("T")


def _all(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Options as one decorator, in the order in which help lists them."""
    return lambda command: reduce(lambda of, option: option(of), reversed(options), command)


change_options = _all(
    click.option("--neighbours", default="zero-out", metavar="zero-out|replace-one", help="A change of G, or of 2 G."),
    click.option("--max-participations", type=WholeNumber(), help="One person's participations at most [default: 1]."),
    click.option("--min-separation", type=WholeNumber(), help="Rounds from one of them to the next, at least."),
    click.option("--epochs", type=WholeNumber(), help="One participation an epoch instead, in a fixed order."),
    click.option("--rounds-an-epoch", type=WholeNumber(), help="With --epochs: the rounds of each."),
    click.option("--adjacent-bins", is_flag=True, help="Two participations, in adjacent rounds, instead."),
)
"""How neighbouring streams differ, and where."""
answer_options = _all(
    click.option("--claim", "claims", multiple=True, help="eps=E,delta=D or rho=R or mu=M; repeatable."),
    click.option("--delta", "deltas", multiple=True, type=Rational(), help="Enclose epsilon for it; repeatable."),
    click.option("--json", "json_path", metavar="FILE", help="Write the numbers as JSON; - is standard output."),
    click.option("--html", "html_path", metavar="FILE", help="Write a page; - is standard output."),
)
"""What is asked of an encoder, and where the answer goes."""


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--sigma", type=Rational(), help="The deviation of the noise in every coordinate.")
@click.option("--clip", type=Rational(), help="G, the norm that records are clipped to.")
@click.option("--form", metavar="encoder|inverse", help="What numbers are: of C, or of C^-1 [default: encoder].")
@click.option("--rounds", "rounds_path", metavar="FILE", help="The round of every row, for a matrix of other rows.")
@click.option("--horizon", type=WholeNumber(), help="T, where a description leaves it open.")
@change_options
@click.option("--stream", default="vector", metavar="vector|scalar", help="Whether records are vectors or numbers.")
@click.option("--workload", metavar="M", help="prefix, momentum=B, window=W or a .json FILE [default: prefix].")
@click.option("--decoder", metavar="FILE", help="L, compared with M = L R; else it is worked out.")
@answer_options
def matrix(
    file: str,
    json_path: str | None,
    html_path: str | None,
    **options: "str | int | bool | Fraction | tuple[str, ...] | tuple[Fraction, ...] | None",
) -> int:
    """Audit a matrix mechanism: R x + z with Gaussian noise z, published as L (R x + z), for R in FILE.

    FILE is a .npy or .npz (a matrix, or the coefficients of a Toeplitz one), a .json that describes a strategy, or
    FILE.py:NAME, an object of another library. Shown are Checklist 1, the sensitivity with the participations that
    attain it, epsilon for every delta, the error of the released sums and the claims. The exit status is 1 where the
    matrix looks ahead or a claim is refuted, and 3 where FILE is sampled or amplified.
    """
    with reading():  # here and not above, so that help need not wait for it
        from dpcert.audit.records.digest import provenance
        from dpcert.audit.render.page import page_of_sections
        from dpcert.audit.render.text import sections_text
        from dpcert.mechanisms.foreign.source import names_object
        from dpcert.mechanisms.foreign.undecided import UndecidedError
        from dpcert.mechanisms.matrix_audit.audited import audited
        from dpcert.mechanisms.matrix_audit.document import document
        from dpcert.mechanisms.matrix_audit.heat_map import heat_map
        from dpcert.mechanisms.matrix_audit.report import asked, column_norms, lead, sections
    to = destinations(json_path, html_path, reads=file.rpartition(":")[0] if names_object(file) else file)
    began = time.perf_counter()
    try:
        audit = audited(question(file, **options))  # type: ignore[arg-type]  # click gives each its own type
    except UndecidedError as error:
        click.echo(f"{Verdict.UNDECIDED.value}: {one_line(file, 100)}: {error}.", err=not to.printed)
        return EXIT_STATUS[Verdict.UNDECIDED]
    said, tables = lead(audit), list(sections(audit))
    ran, as_text = provenance(time.perf_counter() - began), sections_text(said, tables)

    def page() -> str:
        matrix_drawn = heat_map(audit.question.encoder)
        drawn = [one for one in [*tables[1:], matrix_drawn, column_norms(audit)] if one is not None and one["rows"]]
        return page_of_sections(HTML_TITLE, said, drawn, facts=asked(audit), provenance=ran)

    to.write(lambda: as_text, lambda: document(audit), page)
    return EXIT_STATUS[audit.verdict]


def question(
    file: str,
    *,
    sigma: Fraction | None,
    clip: Fraction | None,
    form: str | None,
    rounds_path: str | None,
    horizon: int | None,
    neighbours: str,
    max_participations: int | None,
    min_separation: int | None,
    epochs: int | None,
    rounds_an_epoch: int | None,
    adjacent_bins: bool,
    stream: str,
    workload: str | None,
    decoder: str | None,
    claims: tuple[str, ...],
    deltas: tuple[Fraction, ...],
) -> "MatrixQuestion":
    """What the options ask. Raises: ArgumentError: they ask nothing that can be. UndecidedError: FILE is amplified."""
    from dpcert.audit.verdicts.requirements import claim
    from dpcert.mechanisms.matrices.arrays import read_array
    from dpcert.mechanisms.matrices.described_workloads import workload_of
    from dpcert.mechanisms.matrices.participations import Once
    from dpcert.mechanisms.matrices.workloads import PREFIX_SUMS
    from dpcert.mechanisms.matrix_audit.audited import MatrixQuestion

    if any(number is not None and number <= 0 for number in (sigma, clip)):  # before a file is read that may be large
        raise expected("a sigma and a clip norm above 0", sigma=sigma, clip=clip)
    pattern = participation_of(max_participations, min_separation, epochs, rounds_an_epoch, adjacent_bins)
    change, kind = _kinds(neighbours, stream)
    by_option = None if workload is None else workload_of(workload)
    bounds = tuple(map(claim, claims))
    whole = source_of(file, form, rounds_path, horizon)
    noise, norm = _noise(sigma, clip, whole.noise_multiplier)
    rounds: Participation = _agreed(pattern, whole.participation, file, "participations", repr) or Once()
    sums = _agreed(by_option, whole.workload, file, "workload", lambda one: one.text) or PREFIX_SUMS
    left = None if decoder is None else read_array(decoder)
    return MatrixQuestion(
        one_line(file, 100), whole.encoder, noise, norm, change, rounds, kind, sums,
        deltas or (DEFAULT_MATRIX_DELTA,), bounds, whole.theirs(rounds), left,
    )  # fmt: skip


def _kinds(neighbours: str, stream: str) -> "tuple[RecordChange, Stream]":
    """What a neighbour changes, and what a round submits."""
    from dpcert.mechanisms.matrices.record_change import RecordChange
    from dpcert.mechanisms.matrices.sensitivity import Stream

    changes = {one.name.lower().replace("_", "-"): one for one in RecordChange}
    streams = {one.value: one for one in Stream}
    return changes[among(neighbours, changes, "neighbours")], streams[among(stream, streams, "stream")]


def _agreed(by_option: T | None, by_file: T | None, file: str, name: str, said: Callable[[T], str]) -> T | None:
    """What an option and FILE say. Raises: ArgumentError: they say different things."""
    if by_option is not None and by_file is not None and by_option != by_file:
        raise expected(f"the {name} that {one_line(file, 60)} names", **{name: said(by_option)})
    return by_file if by_option is None else by_option


def among(value: str, known: Iterable[str], name: str) -> str:
    """The value. Raises: ArgumentError: it is none of those that there are."""
    if value not in known:
        raise expected(" or ".join(known), **{name: one_line(value, 60)})
    return value


def source_of(file: str, form: str | None, rounds_path: str | None, horizon: int | None) -> "MatrixSource":
    """R, of as many rounds as were asked for, and what else its source says."""
    from dpcert.mechanisms.foreign.source import matrix_source
    from dpcert.mechanisms.matrices.arrays import read_rounds
    from dpcert.mechanisms.matrices.reading import Form

    forms = {one.value: one for one in Form}
    chosen = None if form is None else forms[among(form, forms, "form")]
    rows = () if rounds_path is None else read_rounds(rounds_path)
    return matrix_source(file, form=chosen, row_rounds=rows, rounds=horizon)


def _noise(sigma: Fraction | None, clip: Fraction | None, multiplier: Fraction | None) -> tuple[Fraction, Fraction]:
    """sigma and G: as given, or as the source names them, over a norm of 1 unless another is given."""
    if multiplier is None:
        if sigma is None or clip is None:
            raise ArgumentError("Expected --sigma S and --clip G but got " + ("one" if sigma or clip else "neither"))
        return sigma, clip
    norm = clip or Fraction(1)
    if sigma is not None and sigma != multiplier * norm:
        raise expected(f"the noise multiplier that it names, sigma = {text(multiplier * norm)}", sigma=sigma)
    return multiplier * norm, norm


def participation_of(
    max_participations: int | None,
    min_separation: int | None,
    epochs: int | None,
    rounds_an_epoch: int | None,
    adjacent_bins: bool,
) -> "Participation | None":
    """The one pattern that the options name, if they name one."""
    from dpcert.mechanisms.matrices.participations import AdjacentBins, EpochOrder, Once, Separated

    most, apart = max_participations, min_separation
    if (epochs is None) != (rounds_an_epoch is None):
        raise expected("--epochs and --rounds-an-epoch together", epochs=epochs, rounds_an_epoch=rounds_an_epoch)
    if (apart is not None and most is None) or (most is not None and most > 1 and apart is None):
        raise expected(
            "--max-participations and --min-separation together", max_participations=most, min_separation=apart
        )
    given = {"--max-participations": most, "--epochs": epochs, "--adjacent-bins": adjacent_bins or None}
    named = [name for name, there in given.items() if there is not None]
    if len(named) > 1:
        raise expected("one of --max-participations, --epochs and --adjacent-bins", given=" and ".join(named))
    if adjacent_bins:
        return AdjacentBins()
    if epochs is not None and rounds_an_epoch is not None:
        return EpochOrder(epochs, rounds_an_epoch)
    if most is None:
        return None
    return Once() if most == 1 or apart is None else Separated(most, apart)
