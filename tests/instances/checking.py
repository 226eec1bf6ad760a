"""The checker of certificates as far as it has read some lines, to try its parts one by one."""

from typing import Any

from dpcert.verify_certificate import Checker

MANY = 10**9
"""A last use that does not come."""


def checker(**header: Any) -> Checker:
    """One that has read a header alone."""
    return Checker(
        {
            "schema": "dpcert.certificate/2", "target": "t", "game_digest": "sha256:0", "game": "paired",
            "hidden": True, "alphabet": ["0", "1"], "null": None, "horizon": 2, "adjacency": "hamming", "hops": 1,
            "challenge_round": None, "exp_epsilons": ["1", "2"], "gap": "0", "rung": None,
            "digits": 30, "live": 1_000, "lines": 1_000,
        }
        | header
    )  # fmt: skip


def in_round(round_: int, one: Checker) -> Checker:
    """The same where positions of a round come; those of the rounds after it have one position each."""
    for number in range(one.horizon, round_ - 1, -1):
        one.read({"round": number})
        if number > round_:
            one.here["a position"] = 0
    return one


def reads(one: Checker, **line: Any) -> int:
    """The number of a line that is in use from now on."""
    one.read({**line, "last": MANY})
    return one.line
