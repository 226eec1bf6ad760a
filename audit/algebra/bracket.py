"""A power function between two bounds, which are one and the same where it is known exactly."""

from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.frozen import frozen


@frozen
class Bracket:
    """lower <= truth <= upper, pointwise."""

    lower: PowerFunction
    upper: PowerFunction

    @property
    def exact(self) -> bool:
        """Whether the bounds are one curve."""
        return self.lower is self.upper or self.lower == self.upper


def exactly(power: PowerFunction) -> Bracket:
    """The bracket of a known curve."""
    return Bracket(power, power)
