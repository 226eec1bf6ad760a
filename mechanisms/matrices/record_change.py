"""What one record's coming, going or becoming another changes: by G, or by 2 G, in every participation."""

from enum import Enum
from fractions import Fraction

from dpcert.audit.errors import expected


class RecordChange(Enum):
    """How two neighbouring streams differ in a participation, of records clipped to norm G.

    ZERO_OUT: a record is there or 0, as when it is added or removed; a change of norm at most G.
    REPLACE_ONE: a record is one or another; a change of norm at most 2 G, as between a record and its negative.
    """

    ZERO_OUT = 1
    REPLACE_ONE = 2

    def most(self, clip: Fraction) -> Fraction:
        """The norm of a change at most: what the sensitivity of the encoder is multiplied by.

        Raises: ArgumentError: clip is not positive.

        >>> RecordChange.REPLACE_ONE.most(Fraction(1, 2))
        Fraction(1, 1)
        """
        if clip <= 0:
            raise expected("a positive clip norm", clip=clip)
        return self.value * clip
