"""A kept audit that is damaged or forged is not believed: there is an audit anew."""

import json
import random
from hashlib import sha256

import pytest
from instances.kept_audits import Audits, anew, lasting

from dpcert.audit.exchange import kept
from dpcert.audit.exchange.kept import KeptAudits
from dpcert.mechanisms.two_round import TwoRound


@pytest.mark.in_turns(few=True)
def test_a_hundred_damaged_files_are_audited_anew_and_never_believed(audits: Audits) -> None:
    audits.audit(TwoRound()).require_delta(exp_epsilon=1, delta="1/2")
    due, rng = anew(TwoRound()), random.Random(1)
    (path,) = audits.folder.iterdir()
    whole = path.read_bytes()
    for _ in range(100):
        damaged = mutated(whole, rng)
        assert damaged != whole
        path.write_bytes(damaged)
        assert KeptAudits(path.parent).find(path.name) is None
    later = audits.new_run()
    assert lasting(later.audit(TwoRound()).record) == due
    assert later.run.taken == 0
    assert KeptAudits(path.parent).find(path.name) is not None


def mutated(whole: bytes, rng: random.Random) -> bytes:
    at, other = rng.randrange(len(whole)), rng.randrange(1, 256)
    kind = rng.randrange(5)
    if kind == 0:
        return whole[:at] + bytes([whole[at] ^ other]) + whole[at + 1 :]
    if kind == 1:
        return whole[:at]
    if kind == 2:
        return whole[:at] + bytes(rng.randrange(256) for _ in range(5)) + whole[at:]
    if kind == 3:
        return whole[:at] + whole[at + 7 :]
    digit = rng.choice([i for i, c in enumerate(whole) if chr(c).isdigit()])
    return whole[:digit] + str((whole[digit] - 48 + rng.randrange(1, 10)) % 10).encode() + whole[digit + 1 :]


FORGED = {
    "delta": lambda d: d["adaptive"]["delta"][0].update(lower="0", upper="0"),
    "the power function": lambda d: d["adaptive"].update(power=[["0", "0"], ["1", "1"]]),
    "total variation": lambda d: d["adaptive"].update(total_variation="0"),
    "the gap": lambda d: d["lifts"]["curve"].update(verdict="HOLDS", witness={}),
    "a certificate": lambda d: [entry.update(verdict="HOLDS") for entry in d["checklist"]],
    "the source": lambda d: d.update(source_digest="sha256:" + "0" * 64),
    "a requirement": lambda d: d["requirements"][0].update(verdict="REFUTED"),
    "no requirement": lambda d: d.update(requirements=[]),
    "a key": lambda d: d.pop("scope"),
}


@pytest.mark.in_turns
@pytest.mark.parametrize("what", FORGED)
def test_a_forged_record_that_contradicts_itself_is_not_believed(what: str, audits: Audits) -> None:
    audits.audit(TwoRound()).require_delta(exp_epsilon=1, delta="1/2")
    (path,) = audits.folder.iterdir()
    head, _, body = path.read_text(encoding="utf-8").partition("\n")[2].partition("\n")
    document = json.loads(body)
    FORGED[what](document)
    rest = f"{head}\n{json.dumps(document)}"
    path.write_text(f"{sha256(rest.encode()).hexdigest()}\n{rest}", encoding="utf-8")
    later = audits.new_run()
    assert lasting(later.audit(TwoRound()).record) == anew(TwoRound())
    assert later.run.taken == 0


def test_an_audit_that_is_not_read_in_time_is_not_tried_again(audits: Audits, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "BYTES_A_MILLISECOND", 0)
    audits.audit(TwoRound())
    (path,) = audits.folder.iterdir()
    assert path.read_bytes() == b""
    monkeypatch.setattr(kept, "BYTES_A_MILLISECOND", 10**9)
    later = audits.new_run()
    later.audit(TwoRound()).require_delta(exp_epsilon=1, delta=1)
    assert (later.run.taken, path.read_bytes()) == (0, b"")
    later.audit(TwoRound())
    assert later.run.taken == 1
