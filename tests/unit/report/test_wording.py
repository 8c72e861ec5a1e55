"""The sentences of reasons."""

import json
import re
from pathlib import Path

import pytest

import report_samples as samples
from golden_files import Golden
from profgate.model.policy import Confirm, StatedPolicy
from profgate.model.reason import Parameter, Reason, ReasonCode
from profgate.model.record import replace
from profgate.report.statements import ADVICE, advice
from profgate.report.wording import SENTENCES, full_sentence, reason_text

PARAMETERS = Path(__file__).parents[2] / "data" / "reason_parameters.json"  # one of each kind
SAMPLES: dict[str, Parameter] = json.loads(PARAMETERS.read_text())
OTHER_SAMPLES: dict[ReasonCode, dict[str, Parameter]] = {
    ReasonCode.FEW_JOBS: {"jobs": 1, "needed": 5, "confirm": "off"},
    ReasonCode.SUSPECT: {"from": 9e7, "to": 1.57e9, "unit": "nanoseconds", "share_from": 0.012, "share_to": 0.16},
    ReasonCode.TOO_FEW_SAMPLES: {"factor": 8},
    ReasonCode.OTHER_WORK: {"function": "process", "before": 24.0, "after": 2.0},
    ReasonCode.OFFSET: {"relative": -0.27},
    ReasonCode.SYSTEM_LIBRARY: {"names": "libc.so.6", "moved": 0.052, "relative": 0.053},
    ReasonCode.COUNTS_APART: {"facts": "CPU model, C library"},
    ReasonCode.FACT_DIFFERS: {"baseline": "3.11", "target": "3.12"},
    ReasonCode.CPU_DIFFERS: {"baseline": "EPYC 7763", "target": "Xeon 8370C"},
    ReasonCode.RATES_DIFFER: {"baseline": "100", "target": "99"},
    ReasonCode.CANNOT_TEST: {"baseline": "100", "target": "99"},
    ReasonCode.PROFILE_WARNING: {"runs": 2},
    ReasonCode.NAMES_GROUPED: {"name": "main.run.func*", "functions": 3},
    ReasonCode.FOLDERS_PAIRED: {"baseline": "/old", "target": "/new"},
    ReasonCode.NO_MODEL: {"baseline": "unfit", "target": "few_sizes", "target_records": 2},
    ReasonCode.ORDER: {"direction": "slower"},
    ReasonCode.DIFF_INCOMPLETE: {"baseline": "4f2c1ab"},
    ReasonCode.CLAIM: {"change": -0.1, "machines": 2, "attempt": 2, "level": 0.0015, "most": 5},
    ReasonCode.SAME_FILES: {"baseline": "profiles", "target": "./profiles"},
}
BEHIND = {
    ReasonCode.UNREADABLE: ReasonCode.EMPTY_FILE,
    ReasonCode.NEW_WORKLOAD: ReasonCode.NOT_IN_BASELINE,
    ReasonCode.NO_BASELINE: ReasonCode.ARTIFACT_EXPIRED,
    ReasonCode.NEVER_RECORDED: ReasonCode.NO_TRUSTED_RUN,
    ReasonCode.NOT_COMPARED: ReasonCode.CONFIGURATIONS_DIFFER,
    ReasonCode.STRATEGY_UNTESTED: ReasonCode.TEXT,
    ReasonCode.DEPARTURE: ReasonCode.TEXT,
    ReasonCode.SHARD: ReasonCode.NO_SAMPLES,
    ReasonCode.SEVERAL: ReasonCode.TRUNCATED,
    ReasonCode.UNPROVEN: ReasonCode.SUBSTITUTE_BASELINE,
    ReasonCode.SOURCES_INCOMPLETE: ReasonCode.DIFF_INCOMPLETE,
}


def cases(code: ReasonCode) -> list[str]:
    sentence = SENTENCES[code]
    return list(sentence) if isinstance(sentence, dict) else [""]


VARIANTS: list[tuple[ReasonCode, dict[str, Parameter]]] = [  # sentences that depend on a parameter
    (ReasonCode.BEYOND_JOBS, {"bound": float("inf")}),
    (ReasonCode.BEYOND_JOBS, {"bound": None}),
    (ReasonCode.NEAR_JOBS, {"bound": None}),
    (ReasonCode.FEW_SPLITS, {"p": 1 / 70, "splits": 70}),
    (ReasonCode.FEW_JOBS, {"confirm": "required"}),
    (ReasonCode.OFFSET, {"relative": None}),
    (ReasonCode.RATES_DIFFER, {"rate": None}),
    (ReasonCode.FACT_DIFFERS, {"fact": "sampling mode"}),
    (ReasonCode.OTHER_WORK, {"function": ""}),
    (ReasonCode.OTHER_WORK, {"case": "exceptions", "before": 0, "after": 1}),
    (ReasonCode.OTHER_WORK, {"case": "profiles", "before": 2, "after": 1}),
    (ReasonCode.OTHER_WORK, {"case": "output", "before": 3000.0, "after": 40.0}),
    (ReasonCode.SUSPECT, {"from": 0.0, "to": 40.0, "unit": "samples", "share_from": 0.0, "share_to": 0.2}),
]


def sample(code: ReasonCode, case: str = "") -> Reason:
    """A reason with every parameter that its sentence may name."""
    behind = (sample(BEHIND[code]),) if code in BEHIND else ()
    parameters = {**SAMPLES, **OTHER_SAMPLES.get(code, {}), "case": case or cases(code)[0]}
    return Reason(code, {key: value for key, value in parameters.items() if key != "text" or not behind}, behind)


def test_codes_and_sentences_agree() -> None:
    assert set(SENTENCES) == set(ReasonCode)


def test_sentence_of_every_code(golden: Golden) -> None:
    texts = {
        f"`{code}` {case}".rstrip(): reason_text(sample(code, case), str) for code in ReasonCode for case in cases(code)
    }
    assert [code for code, text in texts.items() if re.search(r"None|–|  |\.$|^$", text)] == []
    lines = ["| code | sentence |", "|:--|:--|", *(f"| {code} | {text} |" for code, text in texts.items())]
    for code, parameters in VARIANTS:
        reason = sample(code)
        reason = replace(reason, parameters={**reason.parameters, **parameters})
        lines.append(f"| `{code}` with another parameter | {reason_text(reason, str)} |")
    golden.check("reasons.md", "\n".join(lines) + "\n")


def test_advice_of_reasons() -> None:
    report = samples.inconclusive()
    report = replace(report, baseline=replace(report.baseline, sha=None))
    advised = {code: advice(sample(code), report, str) for code in ReasonCode if code is not ReasonCode.NO_BASELINE}
    assert {code for code, text in advised.items() if text} == {*ADVICE}
    many = advice(Reason(ReasonCode.CANNOT_SEE, {"wanted": 3380}), report, str)
    assert "3,380 runs" in many  # then another machine is advised


@pytest.mark.parametrize("confirm", ["off", "required"])
def test_advice_depends_on_the_policy(confirm: Confirm, golden: Golden) -> None:
    report = replace(samples.inconclusive(), policy=StatedPolicy(confirm=confirm))
    golden.check(f"advice_{confirm}.txt", f"{advice(sample(ReasonCode.TOO_FEW_SAMPLES), report, str)}\n")


def test_names_are_not_capitalised() -> None:
    departure, waits = (sample(code) for code in (ReasonCode.DEPARTURE, ReasonCode.WAITS))
    assert full_sentence(departure, str) == "api cpu: line 3 has no number"
    assert full_sentence(waits, str).startswith("Waits for")
