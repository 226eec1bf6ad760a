"""Conditions 1, 2, 3 and 5 of Checklist 1 against their definitions, and the curves that rest on them."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import pytest
from instances.conditions import (
    BITS,
    Publishing,
    PublishingCore,
    Table,
    TableCore,
    TableLive,
    WithValue,
    random_hidden,
    random_publishing,
    random_publishing_core,
    random_table,
    random_with_value,
)
from instances.seeds import chosen
from oracles.conditions import (
    all_streams,
    has_fresh_randomness,
    hull,
    is_causal,
    is_function_of_core,
    is_product,
    legal_stream_pairs,
    next_law,
    observation_law,
    output_law,
    reads_own_seeds,
    transcript_law,
)
from oracles.hidden import hidden_fixed_hockey_stick, seed_oracle
from oracles.paired import curve_points, hamming, hockey_stick_of_vertices

from dpcert import HALT, Budget, Published, examine, uniform
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.algebra.rational import text
from dpcert.audit.checklist import fresh, of_code, publishing
from dpcert.audit.checklist.fresh import freshness
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.kernels.hidden import Hidden
from dpcert.audit.kernels.view import view_of
from dpcert.audit.relations.adjacency import HAMMING
from dpcert.audit.solving.analysis import Analysis, analyse
from dpcert.audit.verdicts.requirements import Requirements

LABELS: dict[str, Any] = {"0": 0, "1": 1, "HALT": HALT, "'a'": "a", "'b'": "b", "nothing": None}
"""What the labels in a witness stand for."""


def values(labels: list[str]) -> tuple[Any, ...]:
    return tuple(LABELS[label] for label in labels)


def law_of(label: str) -> dict[Any, Fraction]:
    """The law that a witness shows."""
    entries = (entry.rsplit(": ", 1) for entry in label.strip("{}").split(", "))
    return {LABELS[v]: Fraction(w) for v, w in entries}


def item(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(entry for entry in record["checklist"] if entry["item"] == name)
    return found


def vertices(curve: Mapping[str, Any]) -> list[tuple[Fraction, Fraction]]:
    assert curve["tier"] == "exact"
    assert curve["complete"]
    return [(Fraction(x), Fraction(y)) for x, y in curve["power"]]


def on_beliefs(mechanism: Any, horizon: int) -> Analysis:
    """Both curves of all that is seen, on beliefs alone."""
    view = view_of(mechanism)
    assert isinstance(view, Hidden)
    return analyse(BeliefGame(view, HAMMING, horizon), Budget())


def assert_same(curve: Mapping[str, Any], power: PowerFunction) -> None:
    assert curve["power"] == [[text(x), text(y)] for x, y in power.vertices]


def assert_curves_on_beliefs(record: Mapping[str, Any], mechanism: Any, horizon: int) -> None:
    found = on_beliefs(mechanism, horizon)
    assert found.adaptive.exact
    assert found.fixed.exact
    assert_same(record["adaptive"], found.adaptive.lower)
    assert_same(record["fixed_stream"], found.fixed.lower)


def assert_hull(curve: Mapping[str, Any], value: Callable[[Fraction], Fraction]) -> None:
    """Agreement at points at which it implies that the curves coincide (see the oracle's curve_points)."""
    chain = vertices(curve)
    for exp_epsilon in curve_points(chain):
        assert hockey_stick_of_vertices(chain, exp_epsilon, "1-0") == value(exp_epsilon)


# ---------------------------------------------------------------- FRESH_RANDOMNESS with hidden state


def check_hidden(seed: int) -> str:
    """The verdict, which is the definition's; the witness holds, and so do the curves of the core."""
    horizon = 3 if seed % 3 == 0 else 2
    mechanism = random_hidden(seed, horizon)
    view = view_of(mechanism)
    assert isinstance(view, Hidden)
    finding, core = freshness(view, BITS, horizon, Budget())
    holds = has_fresh_randomness(mechanism, BITS, horizon)
    assert finding.verdict == ("HOLDS" if holds else "REFUTED")
    assert (core is not None) == holds
    if holds:
        assert_curves_on_beliefs(examine(mechanism, horizon=horizon), mechanism, horizon)
    else:
        inputs, (one, two) = values(finding.witness["inputs"]), map(values, finding.witness["histories"])
        laws = [next_law(mechanism, inputs, history) for history in (one, two)]
        assert finding.witness["round"] == len(inputs) == len(one) + 1 == len(two) + 1
        assert laws == [law_of(label) for label in finding.witness["laws"]]
        assert laws[0] != laws[1]
        assert all(laws)
    return str(finding.verdict)


@pytest.mark.in_turns
def test_fresh_randomness_is_decided_as_defined() -> None:
    verdicts = [check_hidden(seed) for seed in chosen(range(400))]
    assert 8 * min(map(verdicts.count, ("HOLDS", "REFUTED"))) > len(verdicts)


@pytest.mark.thorough
def test_fresh_randomness_is_decided_as_defined_more_often() -> None:
    for seed in range(400, 6000):
        check_hidden(seed)


# ---------------------------------------------------------------- conditions 1 to 3 of code under seeds


def check_code(seed: int) -> tuple[str, str]:
    """Both verdicts, which are the definitions'; witnesses are run; all curves are what they should be."""
    table = random_table(seed)
    respond, law = table.respond, dict(table.law.items())
    record = examine(table).document
    prefix, own = item(record, "PREFIX_DEPENDENCE"), item(record, "FRESH_RANDOMNESS")
    causal = is_causal(respond, law, BITS, 2)
    clean = is_product(law) and reads_own_seeds(respond, law, BITS, 2)
    assert (prefix["verdict"] == "HOLDS", own["verdict"] == "HOLDS") == (causal, clean)
    assert item(record, "DETERMINISTIC_MAP")["verdict"] == "HOLDS"
    if not causal:
        assert_run(table, prefix["witness"], "PREFIX_DEPENDENCE")
        assert_offline(table, record)
    if not clean:
        assert_run(table, own["witness"], "FRESH_RANDOMNESS")
    if causal and clean:
        alike = examine(TableCore(table)).document
        assert {name: record[name] for name in NUMBERS} == {name: alike[name] for name in NUMBERS}
        assert rungs(record) == rungs(alike)
    elif causal and seed % 4 == 0:
        live = TableLive(table)
        assert_hull(record["adaptive"], lambda e: seed_oracle(live, BITS, 2, hamming, e, "1-0"))
        assert_hull(record["fixed_stream"], lambda e: hidden_fixed_hockey_stick(live, BITS, 2, hamming, e, "1-0"))
    return prefix["verdict"], own["verdict"]


NUMBERS = ("fixed_stream", "adaptive", "lifts", "verdict", "scope", "vacuous")


def rungs(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    cost = item(record, "STABLE_COST")
    return [("STABLE_COST", cost["verdict"]), *((rung["rung"], rung["verdict"]) for rung in cost["rungs"])]


def assert_run(table: Table, witness: Mapping[str, Any], name: str) -> None:
    """Running the code on what the witness shows gives what it shows."""
    if "probability" in witness:
        seeds = values(witness["seeds"])
        apart = [sum(w for own, w in table.law.items() if own[t] == seeds[t]) for t in range(2)]
        assert Fraction(witness["probability"]) == table.law.probability(seeds)
        assert Fraction(witness["product"]) == apart[0] * apart[1] != table.law.probability(seeds)
        return
    t = witness["round"] - 1
    if name == "PREFIX_DEPENDENCE":
        own = [values(witness["seeds"])] * 2
        streams = [values(stream) for stream in witness["streams"]]
        assert streams[0][: t + 1] == streams[1][: t + 1]
    else:
        own = [values(seeds) for seeds in witness["seeds"]]
        streams = [values(witness["stream"])] * 2
        assert own[0][t] == own[1][t]
    outputs = [table.respond(seeds, stream)[t] for seeds, stream in zip(own, streams, strict=True)]
    assert outputs == list(values(witness["outputs"]))
    assert outputs[0] != outputs[1]
    assert all(table.law.probability(seeds) for seeds in own)


def assert_offline(table: Table, record: Mapping[str, Any]) -> None:
    """Whole streams are compared exactly; nothing is concluded about adversaries."""
    law = dict(table.law.items())
    laws = {stream: output_law(table.respond, law, stream) for stream in all_streams(BITS, 2)}
    pairs = [(laws[one], laws[two]) for one, two in legal_stream_pairs(BITS, 2)]
    assert_hull(record["fixed_stream"], lambda e: hull(pairs, e, "1-0"))
    assert record["lifts"]["curve"]["verdict"] == record["verdict"] == "UNDECIDED"
    assert record["adaptive"]["power"] == [["0", "0"], ["0", "1"], ["1", "1"]]
    assert record["adaptive"].get("lower", record["adaptive"])["power"] == record["fixed_stream"]["power"]
    assert examine(table).exit_status == 3
    assert examine(table, requirements=Requirements(certified=True)).exit_status == 1


@pytest.mark.in_turns
def test_code_is_judged_by_the_definitions() -> None:
    verdicts = [check_code(seed) for seed in chosen(range(120))]
    assert min(verdicts.count((one, two)) for one in ("HOLDS", "REFUTED") for two in ("HOLDS", "REFUTED")) > 0


@pytest.mark.thorough
def test_more_code_is_judged_by_the_definitions() -> None:
    for seed in range(120, 3000):
        check_code(seed)


# ---------------------------------------------------------------- POST_PROCESSING


def pairs_seen(mechanism: Any, stream: tuple[Any, ...], draw: Any) -> tuple[Any, ...]:
    """One run of a mechanism with values: pairs (core, value), None where nothing is published; HALT for ever."""
    state, seen = mechanism.initial, []
    for x in stream:
        if seen and seen[-1] is HALT:
            seen.append(HALT)
            continue
        release, state = mechanism.step(state, x, draw)
        v = release.visible
        seen.append(v if v is HALT else (v.core, ("value", v.value)) if isinstance(v, Published) else (v, None))
    return tuple(seen)


def pairs_published(mechanism: Publishing, stream: tuple[Any, ...], draw: Any) -> tuple[Any, ...]:
    """One run of a mechanism with a `publish` of its own, asked after every release."""
    state, core, seen = mechanism.initial, (), []
    for x in stream:
        if seen and seen[-1] is HALT:
            seen.append(HALT)
            continue
        release, state = mechanism.step(state, x, draw)
        core = (*core, release.visible)
        seen.append(HALT if core[-1] is HALT else (core[-1], mechanism.publish(core)))
    return tuple(seen)


def pairs_of_core(mechanism: PublishingCore, stream: tuple[Any, ...], draw: Any) -> tuple[Any, ...]:
    """One run of a core with a `publish` of its own, asked after every release."""
    core, seen = (), []
    for t in range(1, len(stream) + 1):
        core = (*core, draw(mechanism.law(stream[:t])))
        seen.append((core[-1], mechanism.publish(core)))
    return tuple(seen)


def check_published(mechanism: Any, play: Callable[..., tuple[Any, ...]]) -> str:
    """The verdict, which is the definition's; its witness can happen; the fixed-stream curve is that of all seen."""
    laws = {s: observation_law(lambda inputs, draw: play(mechanism, inputs, draw), s) for s in all_streams(BITS, 2)}
    record = examine(mechanism, horizon=2).document
    found = item(record, "POST_PROCESSING")
    assert found["verdict"] == ("HOLDS" if is_function_of_core(laws.values()) else "REFUTED")
    pairs = [(laws[one], laws[two]) for one, two in legal_stream_pairs(BITS, 2)]
    assert_hull(record["fixed_stream"], lambda e: hull(pairs, e, "1-0"))
    if found["verdict"] == "REFUTED":
        witness, core = found["witness"], values(found["witness"]["core"])
        assert witness["published"][0] != witness["published"][1]
        for inputs, published in zip(map(values, witness["inputs"]), witness["published"], strict=True):
            joint = observation_law(lambda stream, draw: play(mechanism, stream, draw), inputs)
            told = {(tuple(v if v is HALT else v[0] for v in seen), tuple(map(value_label, seen))) for seen in joint}
            assert (core, tuple(published)) in told
    return str(found["verdict"])


def value_label(seen: Any) -> str:
    """As a witness shows it."""
    if seen is HALT or seen[1] is None:
        return "nothing"
    value = seen[1][1] if isinstance(seen[1], tuple) and seen[1][:1] == ("value",) else seen[1]
    return str(value)


@pytest.mark.in_turns
def test_values_beside_releases_are_judged_by_the_definition() -> None:
    verdicts = []
    for seed in chosen(range(60)):
        mechanism = random_with_value(seed)
        verdicts.append(check_published(mechanism, pairs_seen))
        assert_curves_on_beliefs(examine(mechanism, horizon=2), mechanism, 2)
    assert 4 * min(map(verdicts.count, ("HOLDS", "REFUTED"))) > len(verdicts)


@pytest.mark.in_turns
def test_a_publish_is_judged_by_the_definition() -> None:
    verdicts = [check_publishing(seed) for seed in chosen(range(24))]
    assert min(map(verdicts.count, ("HOLDS", "REFUTED"))) > 0
    verdicts = [check_published(random_publishing_core(seed), pairs_of_core) for seed in chosen(range(24))]
    assert min(map(verdicts.count, ("HOLDS", "REFUTED"))) > 0


def check_publishing(seed: int) -> str:
    """As above; both curves are those of the mechanism that releases the values itself."""
    mechanism = random_publishing(seed)
    itself = WithValue(mechanism.inner, mechanism.value, None)
    assert_curves_on_beliefs(examine(mechanism, horizon=2), itself, 2)
    return check_published(mechanism, pairs_published)


@pytest.mark.thorough
def test_more_values_are_judged_by_the_definition() -> None:
    for seed in range(24, 1500):
        check_published(random_with_value(seed), pairs_seen)
        check_publishing(seed)
        check_published(random_publishing_core(seed), pairs_of_core)


# ---------------------------------------------------------------- mutants


def assert_caught(check: Callable[[int], object]) -> None:
    """One of the first checks fails."""
    with pytest.raises(AssertionError):
        list(map(check, range(60)))


def test_laws_compared_up_to_their_supports_only_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    true = fresh._law
    monkeypatch.setattr(fresh, "_law", lambda *arguments: uniform(true(*arguments).support))
    assert_caught(check_hidden)


def test_seeds_taken_for_independent_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_code, "_dependent", lambda *_: None)
    assert_caught(check_code)


@pytest.mark.in_turns
def test_values_taken_one_by_one_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutant: the value of a release is dropped where there is a `publish`, as if nothing were seen of it."""
    monkeypatch.setattr(publishing.Publisher, "beside", lambda _, releases: releases[-1])
    assert_caught(lambda seed: check_published(random_publishing(seed), pairs_published))


def test_the_oracle_knows_the_simplest_cases() -> None:
    """Two independent coins, and one coin shown twice."""
    half = Fraction(1, 2)
    assert is_product({(a, b): half * half for a in BITS for b in BITS})
    assert not is_product({(0, 0): half, (1, 1): half})
    assert not is_product({(0, 0): half * half, (0, 1): half * half, (1, 1): half})
    masked = random_hidden(0, 2)
    assert sum(transcript_law(masked, (0, 1)).values()) == 1
