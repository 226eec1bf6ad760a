"""`dpcert gaussian`: what Gaussian noise gives away, and how much of it a target needs."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from dpcert.audit.commands.arguments import Rational, WholeNumber
from dpcert.audit.commands.interrupts import reading
from dpcert.audit.errors import ArgumentError, expected, one_line
from dpcert.audit.finding import EXIT_STATUS, Verdict
from dpcert.mechanisms.commands.answers import destinations

if TYPE_CHECKING:
    from dpcert.mechanisms.accounting.shift import GaussianShift
    from dpcert.mechanisms.accounting.solving import TargetNumber

RELATIONS = ("zero-out", "replace-one")
"""How neighbours of an event differ: by a record's presence, or by another record in its place."""
USUAL_DELTA = Fraction(1, 10**6)
"""The delta for which epsilon is printed where no number is asked for."""


class EpsilonAndDelta(click.ParamType[tuple[Fraction, Fraction]]):
    """E,D: an epsilon and a delta."""

    name = "E,D"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[Fraction, Fraction]:
        """Both numbers, or one line that says what was expected."""
        if isinstance(value, tuple):
            return value
        epsilon, comma, delta = str(value).partition(",")
        if not comma:
            raise ArgumentError(f"Expected epsilon and delta as E,D but got target={one_line(str(value))}")
        number = Rational()
        return number.convert(epsilon, param, ctx), number.convert(delta, param, ctx)


@click.command()
@click.option("--mu", type=Rational(), help="The mechanism by mu: sensitivity over sigma.")
@click.option("--rho", type=Rational(), help="By rho = mu^2 / 2 instead, of Gaussian noise.")
@click.option("--sigma", type=Rational(), help="By the deviation of its noise instead.")
@click.option("--sensitivity", type=Rational(), default="1", show_default=True, help="With --sigma or --target: L2.")
@click.option("--hops", type=WholeNumber(), default=1, show_default=True, help="Neighbours apart the inputs are.")
@click.option("--delta", "deltas", multiple=True, type=Rational(), help="Enclose epsilon for it; repeatable.")
@click.option("--epsilon", "epsilons", multiple=True, type=Rational(), help="Enclose delta for it; repeatable.")
@click.option(
    "--target", "targets", multiple=True, type=EpsilonAndDelta(), help="Solve sigma, mu, rho for it; repeatable."
)
@click.option("--digits", type=WholeNumber(), help="Significant digits of a solution, at most 12 [default: 6].")
@click.option("--event", metavar="FILE.py:NAME", help="An event of dp-accounting instead, beside its own accountant.")
@click.option("--neighbours", metavar="zero-out|replace-one", help="With --event: how they differ [default: zero-out].")
@click.option("--json", "json_path", metavar="FILE", help="Write the numbers as JSON; - is standard output.")
def gaussian(
    mu: Fraction | None,
    rho: Fraction | None,
    sigma: Fraction | None,
    sensitivity: Fraction,
    hops: int,
    deltas: tuple[Fraction, ...],
    epsilons: tuple[Fraction, ...],
    targets: tuple[tuple[Fraction, Fraction], ...],
    digits: int | None,
    event: str | None,
    neighbours: str | None,
    json_path: str | None,
) -> int:
    """Account for Gaussian noise: epsilon for delta, delta for epsilon, and the noise that a target needs.

    A target is solved for sigma, mu and rho. Every number is enclosed: one that is exact lies between its two ends, and
    an upper bound is labelled so. A solution is rounded so that the target is kept, and the next number of as many
    digits is shown to break it. An event that is sampled or amplified is undecided by its name, with exit status 3.
    """
    if event is not None:
        if mu is not None or rho is not None or sigma is not None or targets or hops > 1:
            raise expected("no other mechanism, no target and one hop with --event", event=one_line(event, 60))
        return account_event(event, neighbours or "zero-out", deltas, epsilons, json_path)
    if neighbours is not None:
        raise expected("--event with --neighbours", neighbours=one_line(neighbours, 60))
    with reading():  # here and not above, so that help need not wait for it
        from dpcert.audit.render.text import sections_text
        from dpcert.mechanisms.accounting.document import GaussianAccount, account
        from dpcert.mechanisms.accounting.table import lead, sections
    shift = _mechanism(mu, rho, sigma, sensitivity)
    if shift is None and (deltas or epsilons or hops > 1 or not targets):
        raise expected("a mechanism by mu, rho or sigma", mu=None)
    to = destinations(json_path)
    answer = GaussianAccount(None, 1, (), ())
    if shift is not None:
        usual = () if deltas or epsilons or targets else (USUAL_DELTA,)
        answer = account(shift, deltas or usual, epsilons, hops)
    answer = replace(answer, targets=tuple(_solutions(targets, sensitivity, digits)), by_rho=rho is not None)
    shown = sections_text(lead(answer), sections(answer))
    to.write(lambda: shown, lambda: answer.document)
    return 0


