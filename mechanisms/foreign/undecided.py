"""What is not decided, by its name."""

from dpcert.audit.errors import DpcertError


class UndecidedError(DpcertError):
    """Something sampled, amplified, too large, or of a kind that nothing is known of; its text is one line."""
