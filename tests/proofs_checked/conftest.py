"""Made-up claims in place of the ledger's."""

import pytest
from instances.claims import Stage

from dpcert.proofs_checked import cli, verify
from dpcert.proofs_checked.discovery import by_id
from dpcert.proofs_checked.ledger import Claim


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    """Puts made-up claims and expectations in place of the ledger's."""

    def put(*entries: Claim, expected: dict[str, str]) -> None:
        claims = by_id(entries)
        monkeypatch.setattr(verify, "ledger", lambda: claims)
        monkeypatch.setattr(cli, "ledger", lambda: claims)
        monkeypatch.setattr(verify, "expected_standings", lambda: expected)

    return put
