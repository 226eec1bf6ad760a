"""`dpcert explain`: conditions and rungs in plain words."""

from difflib import get_close_matches

import click

from dpcert.audit.errors import ArgumentError, one_line
from dpcert.audit.render.explanations import EXPLANATIONS


@click.command()
@click.argument("name", metavar="ITEM|RUNG")
def explain(name: str) -> int:
    """Explain a condition of Checklist 1 or a rung of the ladder in plain words."""
    key = name.strip().upper().replace("-", "_").replace(" ", "_")
    found = EXPLANATIONS.get(key)
    if found is None:
        close = get_close_matches(key, EXPLANATIONS, n=1)
        hint = f"; did you mean {close[0]}?" if close else f"; there are {', '.join(EXPLANATIONS)}"
        raise ArgumentError(f"Expected a condition or a rung but got name={one_line(name)!r}{hint}")
    for title, text in (
        (key, found.meaning),
        ("A witness shows", found.witness),
        ("What usually repairs it", found.repair),
        ("Source", found.source),
    ):
        click.echo(click.wrap_text(f"{title}: {text}", width=100, subsequent_indent="  "))
    return 0
