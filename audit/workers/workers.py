"""Who carries out the calls of a command: this process, others of this machine, or the workers of a Dask scheduler."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Any

from dpcert.audit.budget import silent
from dpcert.audit.errors import ArgumentError
from dpcert.audit.frozen import frozen

if TYPE_CHECKING:
    from dpcert.audit.workers.calls import Calls


@frozen
class Workers:
    """What `--jobs` and `--scheduler` say.

    Attributes:
        jobs: Processes of this machine at once; with one, calls are carried out in this process.
        scheduler: Address of a Dask scheduler, whose workers carry them out instead.
        say: Takes the line that says why they do not.
    """

    jobs: int = 1
    scheduler: str | None = None
    say: Callable[[str], None] = field(default=silent, compare=False)

    @property
    def here(self) -> bool:
        """Whether there are no others than this process."""
        return self.jobs == 1 and self.scheduler is None

    def check(self) -> None:
        """Looks for the scheduler, where one was asked for. Raises: ArgumentError: there is none, or no Dask."""
        if self.scheduler is not None:
            from dpcert.audit.workers.scheduler import reached

            reached(self.scheduler)

    def calls(self, function: Callable[[Any], Any], **options: Any) -> "Calls":
        """Calls of a function, to be carried out by others.

        Args:
            function: Of a module, by its name.
            options: What `Calls` takes beside its crew.
        """
        from dpcert.audit.workers.calls import Calls  # only now are threads needed

        return Calls(function, self.crew(), **options)

    def answers(
        self, function: Callable[[Any], Any], arguments: Sequence[Any], what: Callable[[Any], str]
    ) -> Iterator[tuple[int, Any]]:
        """(number, answer) of each argument as they come in; one after the other where this process is alone.

        Args:
            function: Of a module, by its name.
            arguments: What it is called with, one a call.
            what: Names an argument, for the line that says that its answer was lost.
        Raises: ArgumentError: an answer that was lost several times; no scheduler, no worker, or one that is not set
            up for this. Whatever the function raises.
        """
        if self.here:
            yield from ((number, function(argument)) for number, argument in enumerate(arguments))
            return
        for reply in self.calls(function).replies(arguments):
            if reply.lost:
                raise ArgumentError(f"Expected workers that stay but got {what(arguments[reply.number])}: {reply.lost}")
            yield reply.number, reply.answer

    def crew(self) -> Callable[[], Any]:
        if self.scheduler is None:
            from dpcert.audit.workers.local import local_crew

            return partial(local_crew, self.jobs)
        from dpcert.audit.workers.scheduler import dask_crew

        return partial(dask_crew, self.scheduler)


THIS_PROCESS = Workers()
