"""The digest of every law that a mechanism can release by within so many rounds, whatever it is handed."""

import hashlib
from typing import Any

from dpcert.audit.algebra.rational import integer_text
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.hidden import Hidden
from dpcert.audit.kernels.label import exactly
from dpcert.audit.kernels.view import View

MOST_LAWS_IN_SCOPE = 20_000
"""Laws, by state and input, past which a mechanism has no digest of its laws, so that no audit of it is kept."""


def laws_in_scope(view: View, inputs: tuple[Any, ...], rounds: int) -> str | None:
    """The digest; None where there are too many laws. Each is asked for once, as a new answer.

    Args:
        view: The mechanism.
        inputs: All that a world can be handed.
        rounds: How many rounds there are.
    """
    digest = hashlib.sha256()
    states: dict[Any, None] = {view.initial: None}
    count = 0
    for round_ in range(1, rounds + 1):
        longer: dict[Any, None] = {}
        digest.update(f"round {integer_text(round_)}\n".encode())
        for line, after in (_asked(view, state, x) for state in states for x in inputs):
            count += 1
            if count > MOST_LAWS_IN_SCOPE:
                return None
            digest.update(line.encode(errors="surrogatepass"))
            longer |= after
        states = longer
    return digest.hexdigest()


def _asked(view: Core | Hidden, state: Any, x: Any) -> tuple[str, dict[Any, None]]:
    """One law as a line, and the states that follow."""
    kernel = view.kernel(state, x)
    entries = sorted(f"{exactly(v)}\t{exactly(s)}\t{integer_text(w)}" for v, s, w in kernel.entries)
    line = "\t".join((exactly(state), exactly(x), integer_text(kernel.denominator), *entries))
    return line + "\n", {after: None for _, after, _ in kernel.entries}
