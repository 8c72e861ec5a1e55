import json
import math
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator, ValidationError, meta

import report_samples as samples
from profgate.errors import ProfgateError
from profgate.model.acceptance import Acceptance
from profgate.model.calibration import Calibration
from profgate.model.change import Location
from profgate.model.claim import Claim, ClaimResult, claim_of
from profgate.model.excerpt import Excerpt, Frame, Hunk, Place
from profgate.model.plant import Plant
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import replace
from profgate.model.report import Attribution, Cause, Report
from profgate.report import json_report
from profgate.report.json_report import from_json, to_json


def explained() -> Report:
    """A report with an acceptance, an attribution, a cause and excerpts."""
    remark = Reason(ReasonCode.ACCEPTANCE, {"case": "accepted_up_to", "limit": 0.3})
    accepted = Acceptance("7.0", "parse", "needed", "octocat", file="a.py", limit=0.3, state="applies", remark=remark)
    row = replace(samples.finding("parse", 1e9, 2e9), attribution=Attribution(source="changed", reach="changed here"))
    cause = Cause(row.location, "worse", Location("lex"), changed=True)
    frames = (Frame("main", "a.py", 3, 2.5, 4.0), Frame("parse"))
    excerpt = Excerpt("ab" * 8, frames[:1], (Hunk("parse", "a.py", None, ("    1       -x",), 2),))
    metric = replace(samples.metric(row), causes=(cause,), excerpts=(excerpt, Excerpt("")))
    metric = replace(metric, places=(Place(row.location, frames),))
    report = samples.report(samples.workload(metric))
    proof = Plant("parse", "a.py", 0.12, caught="2026-11-03")
    return replace(report, proof=proof, acceptances=(accepted, replace(accepted, limit=None, file=None)))


def claimed() -> Report:
    """A report with a claim that was measured, and one that cannot be read."""
    result = ClaimResult("api-bench", "time", "a", -0.12, -0.08, 0.001, 0.5, -0.07, -0.03, 1.0)
    claims = (
        Claim("parse", -0.1, "a.py", 1, 0.006, (result, ClaimResult("b", "time", obstacle="several"))),
        claim_of(""),
    )
    return replace(samples.unchanged(), claims=claims)


REPORTS = {
    "claimed": claimed(),
    "explained": explained(),
    "regression": samples.regression(),
    "nothing compared": samples.nothing_compared(),
    "inconclusive": samples.inconclusive(),
    "hostile": samples.hostile(),
    "many": samples.many(20, 5),
}


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_a_report_survives_the_round_trip(report: Report) -> None:
    text = to_json(report)
    again = from_json(text)
    assert to_json(again) == text.replace("lone \\ud800 half", "lone ? half")
    assert again == report or "lone" in text


def test_each_workload_is_one_line() -> None:
    lines = to_json(samples.many(20, 5)).splitlines()
    loads = [line.rstrip(",") for line in lines if line.startswith('{"name":"')]
    assert len(loads) == 20
    assert len({json.loads(load)["name"] for load in loads}) == 20


def test_report_too_long_to_read_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_report, "LARGEST_REPORT", 1000)
    with pytest.raises(ProfgateError, match="longer than 1,000 bytes; compare fewer workloads"):
        to_json(samples.many(20, 5))


def test_what_is_not_finite_is_written_as_null() -> None:
    report = samples.regression()
    load = report.workloads[0]
    broken = replace(load.metrics[0], calibration=Calibration(largest=math.inf))
    text = to_json(replace(report, workloads=(replace(load, metrics=(broken,)),)))
    metric = from_json(text).workloads[0].metrics[0]
    assert metric.calibration == Calibration()


