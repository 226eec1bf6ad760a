"""`dpcert claims`: the ledger checked, listed and shown."""

import json
import textwrap
from collections.abc import Sequence

import click

from dpcert.audit.commands.output import place, places, progress_line, write_all
from dpcert.audit.commands.worker_options import worker_options, workers_asked
from dpcert.proofs_checked.discovery import ledger
from dpcert.proofs_checked.graph import named
from dpcert.proofs_checked.ledger import Claim
from dpcert.proofs_checked.proofs import changed, is_stale, proof_words, theorems
from dpcert.proofs_checked.published.commands import assumptions_command, graph_command, mapping_command
from dpcert.proofs_checked.verify import CheckedClaim, alone, check


@click.group()
def claims() -> None:
    """The paper's claims: each with a check, a verdict, and a mutant that the check refutes."""


for command in (graph_command, mapping_command, assumptions_command):
    claims.add_command(command)


@claims.command("check")
@click.argument("names", nargs=-1, metavar="[ID|LABEL|ROW]...")
@worker_options("Processes [default: the cores there are].", "decide the claims")
@click.option("--json", "json_path", metavar="FILE", help="Write the ledger as JSON; - is standard output.")
@click.option("--markdown", "markdown_path", metavar="FILE", help="Write it as a Markdown table; - is standard output.")
@click.option("--quiet", is_flag=True, help="Print nothing; the exit status tells.")
def check_command(
    names: tuple[str, ...],
    jobs: int | None,
    scheduler: str | None,
    json_path: str | None,
    markdown_path: str | None,
    quiet: bool,
) -> int:
    """Decide every claim, or those named; exit status 0 if and only if every verdict is the expected one."""
    workers = workers_asked(jobs, scheduler)
    entries = named(names, ledger())
    to = places(json=json_path, markdown=markdown_path)
    on_screen = not quiet and "-" not in (json_path, markdown_path)
    if on_screen:
        place("-")
    with progress_line(quiet) as progress:
        ids = [entry.id for entry in entries]
        lines, gone = check(ids, workers, progress)
    as_json = lambda: json.dumps({"claims": [line.document() for line in lines]}, indent=1) + "\n"  # noqa: E731
    outputs = [(to.get("json"), as_json), (to.get("markdown"), lambda: markdown(lines))]
    write_all(outputs, (lambda: _print(lines, gone)) if on_screen else None)
    return 0 if not gone and all(line.as_expected for line in lines) else 1


@claims.command("list")
def list_command() -> int:
    """List the claims, one a line: row, id, statement, and what has been proved in Coq."""
    for entry in ledger().values():
        words = proof_words(entry.theorems)
        click.echo(f"{_row(entry):>4}  {entry.id}  {entry.statement}{words and f'  {words}'}")
    return 0


@claims.command("show")
@click.argument("name", metavar="ID|LABEL|ROW")
def show_command(name: str) -> int:
    """Decide one statement and show what was found, with its witness.

    It alone is run: the transitive verdict takes what it rests on as it is pinned, and says so. `dpcert claims check`
    runs all of that too.
    """
    lines = alone(entry.id for entry in named((name,), ledger()))
    click.echo("\n\n".join(_whole(line) for line in lines))
    return 0 if all(line.as_expected for line in lines) else 1


def _print(lines: Sequence[CheckedClaim], gone: Sequence[str]) -> None:
    for line in lines:
        mark = "" if line.as_expected else f"   ({_unexpected(line)})"
        passed_on = "" if line.transitive is line.outcome.standing else f" / {line.transitive.value}"
        click.echo(f"{_row(line.entry):>4}  {line.outcome.standing.value + passed_on:25}  {line.entry.id}{mark}")
        if mark:
            click.echo(textwrap.indent(textwrap.fill(line.outcome.finding.detail, 100), " " * 8))
    for name in gone:
        click.echo(f"      expected.json names a claim that is not in the ledger: {name}")
    agree = sum(line.as_expected for line in lines)
    click.echo(f"{len(lines)} claims, {agree} with the expected verdict")


def _unexpected(line: CheckedClaim) -> str:
    """What is not as expected of a line."""
    if line.outcome.standing.value != line.expected:
        return f"expected {line.expected or 'no such claim'}"
    return f"the proof is not that which Coq read: {proof_words(line.entry.theorems)}"


def _row(entry: Claim) -> str:
    return "-" if entry.row is None else str(entry.row)


def _whole(line: CheckedClaim) -> str:
    """One claim in full."""
    document = line.document()
    rows = [("claim", document["id"]), ("row", _row(line.entry)), ("says", document["statement"])]
    rows += [("verdict", document["verdict"]), ("transitive", _passed_on(line))]
    rows += [("method", _method(line)), ("scope", document["scope"] or "-"), ("detail", document["detail"] or "-")]
    rows += [("proved", _proved(name)) for name in line.entry.theorems]
    if document["witness"]:
        rows.append(("witness", json.dumps(document["witness"], indent=1, default=str)))
    return "\n".join(f"{name:12}{textwrap.indent(str(value), ' ' * 12).lstrip()}" for name, value in rows)


def _method(line: CheckedClaim) -> str:
    """How the check decides, and what is proved beside it."""
    found = line.outcome.finding.method
    return ", ".join(filter(None, (found and found.value, proof_words(line.entry.theorems)))) or "-"


def _proved(name: str) -> str:
    """A theorem that proves a claim: what it says and is about, what it assumes, whether it is stale."""
    entry = theorems().get(name)
    if entry is None:
        return f"{name}: there is no such theorem"
    stale = f"\nstale: Coq has not read {', '.join(changed(entry))} as it is" if is_stale((name,)) else ""
    return f"{name}: {entry.says}\nscope: {entry.scope}; axioms: {entry.assumptions}{stale}"


def _passed_on(line: CheckedClaim) -> str:
    """The transitive standing, and how much of it was not found here."""
    said, count = line.transitive.value, len(line.pinned)
    if not count:
        return said
    rest = f"{count} claim{'' if count == 1 else 's'}"
    return (
        f"{said}, with the verdicts that expected.json pins for {rest} that it rests on, not run here\n"
        f"(`dpcert claims check {line.entry.id}` runs all)"
    )


def markdown(lines: Sequence[CheckedClaim]) -> str:
    """The ledger as a table, direct and transitive verdicts in two columns."""
    head = "| row | claim | verdict | transitive | method | says |\n|---|---|---|---|---|---|\n"
    return head + "".join(
        f"| {_row(line.entry)} | `{line.entry.id}` | {line.outcome.standing.value} | {line.transitive.value} "
        f"| {_method(line)} | {line.entry.statement.replace('|', chr(92) + '|')} |\n"
        for line in lines
    )
