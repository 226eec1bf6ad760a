"""The standings that expected.json pins: what the ledger must come to."""

import json
from importlib import resources


def expected_standings() -> dict[str, str]:
    """Id -> the standing that the ledger must come to, from expected.json."""
    text = resources.files("dpcert.proofs_checked").joinpath("expected.json").read_text(encoding="utf-8")
    standings: dict[str, str] = json.loads(text)
    return standings
