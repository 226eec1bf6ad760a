"""New files from templates: the text that a template gives, written where there is no file yet."""

from pathlib import Path

from dpcert.audit.errors import ArgumentError, OutputError, one_line


def filled(template: str, **values: object) -> str:
    """The text that a template gives for these values; all that it names have to be there."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # here, for help needs none of it

    environment = Environment(  # text for programs and no page: nothing is escaped
        loader=PackageLoader("dpcert.audit.render"), undefined=StrictUndefined, keep_trailing_newline=True
    )
    return environment.get_template(template).render(**values)


def write_new(path: Path, text: str) -> None:
    """Writes a file that is not there yet.

    Raises: ArgumentError: it exists. OutputError: it cannot be written.
    """
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise there_already(path) from None
    except OSError as error:
        raise unwritable(path, error) from None


def there_already(path: Path) -> ArgumentError:
    """The error about a file that is there, and stays as it is."""
    return ArgumentError(f"Expected a new file but got name={shown(path)}, which exists")


def unwritable(path: Path, error: OSError) -> OutputError:
    """The error about a file that cannot be made."""
    reason = error.strerror or type(error).__name__
    return OutputError(f"Expected a writable file but got name={shown(path)} ({reason})")


def shown(path: Path) -> str:
    """The name of a file within a message."""
    return one_line(str(path), 120)
