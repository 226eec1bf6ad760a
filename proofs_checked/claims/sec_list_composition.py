"""sec:list_composition: where the transcript of the composition begins."""

from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.proofs_checked.cases.plays import view_law
from dpcert.proofs_checked.ledger import claim, found


def _seen(first: int) -> int:
    """Releases in the view of a session of two rounds, `first` of them before any input."""
    law = view_law(RandomizedResponse(), lambda _: (0, 1), 0, 2)
    return first + max(map(len, law.support))


@claim("sec:list_composition", row=114, method=Method.EXHAUSTIVE, scope="randomised response over two rounds",
       readings={"rounds 1 to T alone": 0, "v_0, released before any input, too": 1})  # fmt: skip
def a_view_has_one_release_a_round(subject: int) -> Finding:
    """A transcript of T rounds holds T releases: one section begins with v_0, and the other does not.

    What is released before any input has one law in both worlds, so that no curve depends on it.
    """
    count = _seen(subject)
    return found(count == 2, f"{count} releases in 2 rounds.", releases=count)
