"""`dpcert verify`: a certificate checked, by itself or against the mechanism that it is about."""

from typing import TextIO

import click

from dpcert import verify_certificate, verify_rung
from dpcert.audit.commands.arguments import assigned
from dpcert.audit.commands.interrupts import reading
from dpcert.audit.commands.output import foreign_prints_on_stderr, reason
from dpcert.audit.commands.scope_options import param_option
from dpcert.audit.errors import ArgumentError, one_line


@click.command()
@click.argument("certificate", metavar="FILE")
@click.option("--kernel", metavar="TARGET", help="Rebuild the game from this mechanism as well, and compare.")
@param_option("TARGET")
@click.option("--adjacency", metavar="NAME", help="With --kernel: the relation, where it is none of ours.")
def verify(certificate: str, kernel: str | None, params: tuple[tuple[str, str], ...], adjacency: str | None) -> int:
    """Check a certificate of `dpcert audit --certificate`; nothing of the solver has to be trusted.

    The same check is one file of plain Python, verify_certificate.py. Exit status: 0 valid; 1 invalid; 2 not readable;
    3 valid but for what is named.
    """
    try:
        with _opened(certificate) as lines:
            claims, header = verify_certificate.verify(lines)
            if header["rung"] is not None:
                claims = [*claims[:-1], verify_rung.verify_rung(lines, header)]
    except (OSError, ValueError) as error:
        why = reason(error) if getattr(error, "strerror", None) else str(error)
        raise ArgumentError(f"Expected a certificate but got FILE={one_line(certificate)} ({one_line(why)})") from None
    except verify_certificate.Invalid as error:
        click.echo(f"invalid: {error}")
        return 1
    if kernel is not None:
        with reading():
            from dpcert.audit.certificates.rebuilt import differs
        with _opened(certificate) as lines, foreign_prints_on_stderr():
            found = differs(lines, header, kernel, assigned(params), adjacency)
        if found:
            click.echo(f"invalid: {found}")
            return 1
        claims = [name for name in claims if not name.startswith("relation:")]
    click.echo("valid" + (f" but for {', '.join(claims)}" if claims else ""))
    return 3 if claims else 0


def _opened(path: str) -> TextIO:
    return open(path, encoding="utf-8", newline="\n")
