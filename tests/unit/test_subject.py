"""What an audit takes a mechanism for: nothing that an observer sees may get lost on the way to the game."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from dpcert import HALT, Budget, DpcertError, Pmf, examine, point, uniform

Outputs = tuple[Any, ...]


@dataclass(frozen=True)
class Code:
    """Code under seeds from a function; `seeds` are two fair coins unless there is but one round."""

    respond: Callable[[Outputs, Outputs], Outputs]
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    horizon: ClassVar[int] = 2

    def seeds(self, horizon: int) -> Pmf[tuple[int, ...]]:
        """Fair coins."""
        law: Pmf[tuple[int, ...]] = point(())
        for _ in range(horizon):
            law = law.product(uniform((0, 1))).map(lambda pair: (*pair[0], pair[1]))
        return law


def verdicts(record: Any) -> dict[str, str]:
    """Item -> verdict."""
    return {entry["item"]: entry["verdict"] for entry in record["checklist"]}


def test_earlier_outputs_that_read_a_later_seed_once_the_stream_goes_on_are_met() -> None:
    """Each stream's last output reads its own seed; the first output of a longer stream reads another one."""
    code = Code(lambda seeds, stream: (seeds[len(stream) - 1],) * len(stream))
    record = examine(code)
    assert verdicts(record)["PREFIX_DEPENDENCE"] == "REFUTED"
    assert verdicts(record)["FRESH_RANDOMNESS"] == "REFUTED"


@pytest.mark.parametrize("horizon", [0, 3])
@pytest.mark.parametrize("respond", [lambda _, stream: stream, lambda _, stream: stream[::-1]])
def test_code_has_no_more_rounds_than_it_says(horizon: int, respond: Callable[..., Any]) -> None:
    with pytest.raises(DpcertError, match=r"^Expected a horizon of at (least 1|most 2)"):
        examine(Code(respond), horizon=horizon)


def test_streams_are_counted_before_they_are_listed() -> None:
    @dataclass(frozen=True)
    class Long:
        alphabet: ClassVar[tuple[int, ...]] = (0, 1)
        seeds: ClassVar[Any] = staticmethod(lambda horizon: point((0,) * horizon))
        respond: ClassVar[Any] = staticmethod(lambda _, stream: (0,) * len(stream))

    record = examine(Long(), horizon=40, budget=Budget(max_positions=20))
    assert verdicts(record)["FRESH_RANDOMNESS"] == "UNDECIDED"


def test_code_that_goes_on_after_halt_is_refused() -> None:
    with pytest.raises(DpcertError, match=r"respond to go on with HALT after HALT but got \(HALT, 1\)"):
        examine(Code(lambda seeds, stream: (HALT, 1)[: len(stream)] if seeds[0] else stream))


def test_code_may_halt_in_its_last_round() -> None:
    record = examine(Code(lambda seeds, stream: (stream[0], HALT if seeds[-1] else stream[-1])[: len(stream)]))
    assert set(verdicts(record).values()) == {"HOLDS"}
    assert record["adaptive"]["total_variation"] == "1"
