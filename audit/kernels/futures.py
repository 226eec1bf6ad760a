"""Prefixes of one law and one future as one state: what nobody who sees releases alone can ever tell apart."""

from collections.abc import Hashable
from dataclasses import replace

from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.prefix_laws import Prefix, PrefixLaws
from dpcert.audit.limits import look

MERGED_FROM = 500
"""Prefixes, over all rounds, up to which each is a state of its own."""
MOST_PREFIXES = 1 << 21
"""Prefixes, over all rounds, past which none are merged: every law would have to be asked for first."""


def count_prefixes(inputs: int, horizon: int) -> int:
    """Prefixes of 1 to `horizon` rounds over so many inputs; some number past MOST_PREFIXES where it is past that."""
    count = here = 0
    for _ in range(horizon):
        here = max(1, here) * inputs
        count += here
        if count > MOST_PREFIXES:
            break
    return count


def merged_by_futures(core: Core, horizon: int) -> Core:
    """The core with the prefixes of one round merged whose laws are equal and that every input leads to merged ones.

    A merged state is the first prefix of its class, so a law and a description are those of this prefix. It answers
    within the horizon only, past which two merged prefixes may part: `whole` is the core that goes on. Every law is
    asked for, once. A core that has states of its own, few prefixes, too many, or few that merge is given back.
    """
    prefixes = count_prefixes(len(core.alphabet), horizon)
    if not core.tells_prefixes_apart or not MERGED_FROM < prefixes <= MOST_PREFIXES:
        return core
    after = _merged_steps(core.ask_prefixes(horizon), horizon)
    if 2 * len(after) > prefixes:
        return core

    def advance(state: Prefix, x: Hashable) -> Prefix:
        try:
            return after[(*state, x)]
        except KeyError:
            raise RuntimeError(
                "a merged core was asked past its horizon, or for an input that is not its own"
            ) from None

    return replace(core, _advance=advance, _law=core.law, _again=core.law_again, whole=core)


def _merged_steps(laws: PrefixLaws, horizon: int) -> dict[Prefix, Prefix]:
    """(first prefix of a class, longer by one input) -> first prefix of the class that it is in."""
    from dpcert.audit.kernels.merging import classes_of

    inputs = laws.inputs
    steps: dict[Prefix, Prefix] = {}
    here: dict[int, Prefix] = {0: ()}
    for rounds, classes in enumerate(classes_of(laws.rounds[:horizon], len(inputs)), 1):
        look()
        following: dict[int, Prefix] = {}
        for number, prefix in here.items():
            for i, x in enumerate(inputs):
                target = int(classes.first[classes.of[number * len(inputs) + i]])
                if target not in following:
                    following[target] = laws.prefix(rounds, target)
                steps[(*prefix, x)] = following[target]
        here = following
    return steps
