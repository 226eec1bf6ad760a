"""`dpcert new`: a commented primitive to start from, one template a kind of mechanism."""

import ast
import shlex
import sys
from collections.abc import Iterator, Mapping
from keyword import iskeyword
from pathlib import Path

import click

from dpcert.audit.errors import ArgumentError, OutputError, one_line

TEMPLATES: Mapping[str, str] = {
    "markov": "new_markov.py.j2",
    "prefix": "new_prefix.py.j2",
    "interactive": "new_interactive.py.j2",
    "seeded": "new_seeded.py.j2",
}
"""Kind -> template; it is given `file`, the file's name, and `name`, the class's."""


@click.command()
@click.argument("file", metavar="NAME.py")
@click.option(
    "--kind",
    type=click.Choice(list(TEMPLATES)),
    default="markov",
    show_default=True,
    help="Laws given by a state, laws given by the inputs so far, hidden state, or code with a random generator.",
)
def new(file: str, kind: str) -> int:
    """Write a commented mechanism to start from."""
    target = create(Path(file), kind)
    click.echo(f"Wrote {one_line(file)}. Next:\n  dpcert audit {shlex.quote(target)}")
    return 0


def create(path: Path, kind: str) -> str:
    """Writes a new mechanism file, and returns the target string that audits it.

    Raises: ArgumentError: a name that cannot be used, or a file that exists. OutputError: it cannot be written.
    """
    source = render(path, kind)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(source)
    except FileExistsError:
        raise ArgumentError(f"Expected a new file but got name={_shown(path)}, which exists") from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(f"Expected a writable file but got name={_shown(path)} ({reason})") from None
    return f"{path}:{class_name(path)}"


def render(path: Path, kind: str) -> str:
    """The source text of a mechanism to start from that is to be kept at `path`."""
    return rendered(path, TEMPLATES[kind])


def rendered(path: Path, template: str, **values: object) -> str:
    """The source text that a template gives for a class named after `path`."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # here, for help needs none of it

    name = class_name(path)
    environment = Environment(
        loader=PackageLoader("dpcert.audit.render"), undefined=StrictUndefined, keep_trailing_newline=True
    )
    source = environment.get_template(template).render(file=path.name, name=name, **values)
    imported = set(_imported(source))
    if name in imported:
        listed = ", ".join(sorted(imported))
        raise ArgumentError(
            f"Expected a class other than {listed}, which the file imports, but got name={_shown(path)}"
        )
    return source


def class_name(path: Path) -> str:
    """The class that a file is named after.

    Raises: ArgumentError: no Python file, no identifier, or the name of a module that the file would hide.

    >>> class_name(Path("my_tree.py"))
    'MyTree'
    """
    stem = path.stem
    if path.suffix != ".py" or not _usable(stem):
        raise ArgumentError(f"Expected NAME.py where NAME is a Python identifier but got name={_shown(path)}")
    if stem == "dpcert" or stem in sys.stdlib_module_names:
        raise ArgumentError(f"Expected a name of one's own but got name={_shown(path)}, which hides the module {stem}")
    made = "".join(part[:1].upper() + part[1:] for part in stem.split("_"))
    if not _usable(made):
        raise ArgumentError(f"Expected NAME.py that a class can be named after but got name={_shown(path)}")
    return made


def _usable(name: str) -> bool:
    return name.isidentifier() and not iskeyword(name)


def _imported(source: str) -> Iterator[str]:
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)


def _shown(path: Path) -> str:
    return one_line(str(path), 120)
