"""Conditions of Checklist 1 by their definitions, over whole transcripts, whole tables and whole runs: slow, and plain.

Laws of transcripts are dictionaries of exact probabilities. After HALT there is HALT for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any, TypeAlias

from oracles.hidden import every_run, step_law
from oracles.paired import ONE, ZERO, Law, Order, Transcript, hamming, score

from dpcert import HALT

Stream: TypeAlias = tuple[Any, ...]
Respond: TypeAlias = Callable[[Stream, Stream], Transcript]


def all_streams(alphabet: Stream, rounds: int) -> list[Stream]:
    """Every stream of exactly so many rounds."""
    return list(product(alphabet, repeat=rounds))


def legal_stream_pairs(alphabet: Stream, rounds: int) -> list[tuple[Stream, Stream]]:
    """Every two streams of equal length that differ in at most one round."""
    both = product(all_streams(alphabet, rounds), repeat=2)
    return [(one, two) for one, two in both if hamming(tuple(zip(one, two, strict=True)))]


def marginal(joint: Law, t: int) -> dict[Any, Fraction]:
    """The law of one coordinate (from 0)."""
    law: dict[Any, Fraction] = {}
    for transcript, mass in joint.items():
        law[transcript[t]] = law.get(transcript[t], ZERO) + mass
    return law


def is_product(joint: Law) -> bool:
    """Whether a law is the product of its marginals, the impossible transcripts included."""
    own = [marginal(joint, t) for t in range(len(next(iter(joint))))]
    return all(
        joint.get(transcript, ZERO) == prod((law[v] for law, v in zip(own, transcript, strict=True)), start=ONE)
        for transcript in product(*own)
    )


def hull(laws: Iterable[tuple[Law, Law]], exp_epsilon: Fraction, order: Order) -> Fraction:
    """The largest hockey stick among pairs of laws."""
    return max(
        sum((score(p.get(v, ZERO), q.get(v, ZERO), exp_epsilon, order) for v in {*p, *q}), ZERO) for p, q in laws
    )


# ---------------------------------------------------------------- hidden state


def transcript_law(mechanism: Any, stream: Stream) -> Law:
    """The joint law of (v_1, ..., v_T) on one stream, state by state, without any conditioning."""
    reached: dict[tuple[Transcript, Any], Fraction] = {((), mechanism.initial): ONE}
    for x in stream:
        longer: dict[tuple[Transcript, Any], Fraction] = {}
        for (seen, state), mass in reached.items():
            halted = bool(seen) and seen[-1] is HALT
            steps = {(HALT, state): ONE} if halted else step_law(mechanism, state, x)
            for (visible, after), chance in steps.items():
                key = (*seen, visible), after
                longer[key] = longer.get(key, ZERO) + mass * chance
        reached = longer
    law: Law = {}
    for (seen, _), mass in reached.items():
        if mass:
            law[seen] = law.get(seen, ZERO) + mass
    return law


def has_fresh_randomness(mechanism: Any, alphabet: Stream, horizon: int) -> bool:
    """Every stream has a product law, and the law of v_t is given by x[1..t]."""
    joints = {stream: transcript_law(mechanism, stream) for stream in all_streams(alphabet, horizon)}
    given: dict[Stream, dict[Any, Fraction]] = {}
    for stream, joint in joints.items():
        for t in range(horizon):
            law = marginal(joint, t)
            if given.setdefault(stream[: t + 1], law) != law:
                return False
    return all(map(is_product, joints.values()))


def next_law(mechanism: Any, inputs: Stream, history: Transcript) -> dict[Any, Fraction]:
    """The law of the release that answers the last of `inputs`, after a history of releases; empty if impossible."""
    joint = transcript_law(mechanism, inputs)
    after = {seen[-1]: mass for seen, mass in joint.items() if seen[:-1] == history}
    total = sum(after.values(), ZERO)
    return {v: mass / total for v, mass in after.items()} if total else {}


# ---------------------------------------------------------------- code under seeds


def is_causal(respond: Respond, support: Iterable[Stream], alphabet: Stream, horizon: int) -> bool:
    """Streams that agree up to round t have one output in round t, under the same seeds, however long they are."""
    streams = [s for rounds in range(1, horizon + 1) for s in all_streams(alphabet, rounds)]
    return all(
        respond(seeds, one)[t] == respond(seeds, two)[t]
        for seeds in support
        for one, two in product(streams, repeat=2)
        for t in range(min(len(one), len(two)))
        if one[: t + 1] == two[: t + 1]
    )


def reads_own_seeds(respond: Respond, support: Iterable[Stream], alphabet: Stream, horizon: int) -> bool:
    """On every stream, two tuples of seeds that agree in round t have one output in round t."""
    tuples = list(support)
    streams = [s for rounds in range(1, horizon + 1) for s in all_streams(alphabet, rounds)]
    return all(
        respond(one, stream)[t] == respond(two, stream)[t]
        for stream in streams
        for one, two in product(tuples, repeat=2)
        for t in range(len(stream))
        if one[t] == two[t]
    )


def output_law(respond: Respond, seeds: Mapping[Stream, Fraction], stream: Stream) -> Law:
    """The law of all outputs on one stream."""
    law: Law = {}
    for own, mass in seeds.items():
        outputs = respond(own, stream)
        law[outputs] = law.get(outputs, ZERO) + mass
    return law


# ---------------------------------------------------------------- published values


def observation_law(play: Callable[[Stream, Any], Transcript], stream: Stream) -> Law:
    """The law of everything seen of whole runs on one stream; `play(stream, draw)` is one run."""
    law: Law = {}
    for seen, mass in every_run(lambda draw: play(stream, draw)):
        law[seen] = law.get(seen, ZERO) + mass
    return law


def is_function_of_core(laws: Iterable[Law]) -> bool:
    """Whether, in all that is possible, the values so far are given by the core releases so far.

    Transcripts hold pairs (core release, value), and plain HALT.
    """
    known: dict[Transcript, Transcript] = {}
    for transcript in (t for law in laws for t in law):
        for t in range(1, len(transcript) + 1):
            core = tuple(v if v is HALT else v[0] for v in transcript[:t])
            values = tuple(v if v is HALT else v[1] for v in transcript[:t])
            if known.setdefault(core, values) != values:
                return False
    return True
