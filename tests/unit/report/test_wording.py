"""The sentences of reasons."""

import re

import pytest

from profgate.model.reason import Parameter, Reason, ReasonCode
from profgate.report.wording import SENTENCES, advice, full_sentence, reason_text

PLACE: dict[str, Parameter] = {"workload": "api", "metric": "cpu"}
PARAMETERS: dict[ReasonCode, dict[str, Parameter]] = {
    ReasonCode.NO_SPLIT: {"splits": 252, "runs": 10},
    ReasonCode.BEYOND_JOBS: {"jobs": 8, "bound": 0.38, "change": 2.04},
    ReasonCode.EXACT: {"runs": 4},
    ReasonCode.CALLS_ROSE: {"before": 106.0, "after": 203_238.0},
    ReasonCode.CONFIRMED: {"runs": "5 + 5", "p": "0.004"},
    ReasonCode.FEW_SPLITS: {"p": 3 / 252, "splits": 252},
    ReasonCode.NEAR_JOBS: {"jobs": 8, "bound": 0.38, "change": 0.5},
    ReasonCode.FEW_JOBS: {"jobs": 1, "needed": 3},
    ReasonCode.EVERYTHING: {"factor": 1.15},
    ReasonCode.UNLIKE_RUNS: {"factor": 1.6},
    ReasonCode.TOTAL_IMPROVED: {"relative": -0.27},
    ReasonCode.UNCONFIRMED: {"baseline": 1, "target": 1},
    ReasonCode.WAITS: {"confirm": "always"},
    ReasonCode.SUBSTITUTE_BASELINE: {"distance": 2},
    ReasonCode.DEMOTED: {"reds": 4, "trials": 40, "budget": 0.02},
    ReasonCode.SEVERITY: {"severity": "degraded", "setting": "fail-on", "value": "severe"},
    ReasonCode.ACCEPTED: {"by": "octocat", "limit": 0.3, "reason": "needed"},
    ReasonCode.TOO_FEW_SAMPLES: {**PLACE, "samples": 674, "runs": 5, "factor": 8},
    ReasonCode.TOO_FEW_RUNS: {**PLACE, "baseline": 1, "target": 1, "wanted": 5},
    ReasonCode.CANNOT_SEE: {**PLACE, "total": 0.8, "tenth": 1.2},
    ReasonCode.FINDING: {**PLACE, "function": "f", "kind": "Degradation", "relative": 0.5},
    ReasonCode.NOT_COMPARED: {**PLACE, "text": "its total is 0"},
    ReasonCode.NEW_WORKLOAD: {"workload": "api", "text": "no profile of it on the baseline"},
    ReasonCode.NO_BASELINE: {"text": "no baseline is stored"},
    ReasonCode.TOTAL_NOT_TESTED: {**PLACE, "relative": 0.6},
    ReasonCode.FEW_SHARED_NAMES: {**PLACE, "share": 0.1},
    ReasonCode.STRATEGY_FAILED: PLACE,
    ReasonCode.DEPARTURE: {"workload": "api", "text": "the order changed"},
    ReasonCode.MORE: {"count": 2},
    ReasonCode.NO_CHANGE: {"comparisons": 3},
    ReasonCode.FIRST_EDITION: {"text": "f got worse"},
    ReasonCode.NEVER_RECORDED: {"text": "no baseline is stored"},
    ReasonCode.NO_TRUSTED_RUN: {"workflow": "a.yml", "commits": 9},
    ReasonCode.NO_ARTIFACT: {"run": 7, "artifact": "profgate-default"},
    ReasonCode.ARTIFACT_EXPIRED: {"run": 7, "artifact": "profgate-default"},
    ReasonCode.ARTIFACT_UNUSABLE: {"run": 7, "text": "the zip is broken"},
    ReasonCode.NO_ASSET: {"release": "v1", "asset": "profgate-default.zip"},
    ReasonCode.TEXT: {"text": "out of memory"},
    ReasonCode.STRATEGY_RAISED: {"error": "KeyError: 'f'"},
    ReasonCode.RATES_APART: {"baseline": "100", "target": "1000"},
    ReasonCode.NO_LINE: {"sides": "the target"},
    ReasonCode.POOR_FIT: {"r_square": 0.1},
    ReasonCode.NO_MODEL: {"baseline": "unfit", "target": "few_sizes", "target_records": 2},
    ReasonCode.FEW_TESTS: {"tests": 12, "needed": 30},
    ReasonCode.FEW_BASELINE_RUNS: {"runs": 1, "needed": 3},
    ReasonCode.FEW_STABLE_RANKS: {"mean": 1.5},
    ReasonCode.ORDER_CHANGED: {"direction": "slower"},
}


@pytest.mark.parametrize("code", ReasonCode)
def test_every_reason_has_a_sentence(code: ReasonCode) -> None:
    text = reason_text(Reason(code, PARAMETERS.get(code, {})), str)
    assert re.fullmatch(r"[a-zA-Z0-9].*[^.\s]", text)
    assert not re.search(r"None|–|  ", text)
    assert set(SENTENCES) == set(ReasonCode)


@pytest.mark.parametrize(
    ("code", "parameters", "text"),
    [
        (ReasonCode.BEYOND_JOBS, {}, "none of 8 base jobs differed by more than 38.0 %; this one differs by 204 %"),
        (ReasonCode.BEYOND_JOBS, {"bound": float("inf")}, "none of 8 base jobs has this function; this one does"),
        (ReasonCode.BEYOND_JOBS, {"bound": None}, "none of 8 base jobs has this function; this one does"),
        (ReasonCode.NEAR_JOBS, {}, "not certain: it differs by 50.0 %, 8 base jobs by up to 38.0 %"),
        (ReasonCode.FEW_SPLITS, {}, "not certain: 3 of 252 ways to regroup the runs differ as much"),
        (
            ReasonCode.FEW_SPLITS,
            {"p": 1 / 70, "splits": 70},
            "not certain: 70 ways to regroup the runs are too few for a proof; record at least 5 runs of each side",
        ),
        (
            ReasonCode.EVERYTHING,
            {},
            "everything takes 1.15x the time: another machine, or a change that touches everything",
        ),
        (ReasonCode.CALLS_ROSE, {}, "its calls rose from 106 to 203,238"),
    ],
)
def test_sentences_name_their_numbers(code: ReasonCode, parameters: dict[str, Parameter], text: str) -> None:
    assert reason_text(Reason(code, {**PARAMETERS[code], **parameters}), str) == text


def test_only_inconclusive_reasons_have_advice() -> None:
    advised = {code: advice(Reason(code, PARAMETERS.get(code, {}))) for code in ReasonCode}
    assert {code: text for code, text in advised.items() if text} == {
        ReasonCode.TOO_FEW_SAMPLES: "Record about 8 times longer, or at a higher rate.",
        ReasonCode.TOO_FEW_RUNS: "Record at least 5 runs of each side.",
        ReasonCode.CANNOT_SEE: "Record more or longer runs.",
    }


def test_names_are_not_capitalised() -> None:
    departure, waits = (Reason(code, PARAMETERS[code]) for code in (ReasonCode.DEPARTURE, ReasonCode.WAITS))
    assert full_sentence(departure, str) == "api: the order changed"
    assert full_sentence(waits, str).startswith("Waits for")
