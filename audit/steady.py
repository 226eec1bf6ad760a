"""Steadiness: does a mechanism answer alike in another order, on a fresh object, and in a fresh process?

An audit asks a mechanism in an order of its own, and every question once or twice. A deployment plays one run, in a
process in which nothing has run before. So live runs are played in fresh processes, each the first of its process,
and held against the same runs here, after all that was asked. Where something that the code can reach has changed meanwhile,
many runs are compared; where nothing has, a few.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice, product
from typing import Any, TypeVar

from dpcert.audit.answering import answering
from dpcert.audit.budget import Budget, OutOfBudget
from dpcert.audit.errors import DpcertError
from dpcert.audit.finding import Finding, Method, Verdict
from dpcert.audit.fresh_process import POSSIBLE, Lost, Pristine
from dpcert.audit.identity import held, value_of
from dpcert.audit.label import in_full, label
from dpcert.audit.outside import LOOKED_FOR, watching
from dpcert.audit.pmf import Pmf
from dpcert.audit.published import publisher_of
from dpcert.audit.reach import Reach, changed, reach
from dpcert.audit.view import Code, Core, Hidden, any_view_of, released_by

T = TypeVar("T")
FEW, MANY = 3, 64
"""Live runs compared in fresh processes where nothing that the code can reach has changed, and where something has."""
MOST_CHANGES_NAMED = 3
PATIENCE = 10
"""Seconds that one live run may take in a fresh process."""
OURS = ("dpcert.mechanisms.", "dpcert.proofs_checked.")
"""Packages whose mechanisms are compared by our own tests, not again in every audit."""

Run = tuple[tuple[int, ...], int]
"""A live run: the numbers of its inputs, and a number that says which outcome every draw has."""


@dataclass(frozen=True)
class Difference:
    """A live run that went otherwise in a fresh process: its inputs, the round, what came here and what there."""

    inputs: tuple[Any, ...]
    round: int
    here: str
    there: str


@dataclass
class Watched:
    """A mechanism under audit: what it could reach before, and a process from before it was asked anything.

    `pristine` is None where no process can be kept; `trusted` says that the mechanism is one of ours.
    """

    mechanism: Any
    before: dict[str, Any] = field(default_factory=dict)
    complete: bool = True
    pristine: Pristine | None = None
    trusted: bool = False

    def changes(self) -> list[str]:
        """The places that have changed since the audit began, by name."""
        return [] if self.trusted else changed(self.before, reach(self.mechanism).marks())

    def difference(self, inputs: Sequence[Any], horizon: int, budget: Budget) -> tuple[Difference | None, str]:
        """A live run that goes otherwise in a fresh process, None if none was found; and what was looked at, in words.

        Args:
            inputs: All inputs that a world can be handed, as tokens.
            horizon: Rounds of a run.
            budget: Bounds the time.
        """
        if self.trusted:
            return None, ""
        moved = self.changes()
        named = f"; what changed meanwhile: {', '.join(moved[:MOST_CHANGES_NAMED])}" if moved else ""
        if self.pristine is None:
            return None, f"No fresh process could be had to compare with{named}."
        view, compared = any_view_of(self.mechanism), 0
        runs, all_of_them = _runs(len(inputs), horizon, MANY if moved else FEW)
        try:
            for run in runs:
                budget.check()
                stream = tuple(inputs[i] for i in run[0])
                here = played(self.mechanism, view, stream, run[1])
                there = self._there(stream, run[1])
                compared += 1
                for at, (one, other) in enumerate(zip(here, there, strict=False), 1):
                    if one != other:
                        return Difference(stream[:at], at, one, other), named
        except (Lost, OutOfBudget) as reason:
            return None, f"{compared} live runs went alike in fresh processes; no more were compared: {reason}{named}."
        what = "All" if all_of_them else "Some"
        return None, f"{what} live runs were played in fresh processes ({compared}) and went alike{named}."

    def _there(self, stream: tuple[Any, ...], salt: int) -> list[str]:
        known = getattr(self.mechanism, "known_cells", None)
        answer = self.pristine.run((stream, salt, known), PATIENCE) if self.pristine is not None else None
        if not isinstance(answer, list):
            raise Lost("a process ended before its run did")
        return answer


@contextmanager
def watch(mechanism: object) -> Iterator[Watched]:
    """Watches a mechanism while it is audited: sources of randomness from outside, and what it leaves behind."""
    if type(mechanism).__module__.startswith(OURS) and not _of_users(mechanism):
        yield Watched(mechanism, trusted=True)
        return
    found = reach(mechanism)
    watched = Watched(mechanism, found.marks(), found.complete, _pristine(mechanism))
    with ExitStack() as stack:
        if watched.pristine is not None:
            stack.callback(watched.pristine.close)
        stack.enter_context(watching(lambda: _spaces(found)))
        yield watched


def _of_users(mechanism: object) -> bool:
    """Whether a mechanism of ours has parts that somebody else wrote."""
    return any(not _is_ours(value) for value in reach(mechanism).values.values())


def _is_ours(value: Any) -> bool:
    module = getattr(value if isinstance(value, type) or callable(value) else type(value), "__module__", None)
    return not isinstance(module, str) or module.startswith((*OURS, "dpcert.audit.")) or "." not in module


def _spaces(found: Reach) -> tuple[list[tuple[dict[str, Any], str]], list[Any]]:
    read = {id(space[name]) for space, name in found.globals if name in space}
    return found.globals, [value for value in found.values.values() if id(value) not in read]


def _pristine(mechanism: object) -> Pristine | None:
    if not POSSIBLE:
        return None
    pristine = Pristine(lambda request: _answer(mechanism, *request))
    try:
        pristine.start()
    except OSError:
        return None
    return pristine


def _answer(mechanism: Any, stream: tuple[Any, ...], salt: int, known: Any) -> list[str]:
    """A live run in a fresh process; what it raises is its answer."""
    if known is not None:
        mechanism.learn(known)
    try:
        return played(mechanism, any_view_of(mechanism), stream, salt)
    except DpcertError as error:
        return [f"raised {error}"]


def _runs(inputs: int, horizon: int, most: int) -> tuple[list[Run], bool]:
    """Streams and draws for `most` live runs, spread over all there are; whether these are all streams."""
    whole = inputs**horizon if horizon * inputs.bit_length() < 64 else most + 1
    if whole <= most:
        streams = list(product(range(inputs), repeat=horizon))
    else:
        streams = [tuple(_spread(n, t) % inputs for t in range(horizon)) for n in range(most - 1)]
        streams.append((inputs - 1,) * horizon)
    order = streams[::-1]
    runs = [(stream, salt) for salt in range(max(1, -(-most // max(1, len(order))))) for stream in order]
    return list(islice(runs, most)), whole <= most


def _spread(n: int, t: int) -> int:
    """A number for stream n and round t, all 0 in stream 0."""
    return n * 7919 + n * t * 104729 + n * t * t * 31


def played(mechanism: Any, view: Core | Hidden | Code, stream: tuple[Any, ...], salt: int) -> list[str]:
    """One live run, a line a round: the law or the draws, the release, what is published, and the state after it."""
    if isinstance(view, Code):
        return _code_played(view, stream, salt)
    publisher = publisher_of(mechanism, view.name)
    lines: list[str] = []
    releases: tuple[Any, ...] = ()
    state = view.initial
    for t, x in enumerate(stream):
        if isinstance(view, Core):
            state = view.advance(state, x)
            law = view.law(state)
            visible, shown = held(_chosen(law, salt, t, 0)), _law_in_full(law)
        else:
            visible, state, shown = _stepped(mechanism, view, state, x, salt, t)
        releases = (*releases, visible)
        beside = "" if publisher is None else in_full(publisher.beside(releases))
        lines.append(f"{shown} | {in_full(visible)} | {beside} | {in_full(state)}")
    return lines


def _stepped(mechanism: Any, view: Hidden, state: Any, x: Any, salt: int, t: int) -> tuple[Any, Any, str]:
    """One step with chosen draws: its visible output, the state after it, and the laws that it drew from."""
    laws: list[str] = []

    def draw(law: Pmf[T]) -> T:
        laws.append(_law_in_full(law))
        return _chosen(law, salt, t, len(laws))

    with answering(f"{view.name}.step", mechanism.step):
        release, after = released_by(view.name, mechanism.step(value_of(state), value_of(x), draw))
        return held(release.visible, "visible output"), held(after, "state"), " ".join(laws)


def _code_played(code: Code, stream: tuple[Any, ...], salt: int) -> list[str]:
    law = code.seeds(len(stream))
    seeds = held(_chosen(law, salt, 0, 0))
    answer = code.again(seeds, stream)
    return [f"{label(seeds)} | {in_full(y)}" for y in answer]


def _chosen(law: Pmf[T], salt: int, t: int, k: int) -> T:
    """An outcome of a law, another one for other numbers; the first for salt 0."""
    ordered = sorted(law.support, key=in_full)
    return ordered[(salt * (1 + 7 * t + 13 * k)) % len(ordered)]


def _law_in_full(law: Pmf[Any]) -> str:
    return "{" + ", ".join(sorted(f"{in_full(y)}: {w}" for y, w in law.items())) + "}"


def steadied(
    watched: Watched, before: Finding, inputs: Sequence[Any], horizon: int, scope: str, budget: Budget
) -> Finding:
    """DETERMINISTIC_MAP after live runs in fresh processes were compared with the same runs here."""
    if before.verdict is not Verdict.HOLDS or watched.trusted:
        return before
    differs, words = watched.difference(inputs, horizon, budget)
    if differs is not None:
        detail = (
            f"On inputs {label(differs.inputs)}, round {differs.round} goes otherwise in a fresh process than here, "
            f"after other runs: something outlives a run{words}."
        )
        witness = {
            "inputs": [label(x) for x in differs.inputs],
            "round": differs.round,
            "here": differs.here,
            "fresh": differs.there,
            "changed": watched.changes()[:MOST_CHANGES_NAMED],
        }
        return Finding(Verdict.REFUTED, Method.EXHAUSTIVE, scope, detail, witness)
    looked = f"Randomness from outside was watched for while it ran ({LOOKED_FOR})."
    detail = f"{before.detail} {looked} {words}".strip()
    return replace(before, detail=detail)
