"""Stored reports are judged again as the pipeline would have judged them under another policy."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from profgate import pipeline
from profgate.__main__ import main
from profgate.decide.judge.replayed import Candidate, replayed
from profgate.loading import strategies
from profgate.model.policy import Policy, Rule
from profgate.model.reason import Side
from profgate.model.record import replace
from profgate.model.report import Report
from profgate.report.json_report import from_json, to_json

PROFILES = Path(__file__).parents[2] / "examples" / "shop" / "profiles"
RULES = ("tot", "clr", "eto", "ow", "ctx")


def with_floors(**options: dict[str, float]) -> tuple[Rule, ...]:
    """The default strategies with options of the gate's tests."""
    return tuple(Rule(method, options=options.get(method, {})) for method in RULES)


POLICIES = {
    "severe": Policy(fail_on="severe"),
    "maybe": Policy(fail_on="maybe"),
    "never": Policy(fail_on="never"),
    "confirm": Policy(confirm="required"),
    "required": Policy(required=("*",)),
    "large share": Policy(rules=with_floors(clr={"gate_share": 0.1})),
    "listed share": Policy(rules=with_floors(clr={"listed_share": 0.1, "gate_share": 0.1})),
    "growth": Policy(rules=with_floors(clr={"own": 3.0})),
    "total": Policy(rules=with_floors(tot={"floor": 0.1})),
}


@pytest.fixture(scope="module")
def judged() -> Callable[[Policy], Report]:
    """What the pipeline reports under a policy. One workload has a large total and one a function of small share."""
    sides = pipeline.two_sides(str(PROFILES / "baseline"), str(PROFILES / "target"), Policy())
    given = replace(sides, pages=0, interleaved=True)
    found = pipeline.compare_sources(given)

    def report(policy: Policy) -> Report:
        return pipeline.report_on(found.comparisons, replace(given, policy=policy), strategies(), found.not_compared)

    return report


@pytest.mark.parametrize("name", POLICIES)
def test_replay_predicts_the_verdict(judged: Callable[[Policy], Report], name: str) -> None:
    stored = from_json(to_json(judged(Policy())))
    real, predicted = judged(POLICIES[name]), replayed(stored, Candidate("", POLICIES[name]))
    colours = [
        [
            (f.location.name, f.colour, [reason.code for reason in f.reasons])
            for f in metric.findings
            if f.colour != "neutral"
        ]
        for report in (real, predicted)
        for _, metric in report.metrics
    ]
    assert predicted.verdict == real.verdict
    assert colours[: len(colours) // 2] == colours[len(colours) // 2 :]


def test_stated_policy_gives_the_same_bytes(judged: Callable[[Policy], Report]) -> None:
    for policy in (Policy(), Policy(fail_on="severe", required=("*",), on_not_compared="fail")):
        text = to_json(judged(policy))
        assert to_json(replayed(from_json(text), Candidate(""))) == text


def test_key_without_fixed_default_is_that_of_the_report(judged: Callable[[Policy], Report]) -> None:
    stored = judged(Policy(on_not_compared="fail"))
    unset = replace(Policy(fail_on="severe"), on_not_compared=None)
    assert replayed(stored, Candidate("", unset)).policy.on_not_compared == "fail"


@pytest.fixture
def folder(judged: Callable[[Policy], Report], tmp_path: Path) -> Path:
    """Reports of three pull requests, of which the second has no regression, and one of another format."""
    report = judged(Policy())
    quiet = replace(report, workloads=tuple(replace(load, metrics=()) for load in report.workloads))
    for number, one in ((12, report), (13, replayed(quiet, Candidate(""))), (57, report)):
        place = tmp_path / "reports" / f"run-{number}"
        place.mkdir(parents=True)
        (place / "report.json").write_text(to_json(replace(one, target=Side(f"#{number}"))))
    (tmp_path / "reports" / "old").mkdir()
    (tmp_path / "reports" / "old" / "report.json").write_text(json.dumps({"schema": "profgate.report/1"}))
    return tmp_path / "reports"


def test_policy_is_compared_with_the_present_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = folder.parent / "policy.yml"
    policy.write_text("gate: {fail-on: never, ignore: idle}")
    assert main(["replay", "--policy", str(policy), str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == (
        "Of 3 reports, this policy would have failed 0 and reviewed 2; the present one failed 2 (#12, #57)."
    )
    assert "not judged again, because they act before a report is written: ignore" in lines
    assert [line for line in lines if line.startswith("left out: old/report.json: is no report that this")]


def test_sweep_prints_a_row_for_each_value(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "--sweep", "tot.floor=0.2..0.5", "--executor", "processes:1", str(folder)]) == 0
    rows = [line.split()[:3] for line in capsys.readouterr().out.splitlines()]
    assert rows[:6] == [
        ["policy", "fails", "review"],
        ["as", "judged", "2"],
        *([f"tot.floor=0.{tenth}", "2", "0"] for tenth in (2, 3, 4, 5)),
    ]
    assert main(["replay", "--sweep", "fail-on=severe,never", str(folder)]) == 0
    assert "fail-on=never" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give --policy FILE, or --sweep KEY=VALUES"),
        (["--sweep", "fail-on=sever"], "did you mean severe"),
        (["--sweep", "ignore=idle"], "acts before a report is judged"),
        (["--sweep", "clr.min_abs=5"], "acts before a report is judged"),
        (["--sweep", "tot.floor=0.001..0.9"], "has 900 values; use 1 to 100"),
        (["--sweep", "tot.flor=0.1"], "flor"),
    ],
)
def test_what_cannot_be_replayed_is_an_error(
    folder: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", *arguments, str(folder)]) == 2
    assert message in capsys.readouterr().err
    assert main(["replay", "--sweep", "fail-on=never", str(folder / "old")]) == 2
    assert "there is no report to judge" in capsys.readouterr().err
