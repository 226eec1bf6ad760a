"""Shell completion: the script to be sourced, and the names that TARGET completes to."""

import click
from click.shell_completion import CompletionItem, get_completion_class

from dpcert.audit.entries import built_in

SHELLS = ("bash", "zsh", "fish")


def complete_target(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The built-in names that begin so, and the shell's own completion of file names."""
    names = [CompletionItem(name) for name in built_in() if name.startswith(incomplete)]
    return [CompletionItem(incomplete, type="file"), *names]


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> int:
    """Print the completion script of a shell.

    In bash: source <(dpcert completion bash); in zsh the same; in fish: dpcert completion fish | source.
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"Expected a shell that click completes in but got shell={shell}")
    click.echo(kind(context.find_root().command, {}, "dpcert", "_DPCERT_COMPLETE").source())
    return 0
