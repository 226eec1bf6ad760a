"""A power function between two bounds, which are one and the same where it is known exactly."""

from dataclasses import dataclass

from dpcert.audit.algebra.power import PowerFunction


@dataclass(frozen=True)
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
