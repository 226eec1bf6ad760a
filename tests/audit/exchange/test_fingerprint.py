"""The hash of a line is the one that code scanning computes."""

import random

import pytest

from dpcert.audit.exchange.fingerprint import line_hashes

GREETINGS = " hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End"
WITH_A_LAST_BREAK = [
    "e9496ae3ebfced30:1", "fb7c023a8b9ccb3f:1", "ce8ba1a563dcdaca:1", "e20e36e16fcb0cc8:1", "b3edc88f2938467e:1",
    "c8e28b0b4002a3a0:1", "c129715d7a2bc9a3:1",
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "hashes"),
    [
        ("", ["c129715d7a2bc9a3:1"]),
        (" a\nb\n  \t\tc\n d", ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"]),
        (
            GREETINGS,
            [
                "8b7cf3e952e7aeb2:1", "b1ae1287ec4718d9:1", "bff680108adb0fcc:1", "c6805c5e1288b612:1",
                "b86d3392aea1be30:1", "e6ceba753e1a442:1",
            ],
        ),
        (f"{GREETINGS}\n", WITH_A_LAST_BREAK),
        (f"{GREETINGS}\n".replace("\n", "\r"), WITH_A_LAST_BREAK),
        (f"{GREETINGS}\n".replace("\n", "\r\n"), WITH_A_LAST_BREAK),
    ],
)  # fmt: skip
def test_published_values(text: str, hashes: list[str]) -> None:
    assert line_hashes(text) == hashes


def directly(text: str) -> list[str]:
    """Each hash as the polynomial that it is, over the hundred units from its line on."""
    plain = [c for c in text.replace("\r\n", "\n").replace("\r", "\n") if c not in " \t"]
    starts = [0, *(i + 1 for i, c in enumerate(plain) if c == "\n")]
    units = [*map(ord, plain), 65_535]
    seen: dict[str, int] = {}
    found = []
    for start in starts:
        window = [*units[start : start + 100], *[0] * 100][:100]
        value = f"{sum(u * 37 ** (99 - i) for i, u in enumerate(window)) % 2**64:x}"
        seen[value] = seen.get(value, 0) + 1
        found.append(f"{value}:{seen[value]}")
    return found


@pytest.mark.parametrize("seed", range(60))
def test_it_is_the_polynomial(seed: int) -> None:
    chance = random.Random(seed)
    text = "".join(chance.choice("ab \t\n\r:é") for _ in range(chance.randrange(400)))
    assert line_hashes(text) == directly(text)
