"""Commands that are listed, with the first line of their help, before the modules that they stand in are read."""

from typing import Any

import click

from dpcert.audit.commands.interrupts import reading
from dpcert.audit.entries import Entry, docstring


class Unread(click.Command):
    """The command that an entry names: in a list of commands by its docstring alone, loaded once it is called."""

    def __init__(self, entry: Entry) -> None:
        super().__init__(entry.name)
        self.entry = entry

    def get_short_help_str(self, limit: int = 45) -> str:
        """The first line of its help; what has none in its source is loaded for it."""
        text = docstring(self.entry)
        said = loaded(self.entry) if text is None else click.Command(self.name, help=text)
        return said.get_short_help_str(limit)

    def make_context(self, *arguments: Any, **named: Any) -> click.Context:
        """That of the command itself, which click goes on with."""
        return loaded(self.entry).make_context(*arguments, **named)


def whole(command: click.Command) -> click.Command:
    """The command itself, with its options: one that is listed unread is loaded for it."""
    return loaded(command.entry) if isinstance(command, Unread) else command


def loaded(entry: Entry) -> click.Command:
    """An installed command; one that does not load says so when it is run, and `--help` goes on."""
    try:
        with reading():
            command: click.Command = entry.load()
    except Exception as error:  # noqa: BLE001 - another package's command may fail in any way
        from dpcert.audit.errors import DpcertError  # only now is anything said of it
        from dpcert.audit.kernels.border import described

        text = f"The command {entry.name} does not load: {described(error)}"

        def fail() -> None:
            raise DpcertError(text)

        return click.Command(entry.name, callback=fail, help=text, context_settings={"ignore_unknown_options": True})
    return command
