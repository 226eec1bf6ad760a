"""Index sets in words: the words say the sets, and are short at any horizon."""

import random
import re

import pytest
from instances.seeds import chosen

from dpcert.audit.checklist.index_sets import MOST_SETS, index_sets

RULES = {
    "I_t = {1, ..., t}": lambda t: range(1, t + 1),
    "I_t = {t}": lambda t: (t,),
    "I_t = {}": lambda _: (),
    "I_t = {t - 2, ..., t}, from round 1 on": lambda t: range(max(1, t - 2), t + 1),
    "I_t = {t - lowbit(t) + 1, ..., t}": lambda t: range(t - (t & -t) + 1, t + 1),
    "I_t = {t - 1}, and {} in round 1": lambda t: range(max(1, t - 1), t) if t > 1 else (),
}


@pytest.mark.parametrize("said", RULES)
@pytest.mark.parametrize("rounds", [9, 10, 33, 400])
def test_a_rule_is_found_and_only_where_it_holds(said: str, rounds: int) -> None:
    sets = [tuple(RULES[said](t)) for t in range(1, rounds + 1)]
    assert index_sets(sets) == said
    at = random.Random(rounds).randrange(1, rounds)
    spoilt = [*sets[:at], (*sets[at], rounds + 1), *sets[at + 1 :]]
    assert index_sets(spoilt) != said
    assert said.removeprefix("I_t = ") not in index_sets(spoilt) or "round" in index_sets(spoilt)


def test_few_rounds_are_listed_as_they_are() -> None:
    assert index_sets([(1,), (), (1, 3)]) == "I_1 = {1}, I_2 = {}, I_3 = {1, 3}"


@pytest.mark.parametrize("seed", chosen(range(40)))
def test_any_sets_are_said_in_few_words(seed: int) -> None:
    rng = random.Random(seed)
    rounds = rng.randint(1, 300)
    sets = [tuple(sorted(rng.sample(range(1, t + 1), rng.randint(0, t)))) for t in range(1, rounds + 1)]
    said = index_sets(sets)
    assert len(said) <= 1_000
    if rounds <= MOST_SETS:
        read = re.findall(r"I_(\d+) = {([\d, ]*)}", said)
        assert [(int(t), tuple(map(int, filter(None, one.split(", "))))) for t, one in read] == list(enumerate(sets, 1))
