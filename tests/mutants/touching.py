"""Which lines of a room's modules a test runs."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any
from unittest.mock import patch

from dpcert.audit.scripted import remembered

MOST_CALLS = 200
"""Calls of one function, by one test, that show no new line before it is followed no longer."""


_KNOWN: dict[str, str | None] = {}


def _named(file: str, files: Mapping[str, str]) -> str | None:
    """The module that a file is of, under whichever name code says that it is from it."""
    if file not in _KNOWN:
        _KNOWN[file] = files.get(os.path.realpath(file))
    return _KNOWN[file]


@dataclass
class Lines:
    """The lines that run while this is followed, of some files.

    Attributes:
        files: The names of modules by their files.
        ran: By module, the lines.
    """

    files: Mapping[str, str]
    ran: dict[str, set[int]] = field(default_factory=dict)
    _calls: Counter[CodeType] = field(default_factory=Counter)
    _left: dict[CodeType, set[int]] = field(default_factory=dict)

    def follow(self, run: Callable[[], Any]) -> Any:
        """What a function returns that is run and followed."""
        seen = remembered._is_users

        def theirs(hook: Any) -> bool:
            """As it was, but that what follows here is none of a mechanism's."""
            return hook != self._called and seen(hook)

        with patch.object(remembered, "_is_users", theirs):
            sys.settrace(self._called)
            try:
                return run()
            finally:
                sys.settrace(None)

    def _called(self, frame: FrameType, event: str, arg: Any) -> Any:  # noqa: ARG002 - as tracers are asked
        code = frame.f_code
        name = _named(code.co_filename, self.files)
        if name is None or self._calls[code] > MOST_CALLS:
            return None
        if code not in self._left:
            self._left[code] = {line for _, _, line in code.co_lines() if line}
        left = self._left[code]
        if not left:
            return None
        self._calls[code] += 1
        ran = self.ran.setdefault(name, set())
        ran.add(frame.f_lineno)
        left.discard(frame.f_lineno)

        def passed(frame: FrameType, event: str, arg: Any) -> Any:  # noqa: ARG001
            if event == "line" and frame.f_lineno in left:
                left.discard(frame.f_lineno)
                ran.add(frame.f_lineno)
                self._calls[code] = 0
            return passed

        return passed
