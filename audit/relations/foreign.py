"""The border to a neighbouring relation of the user's: what it answers is looked at once, and refused in one line."""

from collections.abc import Hashable, Iterator
from dataclasses import field, replace
from typing import Any

from dpcert.audit.errors import MechanismError, expected, one_line
from dpcert.audit.frozen import frozen
from dpcert.audit.identity import held, value_of, values_of
from dpcert.audit.kernels.border import answering, member, name_of
from dpcert.audit.kernels.label import label
from dpcert.audit.relations.adjacency import (
    ADJACENCIES,
    ANY,
    HAMMING,
    UNIT_HAMMING,
    ZERO_OUT,
    Adjacency,
    Inputs,
    ZeroOut,
)
from dpcert.audit.relations.edits import EDIT
from dpcert.audit.relations.shapes import PublicHalf, Window

Answer = tuple[tuple[Inputs, Any], ...]


@frozen
class Foreign:
    """A relation of the user's; every place in which their code is asked is here.

    Each state is asked for twice in a row and remembered, so that a game and the replay of its adversaries see one
    answer.
    """

    theirs: Any
    name: str
    initial: Hashable
    _known: dict[tuple[Any, int, tuple[Any, ...]], Answer] = field(default_factory=dict, compare=False, repr=False)

    def legal(self, state: Any, round_: int, alphabet: tuple[Any, ...]) -> Iterator[tuple[Inputs, Any]]:
        """Their pairs, each once, of inputs of the alphabet.

        Raises: MechanismError: anything else, no pair at all, or another answer at the second asking.
        """
        key = state, round_, alphabet
        if key not in self._known:
            first, again = (self._asked(state, round_, alphabet) for _ in range(2))
            with answering(self._member, self.theirs.legal):
                if first != again:
                    raise self._wrong("answer alike when asked again", f"two answers in round {round_}")
            self._known[key] = first
        yield from self._known[key]

    @property
    def _member(self) -> str:
        return f"{name_of(self.theirs)}.legal"

    def _asked(self, state: Any, round_: int, alphabet: tuple[Any, ...]) -> Answer:
        answer: dict[Inputs, Any] = {}
        inputs = set(alphabet)
        with answering(self._member, self.theirs.legal):
            for one in self.theirs.legal(value_of(state), round_, values_of(alphabet)):
                pair, after = self._read(one, inputs, round_)
                if pair in answer:
                    raise self._wrong("yield each pair once, with the one state after it,", f"{label(pair)} again")
                answer[pair] = after
            if not answer:
                raise self._wrong(
                    "allow a pair of inputs in every round", f"none in round {round_}, state {label(state)}"
                )
        return tuple(answer.items())

    def _read(self, one: Any, inputs: set[Any], round_: int) -> tuple[Inputs, Any]:
        """What was yielded, if it is a pair of inputs and a state, as tokens."""
        pair = one[0] if isinstance(one, tuple) and len(one) == 2 else None
        if not (isinstance(pair, tuple) and len(pair) == 2):
            raise self._wrong("yield ((x0, x1), state)", label(one))
        first, second, after = held(pair[0], "input"), held(pair[1], "input"), held(one[1], "relation state")
        if not inputs.issuperset((first, second)):
            raise self._wrong("yield inputs of the alphabet", f"{label(pair)} in round {round_}")
        return (first, second), after

    def _wrong(self, what: str, came: str) -> MechanismError:
        return MechanismError(f"Expected {self._member} to {what} but got {came}")


def adopted(relation: object) -> Adjacency[Any]:
    """The relation that an audit is asked for: by its name, as one of ours, or as an object of the user's.

    Raises: ArgumentError: no relation. MechanismError: one whose name or first state cannot be used.
    """
    if isinstance(relation, str):
        if relation not in ADJACENCIES:
            known = ", ".join(ADJACENCIES)
            raise expected(f"a neighbouring relation ({known}, or file.py:Name of one's own)", adjacency=relation)
        return ADJACENCIES[relation]
    if type(relation) is PublicHalf:
        return replace(relation, private=adopted(relation.private))
    if _ours(relation):
        ours: Adjacency[Any] = relation  # type: ignore[assignment]  # as just seen
        return ours
    with answering(f"{name_of(relation)}.legal"):
        plays = not isinstance(relation, type) and callable(member(relation, "legal"))
    if not plays:
        raise expected("a neighbouring relation: its name, or an object with `initial` and `legal`", adjacency=relation)
    return _foreign(relation)


def _ours(relation: object) -> bool:
    """Whether it is one of ours as it was made, whatever its name says."""
    if type(relation) is ZeroOut:
        return relation == replace(ZERO_OUT, null=relation.null)
    return type(relation) is Window or any(type(relation) is type(one) and relation == one for one in _FIXED)


_FIXED: tuple[Any, ...] = (HAMMING, UNIT_HAMMING, EDIT, ANY)


def _foreign(theirs: Any) -> Foreign:
    kind = name_of(theirs)
    with answering(f"{kind}.name"):
        name = member(theirs, "name", kind)
    if not isinstance(name, str) or not name.strip():
        raise MechanismError(f"Expected {kind}.name to be a word for reports but got {label(name)}")
    with answering(f"{kind}.initial", theirs.legal):
        initial = held(theirs.initial, "initial relation state")
    name = one_line(name, 60)
    taken = name in ADJACENCIES or name.startswith(("window-", "public-half"))
    return Foreign(theirs, f"{name} ({kind})" if taken else name, initial)
