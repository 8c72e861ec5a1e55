"""The receipt is about exactly one report, and a changed one is refused."""

import base64
import json
from hashlib import sha256
from typing import Any

import pytest

import report_samples as samples
from profgate.__main__ import main
from profgate.decide.judge.verdict import judge
from profgate.errors import ProfgateError
from profgate.model.claim import Claim, ClaimResult
from profgate.model.measurement import Measurement
from profgate.model.policy import Policy
from profgate.model.record import replace
from profgate.report.json_report import to_json
from profgate.report.receipt import PREDICATE_TYPE, predicate_of, receipt_json, verified

RESULT = ClaimResult("api-bench", "samples", "a", -0.12, -0.08, 0.001, 0.5, -0.07, -0.03, 1.0)
CLAIM = Claim("parse", -0.1, attempt=1, results=(RESULT, replace(RESULT, machine="b")))
MEASURED = Measurement(40, 200.0, 300.0, machines=("a", "b"), placement=0.02)
PROVEN = judge(replace(samples.unchanged(), claims=(CLAIM,), measurement=MEASURED), Policy())
REPORT = to_json(PROVEN).encode()


def statement(report: bytes = REPORT, **values: Any) -> dict[str, Any]:
    subject = {"name": "report.json", "digest": {"sha256": sha256(report).hexdigest()}}
    whole = {"_type": "https://in-toto.io/Statement/v1", "subject": [subject], "predicateType": PREDICATE_TYPE}
    return {**whole, "predicate": json.loads(receipt_json(PROVEN)), **values}


def bundle(of: dict[str, Any] | None = None) -> bytes:
    """A bundle as actions/attest writes it; the signature is not checked."""
    payload = base64.b64encode(json.dumps(of or statement()).encode()).decode()
    envelope = {"payload": payload, "payloadType": "application/vnd.in-toto+json", "signatures": [{"sig": "AA=="}]}
    return json.dumps({"mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json", "dsseEnvelope": envelope}).encode()


def test_receipt_states_what_was_measured() -> None:
    predicate = predicate_of(PROVEN)
    assert predicate["commits"] == {"baseline": PROVEN.baseline.sha, "target": PROVEN.target.sha}
    assert (predicate["machines"], predicate["builds"], predicate["runs"]) == (["a", "b"], 2, 40)
    assert predicate["policy"]["machines"] == 2
    (claim,) = predicate["claims"]
    assert (claim["state"], claim["attempt"], [one["p"] for one in claim["results"]]) == ("proven", 1, [0.001] * 2)


def test_report_of_the_receipt_is_verified() -> None:
    assert verified(REPORT, bundle(), "b") == PROVEN
    other = bundle(statement(b"other"))
    assert verified(REPORT, other + b"\n" + bundle() + b"\n", "b") == PROVEN


ALTERATIONS: dict[str, tuple[bytes, bytes]] = {
    "claim": (b'"change":-0.1', b'"change":-0.5'),
    "function": (b'"location":"parse"', b'"location":"other"'),
    "state": (b'"state":"proven"', b'"state":"contradicted"'),
    "attempt": (b'"attempt":1', b'"attempt":2'),
    "level": (b'"level":0.006', b'"level":0.106'),
    "p": (b'"p":0.001', b'"p":0.0001'),
    "interval": (b'"low":-0.12', b'"low":-0.32'),
    "machine": (b'"machine":"b"', b'"machine":"c"'),
    "runs": (b'"runs":40', b'"runs":80'),
    "conclusion": (b'"conclusion":"pass"', b'"conclusion":"warn"'),
    "policy": (b'"fail_on":"degradation"', b'"fail_on":"never"'),
    "space": (b"\n}\n", b"\n}\n\n"),
}


@pytest.mark.parametrize("what", ALTERATIONS)
def test_altered_report_is_refused(what: str) -> None:
    """Also if the digest of the statement is adapted, unless the signature of the statement is checked."""
    altered = REPORT.replace(*ALTERATIONS[what], 1)
    assert altered != REPORT
    with pytest.raises(ProfgateError, match="is about another file"):
        verified(altered, bundle(), "b")
    if what != "space":
        with pytest.raises(ProfgateError, match="states other values than the report"):
            verified(altered, bundle(statement(altered)), "b")


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        (b"", "contains no statement"),
        (b"\xff", "is no line of Sigstore bundles"),
        (b"[]", "is no line of Sigstore bundles"),
        (b'{"dsseEnvelope": {"payload": "%%%"}}', "is no line of Sigstore bundles"),
        (b'{"dsseEnvelope": {"payload": 1}}', "is no line of Sigstore bundles"),
        (b"[" * 100_000, "is no line of Sigstore bundles"),
        (bundle({"predicateType": PREDICATE_TYPE}), "is no line of Sigstore bundles"),
        (bundle(statement(predicateType="https://slsa.dev/provenance/v1")), "is no receipt of profgate"),
        (bundle(statement(subject=[])), "is about another file"),
        (bundle(statement(subject={"digest": 1})), "is no line of Sigstore bundles"),
        (bundle(statement(predicate=[])), "states other values than the report: claims"),
        (bundle(statement(predicate="x")), "is no line of Sigstore bundles"),
        (bundle(statement(predicate={})), "states other values than the report: claims, commits"),
    ],
)
def test_other_bundle_is_refused(stored: bytes, message: str) -> None:
    with pytest.raises(ProfgateError, match=message):
        verified(REPORT, stored, "b")


def test_command_states_what_it_did_not_check(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "report.json").write_bytes(REPORT)
    (tmp_path / "bundle.json").write_bytes(bundle())
    words = ["verify", str(tmp_path / "report.json"), str(tmp_path / "bundle.json")]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "Claim proven: parse" in shown
    assert "The signature was not checked. To check it: gh attestation verify" in shown
    (tmp_path / "report.json").write_bytes(REPORT + b" ")
    assert main(words) == 2