def spoiled(path: str, value: object) -> str:
    document = json.loads(to_json(samples.regression()))
    place = document
    *way, last = path.split("/")
    for step in way:
        place = place[int(step)] if step.isdigit() else place[step]
    if value is KeyError:
        del place[last]
    else:
        place[last] = value
    return json.dumps(document)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (
            "schema",
            "profgate.report/3",
            "reads: its schema is \"profgate.report/3\", expected 'profgate.report/4'; compare the profiles again",
        ),
        ("verdict", KeyError, "report.json: verdict: is missing"),
        ("verdict/conclusion", "fine", "report.json: verdict.conclusion: is \"fine\"; expected 'pass', 'warn'"),
        ("verdict/exit_code", True, "report.json: verdict.exit_code: is true; expected a valid integer"),
        ("workloads", {}, "report.json: workloads: is an object; expected a valid array"),
        ("workloads/0/metrics/0/total/delta", "big", "report.json: workloads[0].metrics[0].total.delta: is"),
        ("workloads/0/metrics/0/findings/1/location", None, "findings[1].location: is null; expected an object"),
        ("workloads/0/metrics/0/findings/1/from_value", [], "findings[1].from_value: is a list; expected"),
        (
            "workloads/0/metrics/0/findings/0/changes/0/confidence_type",
            KeyError,
            "changes[0].confidence_type: is missing",
        ),
        ("workloads/0/metrics/0/runs/target", 1.5, "runs.target: is 1.5; expected a valid integer"),
        ("verdict/reasons/0/code", "mood", "verdict.reasons[0].code: is \"mood\"; expected 'no_split'"),
        ("workloads/0/metrics/0/findings/0/changes/0/kind", "Worse", 'changes[0].kind: "Worse" is not a known value'),
        (
            "workloads/0/metrics/0/findings/0/changes/0/details",
            {"of": "amounts", "ratio": "x"},
            'changes[0].details.ratio: is "x"; expected a valid number',
        ),
        ("verdict/exit_code", 10**400, "is out of range"),
        ("workloads/0/metrics/0/total/delta", float("inf"), "total.delta: is Infinity; expected a finite number"),
    ],
)
def test_a_spoiled_document_is_refused_with_the_path(path: str, value: object, message: str) -> None:
    with pytest.raises(ProfgateError) as caught:
        from_json(spoiled(path, value))
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"schema": NaN}', '{"schema": 1e999}', "null", "[]"])
def test_what_is_no_report_is_refused(text: str) -> None:
    with pytest.raises(ProfgateError, match=r"^shard-3/report\.json"):
        from_json(text, "shard-3/report.json")


def test_unknown_keys_are_passed_over() -> None:
    assert from_json(spoiled("verdict/mood", "good")) == samples.regression()


def test_deeply_nested_reasons_are_refused() -> None:
    reason: dict[str, Any] = {"code": "text"}
    for _ in range(300):
        reason = {"code": "several", "reasons": [reason]}
    with pytest.raises(ProfgateError, match="nested too deeply"):
        from_json(spoiled("warnings", [reason]))


def test_schema_lists_every_code() -> None:
    assert SCHEMA["$defs"]["reason"]["properties"]["code"]["enum"] == list(ReasonCode)


DATA = Path(__file__).parents[2] / "data"
SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "report.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)


def test_the_published_schema_is_a_schema() -> None:
    meta.validate(SCHEMA)


def test_a_format_never_loses_a_key() -> None:
    """New keys are added to the file. If a key is removed or renamed, the format needs another name."""
    parts = {"report": SCHEMA, **SCHEMA["$defs"]}
    keys = {name: sorted(part.get("properties", ())) for name, part in parts.items()}
    assert keys == json.loads((DATA / "report_keys.json").read_text("utf-8"))[SCHEMA["$id"]]


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_real_documents_follow_the_published_schema(report: Report) -> None:
    VALIDATOR.validate(json.loads(to_json(report)))


@pytest.mark.parametrize(
    ("path", "value"),
    [("verdict/conclusion", "fine"), ("verdict", KeyError), ("mood", "good"), ("workloads/0/metrics/0/unit", None)],
)
def test_the_published_schema_refuses_spoiled_documents(path: str, value: object) -> None:
    with pytest.raises(ValidationError):
        VALIDATOR.validate(json.loads(spoiled(path, value)))
