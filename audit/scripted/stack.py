"""How deep calls may go: as deep in another process as where a run would have been made."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


def stack_left() -> int:
    """How many calls there may be inside one another from here on, as Python counts them against its limit."""
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(1)
    except RecursionError as error:
        return limit - int(str(error).split("depth ")[1].split(":")[0])
    raise RuntimeError("a stack of no depth")


@contextmanager
def leaving_as_much(left: int) -> Iterator[None]:
    """Leaves as much of the stack to what is called inside as there is where another process calls it.

    Args:
        left: What `stack_left` said there.
    """
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + left - stack_left())
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
