"""`dpcert explain`: conditions, rungs and words of a report in plain words."""

from difflib import get_close_matches

import click

from dpcert.audit.errors import ArgumentError, one_line
from dpcert.audit.finding import Item
from dpcert.audit.render.explanations import EXPLANATIONS
from dpcert.audit.render.glossary import GLOSSARY

ITEMS = [item.value for item in Item]
RUNGS_EXPLAINED = [name for name in EXPLANATIONS if name not in ITEMS]


@click.command()
@click.argument("name", metavar="[ITEM|NUMBER|RUNG|WORD]", nargs=-1)
def explain(name: tuple[str, ...]) -> int:
    """Explain a condition of Checklist 1, a rung of the ladder, or a word of a report; list them without a name.

    Conditions go by name or by number, 1 to 5.
    """
    query = " ".join(" ".join(name).split())
    if not name:
        _list()
        return 0
    key = query.upper().replace("-", "_").replace(" ", "_")
    if query in map(str, range(1, len(ITEMS) + 1)):
        key = ITEMS[int(query) - 1]
    if key in EXPLANATIONS:
        found = EXPLANATIONS[key]
        told = {key: found.meaning, "A witness shows": found.witness, "What usually repairs it": found.repair}
        for title, text in (told | {"Source": found.source}).items():
            _say(f"{title}: {text}")
        return 0
    word = query.lower().replace("_", " ").replace("-", " ")
    if word not in GLOSSARY:
        raise ArgumentError(
            f"Expected a condition, a rung or a word but got name={one_line(query)!r}{_hint(key, word)}"
        )
    _say(f"{word}: {GLOSSARY[word]}")
    return 0


def _list() -> None:
    """Everything that can be explained, by kind."""
    click.echo("Conditions of Checklist 1, by name or number:")
    for number, item in enumerate(ITEMS, 1):
        click.echo(f"  {number}  {item}")
    click.echo("Rungs of the ladder that decides STABLE_COST, the strongest first:")
    click.echo(f"  {', '.join(RUNGS_EXPLAINED)}")
    click.echo("Words of a report:")
    click.echo(click.wrap_text(", ".join(GLOSSARY), width=98, initial_indent="  ", subsequent_indent="  "))


def _hint(key: str, word: str) -> str:
    close = get_close_matches(key, EXPLANATIONS, n=1) or get_close_matches(word, GLOSSARY, n=1)
    return f"; did you mean {close[0]}?" if close else "; `dpcert explain` lists them"


def _say(text: str) -> None:
    click.echo(click.wrap_text(text, width=100, subsequent_indent="  "))
