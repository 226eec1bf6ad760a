"""`dpcert claims graph`, `mapping` and `assumptions`: what is published of the ledger.

What publishes is read when it is asked for: every command of the ledger reads this module.
"""

from collections.abc import Iterator
from pathlib import Path

import click

from dpcert.audit.commands.output import place
from dpcert.audit.errors import ArgumentError, one_line
from dpcert.proofs_checked.discovery import ledger
from dpcert.proofs_checked.expected import expected_standings
from dpcert.proofs_checked.graph import named

PUBLISHED = Path("reports")
PAGE, ERRATA = "paper_mapping.html", "errata.md"


@click.command("graph")
@click.argument("path", metavar="FILE.svg|FILE.graphml")
def graph_command(path: str) -> int:
    """Draw what rests on what, with direct and transitive verdicts, as SVG or as GraphML by the name of the file.

    Verdicts are those that expected.json pins; `dpcert claims check` decides them anew.
    """
    from dpcert.proofs_checked.published.drawing import as_graphml, as_svg
    from dpcert.proofs_checked.published.mapping import mapped

    makers = {".svg": lambda *given: as_svg(*given).encode(), ".graphml": as_graphml}
    make = makers.get(Path(path).suffix)
    if make is None:
        raise ArgumentError(f"Expected a file that ends in .svg or .graphml but got path={one_line(path)!r}")
    claims = ledger()
    where = place(path)
    where.write(make(mapped(claims, expected_standings()), claims))
    click.echo(f"Wrote {len(claims)} claims to {one_line(path)}.")
    return 0


@click.command("mapping")
@click.option("--check", "checking", is_flag=True, help="Compare with the files, byte for byte, instead.")
@click.option("--write", "folder", metavar="DIR", help=f"Write {PAGE} and {ERRATA}; with --check, compare [reports].")
def mapping_command(checking: bool, folder: str | None) -> int:
    """Map every label to kind, file, verdict, transitive verdict and method; or write that as a page, and the errata.

    Verdicts are those that expected.json pins. The witnesses of the errata are found anew. Exit status with --check: 0
    both files are what is computed, 1 one is not, and it says where.
    """
    from dpcert.proofs_checked.files import compare_files, make_folder, write_files
    from dpcert.proofs_checked.published.mapping import as_text, mapped

    if checking:
        return compare_files(Path(folder) if folder is not None else PUBLISHED, published(), "reports")
    if folder is None:
        click.echo(as_text(mapped(ledger(), expected_standings())), nl=False)
        return 0
    make_folder(Path(folder))
    return write_files(Path(folder), published())


def published() -> Iterator[tuple[str, bytes]]:
    """The names of the published files, and what is due in them."""
    from dpcert.proofs_checked.published.errata import errata
    from dpcert.proofs_checked.published.mapping import as_page, mapped

    claims, standings = ledger(), expected_standings()
    yield PAGE, as_page(mapped(claims, standings)).encode()
    yield ERRATA, errata(claims, standings).encode()


@click.command("assumptions")
@click.argument("names", nargs=-1, metavar="[ID|LABEL|ROW]...")
def assumptions_command(names: tuple[str, ...]) -> int:
    """List what claims take for granted: all below them that is cited, conditional, ambiguous or refuted, and axioms.

    Without a name, of the whole ledger. Verdicts are those that expected.json pins.
    """
    from dpcert.proofs_checked.published.assumptions import assumed

    claims = ledger()
    for line in assumed([entry.id for entry in named(names, claims)], claims, expected_standings()):
        click.echo(line)
    return 0
