"""What `plan sgd` and `run sgd` are both asked: clip, step sizes, sums, optimiser, events of a user."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from dpcert.audit.commands.arguments import WholeNumber

F = TypeVar("F", bound=Callable[..., Any])


def learning_options(rate: str) -> Callable[[F], F]:
    """Declares --clip, --learning-rate, --core, --optimiser, --events-per-user and --apart.

    Args:
        rate: The step size that stands where none is given.
    """
    options = (
        click.option(
            "--clip",
            default="1",
            show_default=True,
            help="G: the norm of gradients at most; or adaptive=START.",
        ),
        click.option("--learning-rate", default=rate, show_default=True, help="η: RATE, or RATE,RATE@BIN,..."),
        click.option("--core", default="tree", show_default=True, help="tree, square-root, band=B or blt=K."),
        click.option(
            "--optimiser", default="plain", show_default=True, help="plain, momentum=B, average, adam=SIZE, ..."
        ),
        click.option("--events-per-user", type=WholeNumber(), default=1, show_default=True, help="At most."),
        click.option("--apart", type=WholeNumber(), default=1, show_default=True, help="Events between two, at least."),
    )

    def declared(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return declared
