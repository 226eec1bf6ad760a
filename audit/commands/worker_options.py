"""`--jobs` and `--scheduler`, wherever work can be given to others."""

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from dpcert.audit.commands.arguments import WholeNumber
from dpcert.audit.errors import ArgumentError
from dpcert.audit.workers.workers import Workers

F = TypeVar("F", bound=Callable[..., Any])


def worker_options(of_processes: str, of_workers: str) -> Callable[[F], F]:
    """Declares --jobs and --scheduler.

    Args:
        of_processes: What the help says of processes of this machine.
        of_workers: What the workers of a scheduler do.
    """

    def declared(command: F) -> F:
        scheduler = click.option(
            "--scheduler", metavar="ADDRESS", help=f"A Dask scheduler, whose workers {of_workers}."
        )
        return click.option("--jobs", type=WholeNumber(), help=of_processes)(scheduler(command))

    return declared


def workers_asked(jobs: int | None, scheduler: str | None, otherwise: int | None = None) -> Workers:
    """Who is to carry out the work.

    Args:
        jobs: Processes of this machine, where they were asked for.
        scheduler: The address of a Dask scheduler, where one was.
        otherwise: Processes where neither was; None for one a core.
    Raises: ArgumentError: both.
    """
    if jobs is not None and scheduler is not None:
        raise ArgumentError("Expected --jobs or --scheduler but got both")
    return Workers(jobs or otherwise or len(os.sched_getaffinity(0)), scheduler)
