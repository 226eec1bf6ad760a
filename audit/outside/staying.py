"""While a target is read and built its code cannot end the process without a word: an audit would have no record."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

_ENDINGS = ("_exit", "abort")


@contextmanager
def staying() -> Iterator[None]:
    """In its body, also as a decorator, what ends a process at once raises SystemExit in this one instead.

    Code that keeps such a function keeps the one that raises.
    """
    before = {name: getattr(os, name) for name in _ENDINGS}
    for name, ending in before.items():
        setattr(os, name, partial(_refused, name, ending, os.getpid()))
    try:
        yield
    finally:
        for name, ending in before.items():
            setattr(os, name, ending)


def _refused(name: str, ending: Callable[..., Any], process: int, *arguments: Any) -> Any:
    if os.getpid() != process:  # a copy, which ends as it likes
        return ending(*arguments)
    raise SystemExit(f"it called os.{name}")
