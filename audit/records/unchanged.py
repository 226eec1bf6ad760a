"""Whether an audit from before is one of the mechanism as it is now: what it is known by, and its laws asked for anew.

An audit is known by the mechanism's code and the values that it reaches, by the options, and by dpcert itself with what
it computes by. It is taken up only where every law in scope is what it was.
"""

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.defaults import DEFAULT_ADJACENCY
from dpcert.audit.errors import ArgumentError, DpcertError
from dpcert.audit.finding import Item, Verdict
from dpcert.audit.games.question import asked as question_of
from dpcert.audit.identity import held
from dpcert.audit.kernels.code import Code
from dpcert.audit.kernels.label import exactly
from dpcert.audit.kernels.view import any_view_of
from dpcert.audit.limits import within
from dpcert.audit.outside.engine import engine
from dpcert.audit.records import digest
from dpcert.audit.records.assembled import Examination
from dpcert.audit.records.laws_in_scope import laws_in_scope
from dpcert.audit.relations.adjacency import inputs_of

PART_OF_AUDIT = 2
"""Taking an audit up again may take one part in so many of what it took, both to ask for its laws and to read it."""


def name_of_audit(code: str, options: Mapping[str, Any]) -> str | None:
    """What an audit is known by; None where an option has no text of its own.

    Args:
        code: The digest of the mechanism's code and of the values it reaches.
        options: Every option.
    """
    try:
        lines = [f"{key}={exactly(held(value, copying=True))}" for key, value in sorted(options.items())]
    except ArgumentError:
        return None
    return hashlib.sha256("\n".join([engine(), code, *lines]).encode(errors="surrogatepass")).hexdigest()


def reliable(examination: Examination) -> bool:
    """Whether an audit came to its end, of a mechanism that answers alike, with nothing left open about that."""
    document, knowledge = examination.record.document, examination.knowledge
    steady = [entry for entry in document["checklist"] if entry["item"] == Item.DETERMINISTIC_MAP.value]
    return (
        "stopped" not in document["scope"]
        and not examination.facts.request.budget.interrupted
        and knowledge.unknown is None
        and knowledge.doubt is None
        and len(steady) == 1
        and steady[0]["verdict"] == Verdict.HOLDS.value
    )


def laws_now(mechanism: object, adjacency: str | None, scope: Mapping[str, Any], budget: Budget) -> str | None:
    """The digest of every law in scope, each asked for anew; None where there are too many, or where one fails.

    Args:
        mechanism: What is asked.
        adjacency: The name of the relation; None for the usual.
        scope: Horizon, hops, challenge round, and where curves are read off.
        budget: What that may take.
    """
    laws = None
    with best_so_far(budget) as part, suppress(DpcertError), within(budget.check):
        view = any_view_of(mechanism)
        if isinstance(view, Code):
            return None
        question = question_of(view, adjacency=adjacency or DEFAULT_ADJACENCY["paired"], **scope)
        inputs = inputs_of(question.relation(mechanism), view.alphabet)
        laws = laws_in_scope(view, inputs, question.rounds)
    if part.interrupted:
        part.pass_on()
    return laws


def stands_as_before(mechanism: object, arguments: Mapping[str, Any], document: Mapping[str, Any]) -> bool:
    """Whether the source of a mechanism is that of a record, and where that was."""
    return bool(
        document["source_digest"] == digest.source(mechanism, arguments)
        and document["location"] == digest.location(mechanism)
    )
