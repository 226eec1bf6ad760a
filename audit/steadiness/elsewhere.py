"""`python -m dpcert.audit.steadiness.elsewhere`: plays live runs of a target, for an audit in another process.

Standard input has two pickles: the target with its parameters and the folders that it imports from; and the runs, each
its inputs in exact words and the outcomes of its draws. Standard output has one: the alphabet, and what each run showed
round by round, or why the target could not be read.
"""

import os
import pickle
import sys
from typing import Any

from dpcert.audit.errors import DpcertError
from dpcert.audit.kernels import targets
from dpcert.audit.kernels.label import exactly
from dpcert.audit.kernels.view import any_view_of
from dpcert.audit.outside.interpreters import Elsewhere
from dpcert.audit.steadiness.live_runs import Choices
from dpcert.audit.steadiness.watched import alone


def _main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what the user's code prints is nobody's answer
    target, parameters, folders = pickle.load(sys.stdin.buffer)
    for folder in folders:
        targets.append_to_path(folder)
    try:
        mechanism = targets.find(target, parameters).mechanism
        answer: Elsewhere | str = _played(mechanism, *pickle.load(sys.stdin.buffer))
    except DpcertError as error:
        answer = str(error)
    with answers:
        pickle.dump(answer, answers)


def _played(mechanism: Any, runs: list[tuple[list[str], Choices]], known: Any) -> Elsewhere:
    if known is not None:
        mechanism.learn(known)
    inputs = {exactly(x): x for x in any_view_of(mechanism).alphabet}
    if any(x not in inputs for stream, _ in runs for x in stream):
        return Elsewhere(tuple(sorted(inputs)), [])
    played = [alone(mechanism, [(inputs[x],) for x in stream], choices) for stream, choices in runs]
    return Elsewhere(tuple(sorted(inputs)), played)


if __name__ == "__main__":
    _main()
