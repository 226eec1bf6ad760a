"""The ledger comes to the standings that expected.json names, and what it rests on bears the load."""

import json
from pathlib import Path
from typing import Any

import pytest

from dpcert.audit.finding import Method
from dpcert.proofs_checked.discovery import ledger
from dpcert.proofs_checked.expected import expected_standings
from dpcert.proofs_checked.graph import transitive
from dpcert.proofs_checked.ledger import ClaimOutcome, Standing, run
from dpcert.proofs_checked.verify import CheckedClaim, decide

IDS = list(ledger())
ON_HIDDEN_STATES = {
    "alg:randbin", "alg:randbin_sketch", "cor:adap_randbin", "defn:list_comp", "defn:randbin_npp",
    "eq:randbin_fresh_load", "lemma:randbin_NPDO", "sec:randbin", "sec:randbin_short", "th:prefix_sum",
    "thm:DP-comp", "thm:randbin_utility",
}  # fmt: skip
"""Labels whose claims enumerate steps."""


SLOW = json.loads((Path(__file__).parents[1] / "instances" / "slow_claims.json").read_text(encoding="utf-8"))
"""Claims whose checks take over a quarter of a second: a commit decides every fourth, `dpcert claims check` all."""


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.in_turns) if n in SLOW else n for n in IDS])
def test_standing_is_the_expected_one_and_its_report_whole(name: str) -> None:
    found = decide(name)
    assert found.standing.value == expected_standings().get(name), found.finding.detail
    check_report(name, found)
    pinned = PINNED.get(name, {})
    assert {key: found.finding.witness[key] for key in pinned} == pinned


@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name in IDS if ledger()[name].label in ON_HIDDEN_STATES])
def test_mechanisms_of_claims_have_no_randomness_but_their_draws(name: str) -> None:
    """The ledger tries each step once; here each sequence of draws is tried twice."""
    assert run(ledger()[name]).standing.value == expected_standings()[name]


def test_slow_claims_are_claims_and_few() -> None:
    assert sorted({*SLOW} & {*IDS}) == SLOW
    assert 3 * len(SLOW) < len(IDS)


def test_expected_names_no_other_claims_and_is_sorted() -> None:
    assert list(expected_standings()) == sorted(IDS)
    assert Standing.UNDECIDED.value not in expected_standings().values()


def check_report(name: str, found: ClaimOutcome) -> None:
    """Written as JSON as it is; a refutation has a witness, a verdict its method and scope, a citation its source."""
    entry = ledger()[name]
    document = json.loads(json.dumps(CheckedClaim(entry, found, found.standing, None).document()))
    if found.standing is Standing.CITED:
        assert entry.source is not None
        assert entry.check is None or "Spot check: " in document["detail"]
        assert document["detail"].startswith("Cited: ")
        return
    assert entry.method is not Method.SAMPLED or found.standing is Standing.REFUTED
    assert document["method"] == entry.method
    assert document["scope"].strip()
    assert document["detail"].strip()
    assert (entry.corrected is not None) == (found.standing is Standing.REFUTED)
    assert bool(document["witness"]) or found.standing not in {Standing.REFUTED, Standing.CONDITIONAL}


def test_every_transitive_standing_is_at_most_the_direct_one() -> None:
    direct = {name: Standing(word) for name, word in expected_standings().items()}  # each of which is tested above
    below = transitive(direct, ledger())
    assert set(below) == set(IDS)
    assert not any(below[name] is Standing.UNDECIDED for name in IDS)
    assert all(below[name] is direct[name] or direct[name] is not Standing.REFUTED for name in IDS)


def test_rows_are_those_of_the_list_of_claims() -> None:
    rows = {entry.row for entry in ledger().values()} - {None}
    randbin = {*range(30, 60)}
    assert rows >= {*range(1, 30), *randbin, *range(60, 98), 105, 107, *range(108, 115), 116}
    assert max(rows) <= 116


