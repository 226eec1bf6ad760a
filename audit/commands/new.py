"""`dpcert new`: a commented primitive to start from, one template a kind of mechanism; with `--ci`, ready files."""

import ast
import shlex
import sys
from collections.abc import Iterator, Mapping
from keyword import iskeyword
from pathlib import Path

import click

from dpcert.audit.commands.fresh import filled, shown, write_new
from dpcert.audit.commands.ready import SERVICES, make_ready
from dpcert.audit.errors import ArgumentError, one_line

TEMPLATES: Mapping[str, str] = {
    "markov": "new_markov.py.j2",
    "prefix": "new_prefix.py.j2",
    "interactive": "new_interactive.py.j2",
    "seeded": "new_seeded.py.j2",
}
"""Kind -> template; it is given `file`, the file's name, and `name`, the class's."""


@click.command()
@click.argument("file", metavar="NAME.py", required=False)
@click.option(
    "--kind",
    type=click.Choice(list(TEMPLATES)),
    default="markov",
    show_default=True,
    help="Laws given by a state, laws given by the inputs so far, hidden state, or code with a random generator.",
)
@click.option(
    "--ci",
    "service",
    type=click.Choice(list(SERVICES)),
    help="Instead of NAME.py: a job that runs the suite, and dpcert.toml where there is no suite.",
)
@click.pass_context
def new(context: click.Context, file: str | None, kind: str, service: str | None) -> int:
    """Write a commented mechanism to start from, or the files of a service that runs a suite."""
    if (file is None) is (service is None):
        got = "neither" if file is None else f"name={one_line(file)} and ci={service}"
        raise ArgumentError(f"Expected NAME.py or --ci SERVICE but got {got}")
    if file is not None:
        target = create(Path(file), kind)
        click.echo(f"Wrote {one_line(file)}. Next:\n  dpcert audit {shlex.quote(target)}")
        return 0
    if context.get_parameter_source("kind") is not click.core.ParameterSource.DEFAULT:
        raise ArgumentError(f"Expected --kind with NAME.py but got kind={kind} and ci={service}")
    made = make_ready(service or "", Path())
    written = " and ".join(map(str, made.files))
    found = f"; the suite is {made.suite}" if len(made.files) == 1 else ""
    click.echo(f"Wrote {written}{found}. Next:\n  dpcert audit --suite {made.suite}")
    return 0


def create(path: Path, kind: str) -> str:
    """Writes a new mechanism file, and returns the target string that audits it.

    Raises: ArgumentError: a name that cannot be used, or a file that exists. OutputError: it cannot be written.
    """
    write_new(path, render(path, kind))
    return f"{path}:{class_name(path)}"


def render(path: Path, kind: str) -> str:
    """The source text of a mechanism to start from that is to be kept at `path`."""
    return rendered(path, TEMPLATES[kind])


def rendered(path: Path, template: str, **values: object) -> str:
    """The source text that a template gives for a class named after `path`."""
    name = class_name(path)
    source = filled(template, file=path.name, name=name, **values)
    imported = set(_imported(source))
    if name in imported:
        listed = ", ".join(sorted(imported))
        raise ArgumentError(f"Expected a class other than {listed}, which the file imports, but got name={shown(path)}")
    return source


def class_name(path: Path) -> str:
    """The class that a file is named after.

    Raises: ArgumentError: no Python file, no identifier, or the name of a module that the file would hide.

    >>> class_name(Path("my_tree.py"))
    'MyTree'
    """
    stem = path.stem
    if path.suffix != ".py" or not _usable(stem):
        raise ArgumentError(f"Expected NAME.py where NAME is a Python identifier but got name={shown(path)}")
    if stem == "dpcert" or stem in sys.stdlib_module_names:
        raise ArgumentError(f"Expected a name of one's own but got name={shown(path)}, which hides the module {stem}")
    made = "".join(part[:1].upper() + part[1:] for part in stem.split("_"))
    if not _usable(made):
        raise ArgumentError(f"Expected NAME.py that a class can be named after but got name={shown(path)}")
    return made


def _usable(name: str) -> bool:
    return name.isidentifier() and not iskeyword(name)


def _imported(source: str) -> Iterator[str]:
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
