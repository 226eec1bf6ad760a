"""Options that say the same of a target in several commands: its parameters, its challenge round, and slopes."""

from collections.abc import Callable
from typing import Any

import click

from dpcert.audit.commands.arguments import Assignment, Rational, WholeNumber

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

challenge_round_option = click.option(
    "--challenge-round", type=WholeNumber(), help="The one round in which the streams differ [default: any]."
)


def param_option(of: str = "the mechanism") -> Decorator:
    """`--param`: NAME=VALUE of what the help calls `of`; repeatable."""
    return click.option("--param", "params", multiple=True, type=Assignment(), help=f"A parameter of {of}; repeatable.")


def exp_epsilon_option(use: str) -> Decorator:
    """`--exp-epsilon`: slopes for what the help says of them; repeatable."""
    return click.option(
        "--exp-epsilon",
        "exp_epsilons",
        multiple=True,
        type=Rational(),
        help=f"Rational e^epsilon {use}; repeatable [default: 1, 3/2, 2, 3, 5, 10].",
    )
