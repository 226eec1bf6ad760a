"""What became of a call that somebody else carried out."""

from typing import Any

from dpcert.audit.frozen import frozen

LOST_RETRIES = 3
"""Times that a call is given out again after its process or its worker was lost."""


@frozen
class Reply:
    """What became of one call.

    Attributes:
        number: Which one, in the order in which they were asked.
        answer: What it answered.
        lost: Why there is no answer, in one line.
        begun: Whether it was given out at all.
    """

    number: int
    answer: Any = None
    lost: str = ""
    begun: bool = True