PINNED: dict[str, dict[str, Any]] = {
    "sec:modular_comp/no_best_refinement_online": {"length_2": "1/4", "length_1": "0"},
    "rem:vector_quant_decomp/the_tree_is_covered_exactly": {"slots": [[1, 2, "1/2"], [2, 2, "5/8"]]},
    "sec:cert/both_examples_pass_as_formalised": {"total_variation": ["1/2", "3/4"]},
    "fact:composition/no_filter_adds_up_curves": {"deltas": ["1/3", "4/9"]},
    "thm:DP-comp/bin_neighbours_are_two_hops_and_not_one": {"total_variation": ["5/8", "1/2", "3/4"]},
    "sec:prelim/a_clipped_core_lifts_by_its_own_profile": {"total_variation": ["55/128", "31/64"]},
    "thm:noise-ind-DP/case_1_is_exactly_the_product": {
        "curve": ["(0, 0)", "(1/16, 9/16)", "(1/4, 3/4)", "(1, 1)"],
        "product": ["(0, 0)", "(1/16, 9/16)", "(7/16, 15/16)", "(1, 1)"],
    },
    "sec:prelim/a_quantised_core_keeps_the_certified_guarantee": {
        "exp_epsilon": "3/2",
        "bound": "187/512",
        "reached": "189/512",
    },
    "defn:inv_pair/bounded_integers_have_an_invariant_pair": {"context": 5, "messages": [0, 1]},
    "sec:cert/a_stable_privacy_cost_suffices": {
        "the total variation": {
            "core": {"first": "(1/3, 1/2)", "second": "((1/3, 2/3), (2/3, 1))"},
            "total_variation": ["1/3", "7/18"],
        }
    },
    "sec:cert/fresh_randomness_is_necessary": {"curve": ["(0, 0)", "(1/4, 3/4)", "(1, 1)"]},
    "sec:example_prefixsum/the_displayed_binnings_are_neighbours": {"sizes": [[2, 3], [1, 3]], "differ_at": [3]},
    "cor:adap_randbin/exceptional_atoms_weigh_no_more_than_the_tails": {
        "ratios too far from 1 either way": {
            "exp_epsilon": "3/2",
            "delta": "16/45",
            "level": 6,
            "mass": "4/9",
        }
    },
    "alg:randbin_sketch/a_bin_has_the_size_that_is_drawn_as_it_leaves": {
        "drawn one bin ahead, as alg:randbin does": {
            "bin": 1,
            "step": 7,
            "law": {"2": "2/3", "3": "1/3"},
        }
    },
    "lemma:randbin_NPDO/exact_deltas_of_the_toy": {
        "deltas": {
            "9": ["5/81"] * 3,
            "13": ["446/729", "389/729", "3337/6561"],
        }
    },
    "def:truncated_geom/level_is_of_the_printed_order": {
        "epsilon": "K",
        "delta": "1/2",
        "level": 2,
        "bound": "log(2) < 2",
    },
    "lem:randbin_backlog/backlog_at_every_time": {"t": 1, "backlog": 1, "order": "0"},
    "alg:randbin/loads_fill_the_level_that_is_meant": {
        "U of (epsilon, delta)": {
            "exp_epsilon": "4",
            "delta": "1/2",
            "level": 2,
            "support": [0, 6],
        }
    },
    "cor:adap_randbin/load_and_scheduler_stay_within_the_budget": {"exp_epsilon": "4", "level": 4, "bound": "1/4"},
    "thm:dp_unbounded_prefix_sum/least_bounds_by_convolution": {
        "raw": [3, 9, 10, 18, 19, 24, 21, 31, 32, 38, 33, 40, 41, 46, 36]
    },
    "thm:DP-comp/randbin_feeding_a_sum_costs_two_hops": {"delta": ["217/432", "113/432", "37/144"]},
    "th:prefix_sum/the_bound_alone_does_not_suffice": {"delta": "1/4", "failure": "1/6"},
    "th:prefix_sum/feedback_helps_against_clipping": {
        "deltas": {
            "unbounded": ["25/216", "35/216"],
            "clipped to -5..5": ["263/2304", "23/144"],
        }
    },
    "prop:fhu_zcdp_rdp/norm_is_at_most_the_printed_bound": {"rounds": 11, "norm": "125233642041/68719476736"},
    "prop:fhu_zcdp_rdp/rho_is_at_most_the_printed_one": {"rounds": 11, "rho": "125233642041/137438953472"},
    "sec:prefixsum_factor/norm_of_the_tree_has_the_printed_order": {"for every T": {"rounds": "1"}},
    "sec:prefixsum_factor/the_conversion_is_loose": {
        "least": ["4.37717", "4.37718"],
        "bound": ["5.29852", "5.29853"],
    },
    "sec:prefixsum_factor/two_hops_cost_less_than_the_group_bound": {
        "least": ["9.99725", "9.99726"],
        "bound": ["11.0486", "11.0487"],
    },
    "subsec:ind_decomp_counterexample/fresh_randomness_is_not_enough": {"values": ["9/100", "991/10000"]},
    "subsec:ind_decomp_counterexample/table_of_the_adversary": {"event": ["396/625", "1069/2000"]},
}
"""Exact values of witnesses, by claim."""


def test_pinned_witnesses_are_of_claims_that_are_there() -> None:
    assert set(PINNED) <= set(IDS)
