"""Up to which sizes the exact game of a designed scheduler is solved."""

SOLVED_LEVEL, SOLVED_LOADS, SOLVED_NOISE = 8, 2, 64
"""Up to this level, so many loads, and noise of so many values the scheduler's own game is solved."""


def within_reach(level: int, noise_values: int) -> bool:
    """Whether the exact game of a scheduler is solved.

    Args:
        level: U, events.
        noise_values: How many values the noise of one node takes.
    """
    return level <= SOLVED_LEVEL and noise_values <= SOLVED_NOISE
