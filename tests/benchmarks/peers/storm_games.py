"""Exact maximal expected rewards of acyclic MDPs, computed by the Storm model checker.

It runs alone in the peers' environment (standard library and stormpy only), reads a JSON list of MDPs from the
standard input and prints a JSON list of their values.  An MDP is

    {"choices": [[[[target, "1/2"], ..], ..], ..], "rewards": {"name": ["3/4", ..], ..}}

State 0 is the first one.  `choices` lists, state by state, the choices and their transitions, which add up to 1; a
state without choices is terminal.  Each entry of `rewards` gives the rewards of the terminal states, at least 0, in
the order of these states.  For every name the value is printed as a rational: {"name": "991/10000", ..}.

Nothing here knows of privacy, and rationals stay rationals: Storm's exact engine, whose topological solver goes
through an acyclic MDP once.
"""

import json
import sys
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import stormpy

ZERO = stormpy.Rational(0)
Transitions = list[tuple[int, Fraction]]


def merged(transitions: Iterable[tuple[int, str]], states: int) -> Transitions:
    """The transitions of a choice by target, one for each; refuses those that are no law."""
    shares: dict[int, Fraction] = {}
    for target, share in transitions:
        shares[target] = shares.get(target, Fraction(0)) + Fraction(share)
    if sum(shares.values()) != 1 or min(shares.values()) < 0 or not 0 <= min(shares) <= max(shares) < states:
        raise SystemExit(f"storm_games: expected transitions that add up to 1 but got {transitions}")
    return sorted(shares.items())


def rational(value: Fraction) -> Any:
    """A Fraction as one of Storm's rationals."""
    return stormpy.Rational(str(value))


def terminal_states(choices: list[Any]) -> list[int]:
    """The states without choices."""
    return [state for state, offered in enumerate(choices) if not offered]


def matrix_of(choices: list[Any]) -> Any:
    """The transitions; terminal states lead to one more state, which is last and leads to itself."""
    sink = len(choices)
    builder = stormpy.ExactSparseMatrixBuilder(has_custom_row_grouping=True)
    row = 0
    for offered in [*choices, []]:
        builder.new_row_group(row)
        for transitions in offered or [[(sink, "1")]]:
            for target, share in merged(transitions, sink + 1):
                builder.add_next_value(row, target, rational(share))
            row += 1
    return builder.build()


def gains(choices: list[Any], rewards: list[str]) -> Any:
    """A reward for the one step that leaves a terminal state."""
    paid = [Fraction(reward) for reward in rewards]
    ends = terminal_states(choices)
    if len(ends) != len(paid) or min(paid) < 0:
        raise SystemExit(f"storm_games: expected {len(ends)} rewards of at least 0 but got {len(paid)}, {min(paid)} on")
    by_state = dict(zip(ends, map(rational, paid), strict=True))
    by_row: list[Any] = []
    for state, offered in enumerate([*choices, []]):
        by_row += [by_state.get(state, ZERO)] * max(1, len(offered))
    return stormpy.SparseExactRewardModel(optional_state_action_reward_vector=by_row)


def model_of(choices: list[Any], rewards: dict[str, list[str]]) -> Any:
    """The MDP with one reward model, gain0, gain1, .., for each list of rewards."""
    labeling = stormpy.StateLabeling(len(choices) + 1)
    for label, state in (("init", 0), ("done", len(choices))):
        labeling.add_label(label)
        labeling.add_label_to_state(label, state)
    models = {f"gain{number}": gains(choices, listed) for number, listed in enumerate(rewards.values())}
    return stormpy.SparseExactMdp(stormpy.SparseExactModelComponents(matrix_of(choices), labeling, models))


def values_of(choices: list[Any], rewards: dict[str, list[str]]) -> dict[str, str]:
    """The exact maximal expected reward for each name."""
    model = model_of(choices, rewards)
    environment = stormpy.Environment()
    environment.solver_environment.set_force_exact(True)
    environment.solver_environment.minmax_solver_environment.method = stormpy.MinMaxMethod.topological
    values: dict[str, str] = {}
    for number, name in enumerate(rewards):
        formula = stormpy.parse_properties(f'R{{"gain{number}"}}max=? [F "done"]')[0]
        result = stormpy.model_checking(model, formula, only_initial_states=True, environment=environment)
        value = result.at(model.initial_states[0])
        if not isinstance(value, stormpy.Rational):
            raise TypeError(f"the result is not an exact rational: {value!r}")
        values[name] = str(value)
    return values


def main() -> None:
    """Reads the MDPs and prints their values."""
    stormpy.set_loglevel_error()  # warnings would go to the standard output
    print(json.dumps([values_of(mdp["choices"], mdp["rewards"]) for mdp in json.load(sys.stdin)]))


if __name__ == "__main__":
    main()
