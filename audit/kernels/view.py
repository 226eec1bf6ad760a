"""The checked view of a mechanism, every answer of the user's code looked at: what games are played on."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from dpcert.audit.errors import MechanismError
from dpcert.audit.identity import held, value_of, values_of
from dpcert.audit.kernels.border import answering, has, member, name_of, placing, static
from dpcert.audit.kernels.code import BY_ROUND, Code
from dpcert.audit.kernels.core import Core, append
from dpcert.audit.kernels.hidden import Hidden, enumerated_steps
from dpcert.audit.kernels.label import label
from dpcert.audit.kernels.linear import Linear
from dpcert.audit.kernels.protocol_kind import LINEAR, lacking, method, refuse_ambiguous, spoken

View = Core | Hidden
"""A mechanism as games see it, every answer checked."""


def view_of(mechanism: object) -> View:
    """The checked view of a PrefixCore, a MarkovCore or an Interactive.

    Raises: MechanismError: an object that is none of them, or an alphabet that is no tuple of distinct hashable inputs.
    """
    view = any_view_of(mechanism)
    if isinstance(view, Code):
        raise MechanismError(f"Expected a PrefixCore, a MarkovCore or an Interactive but got {view.name}, a Seeded")
    return view


def any_view_of(mechanism: object) -> View | Code:
    """The checked view of a mechanism under any of the protocols.

    Raises: MechanismError: an object that is none of them, or an alphabet that is no tuple of distinct hashable inputs.
    """
    if issubclass(type(mechanism), type):
        raise MechanismError(f"Expected an instance but got the class {label(mechanism)}: call it first")
    with placing(mechanism):
        return _of_one_kind(mechanism)


def _of_one_kind(mechanism: object) -> View | Code:
    subject: Any = mechanism
    name = name_of(mechanism)
    refuse_ambiguous(mechanism)
    if not lacking(mechanism, ("respond", "seeds", "alphabet")):
        by_round = vars(type(mechanism)).get("_by_round") is BY_ROUND  # of its own class: an heir may respond otherwise
        return Code(
            name,
            alphabet_of(subject),
            horizon_of(subject),
            method(subject, "seeds"),
            method(subject, "respond"),
            by_round,
            subject.seeds_by_round if by_round else None,
            subject.machine if by_round else None,
            subject.why_unmerged if by_round else None,
        )
    if set(spoken(mechanism)) & LINEAR or not lacking(mechanism, ("weights", "noise_law")):
        return _linear(name, subject)
    interactive = has(mechanism, "step")
    needed = ("alphabet", "initial") if interactive else ("alphabet", "law")
    missing = lacking(mechanism, needed)
    if missing:
        other = "`alphabet` and `law` (or `initial` and `step`, or `seeds` and `respond`)"
        wanted = "`alphabet`, `initial` and `step`" if interactive else other
        sampler = not lacking(mechanism, ("sample",)) or not lacking(mechanism, ("reset", "step"))
        hint = ": a sampler is audited with --tier sampled" if sampler else ""
        raise MechanismError(f"Expected a mechanism with {wanted} but got {name} without {' and '.join(missing)}{hint}")
    alphabet, horizon = alphabet_of(subject), horizon_of(subject)
    if not interactive and lacking(mechanism, ("initial", "advance")):
        return Core(name, alphabet, (), horizon, append, on_values(method(subject, "law"), values_of))
    with answering(f"{name}.initial", static(mechanism, "initial"), type(mechanism)):
        initial = held(subject.initial, "initial")
    if interactive:
        return Hidden(name, alphabet, initial, horizon, enumerated_steps(name, method(subject, "step")))
    advance, law = method(subject, "advance"), method(subject, "law")
    return Core(name, alphabet, initial, horizon, on_values(advance, token="state"), on_values(law))


def noting(view: View | Code) -> None:
    """Lets a view note the kernels that it gives."""
    if isinstance(view, Hidden):
        view.given = {}
    if not isinstance(view, Code):
        view.published = {}


def on_values(
    function: Callable[..., Any], opener: Callable[[Any], Any] = value_of, token: str | None = None
) -> Callable[..., Any]:
    """The user's function, handed the values that tokens stand for; its answer as a token where that is named."""

    @wraps(function)
    def asked(*tokens: Any) -> Any:
        answer = function(*map(opener, tokens))
        return answer if token is None else held(answer, token)

    if token is None:
        asked.of_values = function  # type: ignore[attr-defined]  # for whoever has values, not tokens
    return asked


def _linear(name: str, mechanism: Any) -> Core:
    alphabet = alphabet_of(mechanism)
    modulus = member(mechanism, "modulus")
    zero = (0,) * len(alphabet[0]) if type(alphabet[0]) is tuple else 0
    told: list[Any] = [member(mechanism, one) for one in ("stretches", "progressions")]
    stretches, progressions = (one if callable(one) else None for one in told)
    weights, noise = (
        None if progressions is not None and lacking(mechanism, (one,)) else method(mechanism, one)
        for one in ("weights", "noise_law")
    )
    linear = Linear(name, zero, modulus, weights, noise, stretches, progressions)
    wrong = [x for x in alphabet if not linear.takes(x)]
    if wrong:
        first = value_of(wrong[0])
        shown = f"alphabet={label(alphabet)}, where {label(first)} is of type {type(first).__name__}"
        raise MechanismError(f"Expected whole numbers (exactly int), or tuples of them of one length, but got {shown}")
    return Core(name, alphabet, (), horizon_of(mechanism), append, linear.after, linear=linear)


def core_of(mechanism: object) -> Core:
    """The checked view of a PrefixCore or a MarkovCore."""
    view = view_of(mechanism)
    if not isinstance(view, Core):
        raise MechanismError(f"Expected a PrefixCore or a MarkovCore but got {view.name}, which has hidden state")
    return view


def alphabet_of(mechanism: Any) -> tuple[Any, ...]:
    """Tokens of its inputs. Raises: MechanismError: they are not distinct, or there are none."""
    with answering(f"{name_of(mechanism)}.alphabet", static(mechanism, "alphabet"), type(mechanism)):
        inputs = tuple(held(x, "input") for x in mechanism.alphabet)
        if not inputs or len(set(inputs)) < len(inputs):
            shown = label(inputs)
            raise MechanismError(f"Expected an alphabet of distinct inputs, at least one, but got alphabet={shown}")
    return inputs


def horizon_of(mechanism: object) -> int | None:
    """Its own number of rounds, if it has one. Raises: MechanismError: it is none."""
    with answering(f"{name_of(mechanism)}.horizon", static(mechanism, "horizon"), type(mechanism)):
        horizon = member(mechanism, "horizon")
        if horizon is not None and (isinstance(horizon, bool) or not isinstance(horizon, int) or horizon < 1):
            wanted = "a mechanism's horizon to be a whole number of rounds"
            raise MechanismError(f"Expected {wanted} but got horizon={label(horizon)}")
    return horizon
