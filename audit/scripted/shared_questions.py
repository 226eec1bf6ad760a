"""Questions to plain code under explicit seeds that others ask: each as often as this process would, in its orders."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpcert.audit.identity import held, parts_of, values_of
from dpcert.audit.kernels.code import Code, Seeds, Stream
from dpcert.audit.scripted.forms import Form, Forms, WholeForm
from dpcert.audit.scripted.others import QUESTIONS, CodeOpening, Others, ShareAsked, ShareDone
from dpcert.audit.scripted.plain import only_plain
from dpcert.audit.scripted.shares import CHANGED, FIRST_RUN_HERE, Sharer
from dpcert.audit.scripted.stack import leaving_as_much, stack_left
from dpcert.audit.scripted.unknown import Unknown
from dpcert.audit.scripted.untouched import Untouched
from dpcert.audit.scripted.written import Tokens, read, read_tokens, written

Question = tuple[Seeds, Stream]
UNREAD = frozenset({"seeds"})
"""Attributes of a mechanism that its answers are none of, and which need not be plain as long as no code names them."""


class QuestionSharing(Sharer):
    """Has others ask code under explicit seeds.

    Args:
        others: Who they are.
        mechanism: What the user gave.
        code: Its view, which remembers answers.
        questions: All that there are to ask.
    """

    def __init__(self, others: Others, mechanism: Any, code: Code, questions: Sequence[Question]) -> None:
        super().__init__(others, lambda: _opening(whole(mechanism, code.alphabet, Forms()).form, code, questions))
        self._code = code

    def answered(self, questions: Sequence[Question], size: int) -> Iterator[bool]:
        """For each question in turn whether others asked it three times, and were answered alike; then it is known."""
        parts = [questions[at : at + size] for at in range(0, len(questions), size)]
        for part, answers in self.done(parts, self._asked, lambda part, done: _answers(len(part), done)):
            for number, question in enumerate(part):
                yield answers is not None and self._code.learn(question, answers[number])

    def _asked(self, questions: Sequence[Question]) -> ShareAsked:
        tokens = Tokens()
        return self.asked(QUESTIONS, _written_questions(questions, tokens), tokens)


@dataclass
class QuestionHelper:
    """Asks code under explicit seeds what another process gives out.

    Attributes:
        mechanism: As it is read here.
        code: Its view.
        asked: What says which code that process has.
    """

    mechanism: Any
    code: Code
    asked: CodeOpening
    _forms: Forms = field(default_factory=Forms)
    _untouched: Untouched | None = None

    def open(self) -> None:
        """Asks the first questions. Raises: Unknown: it is not the same code. MechanismError: what that raises."""
        first, tokens = read(self.asked.first), read_tokens(self.asked.released)
        questions = _read_questions(first[0], tokens)
        before = whole(self.mechanism, self.code.alphabet, self._forms)
        self._untouched = before.untouched()
        here = _opening(before.form, self.code, questions)
        self._check_untouched()
        if (here.horizon, here.spelled) != (self.asked.horizon, self.asked.spelled):
            raise Unknown("the target is another one there")
        if read(here.whole) != read(self.asked.whole):
            raise Unknown("what its code can reach is not the same there, or a run changed it")
        if read(here.first) != first or read_tokens(here.released) != tokens:
            raise Unknown("its first answers are not the same there")

    def done(self, share: ShareAsked) -> ShareDone:
        """A share: each question twice in a row, and once more in reverse order.

        Raises: Unknown, MechanismError: what the process that asks has to see for itself.
        """
        questions = _read_questions(read(share.body), read_tokens(share.tokens))
        with leaving_as_much(share.opening.stack):
            for question in (*questions, *reversed(questions)):
                first = self.code.respond(*question)
                self._check_untouched()
                if first != self.code.again(*question):
                    raise Unknown("two answers differ")
                self._check_untouched()
        if whole(self.mechanism, self.code.alphabet, self._forms).form != read(self.asked.whole):
            raise Unknown(CHANGED)
        tokens = Tokens()
        answers = tuple(tokens.all(self.code.respond(*question)) for question in questions)
        return ShareDone(written(answers), tokens.written())

    def _check_untouched(self) -> None:
        """Raises: Unknown: a run left something behind that the next one can read."""
        if self._untouched is None or not self._untouched.holds():
            raise Unknown(CHANGED)


def whole(mechanism: Any, alphabet: tuple[Any, ...], forms: Forms) -> WholeForm:
    """The form of all that answers can depend on, beside seeds and inputs, and what that is made of.

    Args:
        mechanism: Code under explicit seeds.
        alphabet: Its inputs.
        forms: By which it is told from others.
    Raises: Unknown: not all of it is plain.
    """
    nobody = object()
    roots = mechanism, alphabet
    return forms.whole(roots, nobody, only_plain(roots, nobody, unread=UNREAD), UNREAD)


def _opening(before: Form, code: Code, questions: Sequence[Question]) -> CodeOpening:
    """What says which code it is: its form before, and what it answers to the first questions."""
    tokens = Tokens()
    first = questions[:FIRST_RUN_HERE]
    told = _written_questions(first, tokens), tuple(tokens.all(code.respond(*question)) for question in first)
    spelled = "seeded", code.name, code.by_round
    return CodeOpening(code.horizon or 0, spelled, written(before), written(told), tokens.written(), stack_left())


def _written_questions(questions: Sequence[Question], tokens: Tokens) -> tuple[Any, ...]:
    return tuple((tokens.all(parts_of(seeds)), tokens.all(stream)) for seeds, stream in questions)


def _read_questions(body: Any, tokens: list[Any]) -> list[Question]:
    return [(_seeds(seeds, tokens), tuple(tokens[number] for number in stream)) for seeds, stream in body]


def _seeds(numbers: tuple[int, ...], tokens: list[Any]) -> Any:
    return held(values_of(tokens[number] for number in numbers), "seeds")


def _answers(count: int, done: ShareDone) -> list[tuple[Any, ...]]:
    """The answers to so many questions. Raises: Unknown: there are others."""
    tokens = read_tokens(done.tokens)
    answers = [tuple(tokens[number] for number in answer) for answer in read(done.body)]
    if len(answers) != count:
        raise Unknown("there are not as many answers as questions")
    return answers
