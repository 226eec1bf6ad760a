"""`dpcert list`: what is installed, by name."""

import click

from dpcert.audit import entries
from dpcert.audit.entries import Entry
from dpcert.audit.errors import one_line


@click.command("list")
@click.option("--broken", is_flag=True, help="List the deliberate faults, each with its repaired twin, instead.")
def list_targets(broken: bool) -> int:
    """List the built-in mechanisms, one a line."""
    listed = entries.broken() if broken else entries.built_in()
    width = max(map(len, listed), default=0) + 2
    for name, entry in listed.items():
        click.echo(f"{name:{width}}{_first_line(entry)}")
    return 0


def _first_line(entry: Entry) -> str:
    try:
        return one_line((entries.docstring(entry) or entry.load().__doc__ or "").strip().split("\n")[0])
    except Exception as error:  # noqa: BLE001 - another package's target may fail in any way; the list goes on
        return f"(does not load: {type(error).__name__})"
