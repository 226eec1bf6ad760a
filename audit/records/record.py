"""The audit record: a JSON document under a versioned schema, byte-stable apart from `provenance`."""

import json
from collections.abc import Mapping
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any

from dpcert.audit.errors import ArgumentError, one_line
from dpcert.audit.finding import EXIT_STATUS, Verdict
from dpcert.audit.frozen import frozen
from dpcert.audit.render.headline import badge

SCHEMA = "dpcert.audit/1"


@frozen(repr=False)
class Record:
    """What an audit found, with its evidence; `record["adaptive"]["total_variation"]` reads the document.

    Args:
        document: The JSON document, under the schema that its `schema` names.
    Source: none; ours.

    >>> from dpcert import examine
    >>> from dpcert.mechanisms.randomized_response import RandomizedResponse
    >>> record = examine(RandomizedResponse(), horizon=1)
    >>> read(record.to_json()) == record, record.exit_status
    (True, 0)
    """

    document: Mapping[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self.document[key]

    @property
    def verdict(self) -> Verdict:
        """The verdict over every check that was asked for."""
        return Verdict(self.document["verdict"])

    @property
    def exit_status(self) -> int:
        """The exit status of a command with this verdict: 0 holds, 1 refuted, 3 undecided."""
        return EXIT_STATUS[self.verdict]

    def __repr__(self) -> str:
        target, rounds = one_line(str(self.document["target"]), 80), self.document["scope"]["horizon"]
        return f"<Record of {target}: {badge(self.document)} over {rounds} rounds>"

    def _repr_html_(self) -> str:
        """The page in a frame of its own, for a notebook: its style stays within, and nothing of it runs."""
        from html import escape

        return f'<iframe sandbox srcdoc="{escape(self.to_html())}" width="100%" height="600"></iframe>'

    def open(self) -> Path:
        """Shows the page in the user's browser.

        Returns: The file that the page was written to, in the system's folder for temporary files.
        """

        import webbrowser  # here, for hardly anybody asks for it
        from tempfile import NamedTemporaryFile

        with NamedTemporaryFile("w", prefix="dpcert-", suffix=".html", delete=False, encoding="utf-8") as file:
            file.write(self.to_html())
        webbrowser.open(Path(file.name).as_uri())
        return Path(file.name)

    def in_context(self, context: str | PathLike[str] | Mapping[str, Any]) -> "Record":
        """The same findings, with what an organisation declares of the mechanism's use beside them.

        Args:
            context: A TOML file, or the table that one would hold.
        Returns: A record with `context`; what it had of one is replaced.
        Raises: ArgumentError: no context; says what was expected.
        """
        from dpcert.audit.context.written import context as declared

        rest = {key: value for key, value in self.document.items() if key not in ("context", "provenance")}
        provenance = {key: value for key, value in self.document.items() if key == "provenance"}
        return Record({**rest, "context": declared(context), **provenance})

    def to_json(self) -> str:
        """The document as JSON text, keys in the order of the contract.

        Returns: ASCII, with a newline at the end; the same bytes from the same document.
        """
        return json.dumps(self.document, indent=1, ensure_ascii=True) + "\n"

    def to_html(self, certificate: str = "") -> str:
        """The report as one HTML page.

        Args:
            certificate: The text of the audit's certificate, which the page then offers as a download.
        Returns: A page that needs no network, pictures within.
        """
        from dpcert.audit.render.page import page

        return page(self.document, certificate)

    def to_markdown(self) -> str:
        """The report as Markdown, with tables as GitHub reads them.

        Returns: A text in which no name of a user is markup.
        """
        from dpcert.audit.render.markdown import markdown

        return markdown(self.document)

    def to_text(self) -> str:
        """The report as plain text.

        Returns: The lines that `dpcert audit` prints.
        """
        from dpcert.audit.render.text import summary

        return summary(self.document)


@cache
def schema() -> Any:
    """The JSON Schema of a record."""

    from importlib.resources import files

    return json.loads(files("dpcert.audit.records").joinpath("schemas/audit-1.json").read_text(encoding="utf-8"))


def read(text: str) -> Record:
    """The record in a JSON text, which agrees with itself.

    Raises: ArgumentError: no JSON, not a record of this schema, or one that contradicts itself; says where.
    """
    try:
        document = json.loads(text, parse_constant=_no_number)
        _checked(document)
    except json.JSONDecodeError as error:
        raise ArgumentError(f"Expected a JSON record but got line {error.lineno}: {one_line(error.msg)}") from None
    except RecursionError:
        raise ArgumentError("Expected a JSON record but got one that is nested too deeply") from None
    except ArgumentError:
        raise
    except ValueError as error:  # an integer of thousands of digits
        raise ArgumentError(f"Expected a JSON record but got {one_line(str(error), 160)}") from None
    return Record(document)


def _no_number(name: str) -> None:
    raise ArgumentError(f"Expected a JSON record but got {name}, which is no number of JSON")


def _checked(document: Any) -> None:
    """Raises: ArgumentError: not a record of this schema, or one that contradicts itself."""
    named = document.get("schema") if isinstance(document, dict) else None
    if isinstance(named, str) and named != SCHEMA:
        raise ArgumentError(f"Expected a {SCHEMA} record but got schema={one_line(named, 60)!r}")
    import jsonschema  # here, so that writing a record need not wait for what reads one

    worst = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema()).iter_errors(document))
    if worst is not None:
        raise ArgumentError(f"Expected a {SCHEMA} record but got {worst.json_path}: {one_line(worst.message, 160)}")
    from dpcert.audit.records.consistent import contradictions

    try:
        fault = next(contradictions(document), None)
    except (ArithmeticError, AttributeError, LookupError, TypeError) as error:  # a witness may hold any JSON
        fault = f"evidence cannot be read ({type(error).__name__})"
    if fault is not None:
        raise ArgumentError(f"Expected a record that agrees with itself but got one in which {one_line(fault, 200)}")
