"""Questions to plain code under explicit seeds that others ask: each as often as this process would, in its orders."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from dpcert.audit.identity import held, parts_of, values_of
from dpcert.audit.kernels.code import Code, Seeds, Stream
from dpcert.audit.scripted.forms import Form, Forms, WholeForm
from dpcert.audit.scripted.others import QUESTIONS, CodeOpening, Others, ShareAsked, ShareDone
from dpcert.audit.scripted.plain import only_plain
from dpcert.audit.scripted.shares import FIRST_RUN_HERE, Sharer, check_opening, in_parts
from dpcert.audit.scripted.stack import leaving_as_much, stack_left
from dpcert.audit.scripted.unknown import Unknown
from dpcert.audit.scripted.untouched import CHANGED
from dpcert.audit.scripted.written import Tokens, read, read_tokens, written

Question = tuple[Seeds, Stream]


class QuestionSharing(Sharer):
    """Has others ask code under explicit seeds.

    Args:
        others: Who they are.
        mechanism: What the user gave.
        code: Its view, which remembers answers.
        questions: All that there are to ask.
    """

    def __init__(self, others: Others, mechanism: Any, code: Code, questions: Sequence[Question]) -> None:
        super().__init__(others, lambda forms: whole(mechanism, code.alphabet, forms, _seeds_of(questions)))
        self._code, self._questions = code, questions

    def opening(self) -> CodeOpening:
        """What says which code it is, once the first questions were asked. Raises: Unknown: it is not to be told."""
        return _opening(self.whole.form, self._code, self._questions, self.forms)

    def answered(self, questions: Sequence[Question], size: int) -> bool:
        """Whether others asked all of these three times, and were answered alike; then it is known what."""
        parts = in_parts(questions, size)
        found = self.done(parts, self._asked, lambda part, done: _answers(len(part), done))
        for part, answers in zip(parts, found or (), strict=found is not None):
            for question, answer in zip(part, answers, strict=True):
                self._code.learn(question, answer)
        return found is not None

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
    _look: Callable[[], None] = lambda: None

    def open(self) -> None:
        """Asks the first questions. Raises: Unknown: it is not the same code. MechanismError: what that raises."""
        first, tokens = read(self.asked.first), read_tokens(self.asked.released)
        questions = _read_questions(first[0], tokens)
        before = whole(self.mechanism, self.code.alphabet, self._forms)
        self._look = before.untouched().check
        with leaving_as_much(self.asked.stack):
            for question in questions:
                self.code.respond(*question)
                self._look()
        check_opening(_opening(before.form, self.code, questions, self._forms), self.asked)

    def done(self, share: ShareAsked) -> ShareDone:
        """A share: each question twice in a row, and once more in reverse order.

        Raises: Unknown, MechanismError: what the process that asks has to see for itself.
        """
        questions = _read_questions(read(share.body), read_tokens(share.tokens))
        with leaving_as_much(share.opening.stack):
            for question in (*questions, *reversed(questions)):
                first = self.code.respond(*question)
                self._look()
                if first != self.code.again(*question):
                    raise Unknown("two answers differ")
                self._look()
        if whole(self.mechanism, self.code.alphabet, self._forms).form != read(self.asked.whole):
            raise Unknown(CHANGED)
        tokens = Tokens()
        answers = tuple(tokens.all(self.code.respond(*question)) for question in questions)
        return ShareDone(written(answers), tokens.written())


def whole(mechanism: Any, alphabet: tuple[Any, ...], forms: Forms, seeds: Sequence[Any] = ()) -> WholeForm:
    """The form of all that answers can depend on, beside seeds and inputs, and what that is made of.

    What makes the seeds is no part of it, where it is a function of the mechanism's own class: no code may name it.

    Args:
        mechanism: Code under explicit seeds.
        alphabet: Its inputs.
        forms: By which it is told from others.
        seeds: All that it is asked with.
    Raises: Unknown: not all of it is plain.
    """
    nobody = object()
    kinds = [kind for kind in type(mechanism).__mro__ if type(kind) is type]
    unread = frozenset((kind, "seeds") for kind in kinds if type(vars(kind).get("seeds")) is FunctionType)
    roots = mechanism, alphabet
    if seeds:
        only_plain((*roots, *seeds), nobody, unread=unread)
    return forms.whole(roots, nobody, only_plain(roots, nobody, unread=unread), unread)


def _seeds_of(questions: Sequence[Question]) -> tuple[Any, ...]:
    """The values of all seeds of some questions."""
    return values_of(dict.fromkeys(token for seeds, _ in questions for token in parts_of(seeds)))


def _opening(before: Form, code: Code, questions: Sequence[Question], forms: Forms) -> CodeOpening:
    """What says which code it is: its form before, and what it answers to the first questions."""
    tokens = Tokens()
    first = questions[:FIRST_RUN_HERE]
    told = _written_questions(first, tokens), tuple(tokens.all(code.respond(*question)) for question in first)
    spelled = "seeded", code.name, code.by_round
    return CodeOpening(
        code.horizon or 0, spelled, written(before), written(told), tokens.written(), (forms.lasting(),), stack_left()
    )


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