def account_event(
    event: str, neighbours: str, deltas: tuple[Fraction, ...], epsilons: tuple[Fraction, ...], json_path: str | None
) -> int:
    """The numbers of an event beside those of its library, written; 3 where a part of it is undecided."""
    with reading():
        from dpcert.audit.kernels.targets import find
        from dpcert.audit.render.text import sections_text
        from dpcert.mechanisms.foreign.event import composition
        from dpcert.mechanisms.foreign.event_account import event_account
        from dpcert.mechanisms.foreign.event_report import document, lead, sections
        from dpcert.mechanisms.foreign.their_epsilon import accountant
        from dpcert.mechanisms.foreign.undecided import UndecidedError
    if neighbours not in RELATIONS:
        raise expected(" or ".join(RELATIONS), neighbours=one_line(neighbours, 60))
    to = destinations(json_path)
    replace_one, at_deltas = neighbours == RELATIONS[1], deltas or (() if epsilons else (USUAL_DELTA,))
    dp_event, name = find(event, {}).mechanism, one_line(event, 100)
    try:
        composed = composition(dp_event, replace_one=replace_one)
        account = event_account(
            name, composed, neighbours, (at_deltas, epsilons), accountant(dp_event, replace_one=replace_one)
        )
    except UndecidedError as error:
        click.echo(f"{Verdict.UNDECIDED.value}: {name}: {error}.", err=not to.printed)
        return EXIT_STATUS[Verdict.UNDECIDED]
    shown = sections_text(lead(account), sections(account))
    to.write(lambda: shown, lambda: document(account))
    return 0


def _mechanism(
    mu: Fraction | None, rho: Fraction | None, sigma: Fraction | None, sensitivity: Fraction
) -> "GaussianShift | None":
    """f_mu of the one option that was given, if one was."""
    from dpcert.mechanisms.accounting.shift import GaussianShift, of_sensitivity

    given = {name: value for name, value in (("mu", mu), ("rho", rho), ("sigma", sigma)) if value is not None}
    if len(given) > 1:
        raise expected("one of --mu, --rho and --sigma", **given)
    if mu is not None:
        return GaussianShift.of_mu(mu)
    if rho is not None:
        return GaussianShift.of_rho(rho)
    return None if sigma is None else of_sensitivity(sensitivity, sigma)


def _solutions(
    targets: tuple[tuple[Fraction, Fraction], ...], sensitivity: Fraction, digits: int | None
) -> "Iterator[TargetNumber]":
    """sigma for the sensitivity, mu and rho, for each target."""
    from dpcert.mechanisms.accounting.shift import squared
    from dpcert.mechanisms.accounting.solving import SOLUTION_DIGITS, largest_mu, largest_rho, least_sigma

    many = SOLUTION_DIGITS if digits is None else digits
    for epsilon, delta in targets:
        yield least_sigma(epsilon, delta, squared(sensitivity), many)
        yield largest_mu(epsilon, delta, many)
        yield largest_rho(epsilon, delta, many)
