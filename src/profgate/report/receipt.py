"""The receipt of a report with claims: the predicate of a signed statement about report.json, and its verification.

The statement has the format of in-toto, version 1, in a bundle of Sigstore, as the action actions/attest writes it.
"""

import base64
import json
from hashlib import sha256
from typing import Any

from profgate.errors import ProfgateError
from profgate.model.record import to_builtins
from profgate.model.report import Report
from profgate.report.json_report import from_json
from profgate.version import VERSION

RECEIPT_NAME = "receipt.json"
PREDICATE_TYPE = "https://profgate.github.io/profgate/claim/v1"
LARGEST_BUNDLE = 16 << 20  # bytes; GitHub's limit for a predicate is 16 MB


def predicate_of(report: Report) -> dict[str, Any]:
    """Return what a receipt states about a report: claims, commits, machines, builds, runs and policy.

    The number of builds is that of each side, because each machine builds both commits once.
    """
    measured, verdict = report.measurement, report.verdict
    machines = list(measured.machines) if measured else []
    return {
        "claims": [
            {name: value for name, value in to_builtins(claim).items() if name != "remark"} for claim in report.claims
        ],
        "commits": {"baseline": report.baseline.sha, "target": report.target.sha},
        "machines": machines,
        "builds": max(1, len(machines)) if measured else 0,
        "runs": measured.runs if measured else 0,
        "policy": to_builtins(report.policy),
        "conclusion": verdict.conclusion,
        "exitCode": verdict.exit_code,
        "profgate": VERSION,
    }


def receipt_json(report: Report) -> str:
    """Return the predicate as JSON."""
    return json.dumps(predicate_of(report), indent=1, allow_nan=False) + "\n"


def verified(report: bytes, bundles: bytes, where: str) -> Report:
    """Return a report whose digest and contents are those of a statement in a bundle. Signatures are not checked.

    Each line of ``bundles`` is a bundle. Raises ProfgateError with the first difference to the last statement.
    """
    digest, parsed = sha256(report).hexdigest(), from_json(report.decode("utf-8", "replace"))
    expected = json.loads(receipt_json(parsed))
    problem = "contains no statement"
    for line in bundles.splitlines():
        try:
            statement = json.loads(base64.b64decode(json.loads(line)["dsseEnvelope"]["payload"], validate=True))
            digests = [subject["digest"]["sha256"] for subject in statement["subject"]]
            kind, stated = statement["predicateType"], dict(statement["predicate"])
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            what = f"is no line of Sigstore bundles ({type(error).__name__}); store it with: gh attestation download"
            raise ProfgateError(where, what) from None
        other = [name for name in expected if name != "profgate" and stated.get(name) != expected[name]]
        if kind != PREDICATE_TYPE:
            problem = f"is no receipt of profgate, whose statements have the type {PREDICATE_TYPE}"
        elif digest not in digests:
            problem = f"is about another file: the digest of the report is {digest}"
        elif other:
            problem = f"states other values than the report: {', '.join(other)}"
        else:
            return parsed
    raise ProfgateError(where, problem)
