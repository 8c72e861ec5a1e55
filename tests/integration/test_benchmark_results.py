"""Results of benchmarks through the whole pipeline: a workload each, the direction of the unit, the job they share."""

import json
from pathlib import Path
from typing import Any

import pytest

from profgate import pipeline
from profgate.cli.main import run_command as main
from profgate.errors import ProfgateError
from profgate.model.manifest import Manifest
from profgate.model.record import replace
from profgate.model.report import Report
from profgate.model.source import source_of
from profgate.pipeline import PipelineInput
from report_samples import texts

DATA = Path(__file__).parents[1] / "data"
TEN = [100.0, 101.0, 99.5, 100.5, 100.2, 99.8, 100.9, 99.1, 100.4, 99.9]


def entries(unit: str, factor: float = 1.0, **more: Any) -> bytes:
    return json.dumps([{"name": "orders", "unit": unit, "value": value * factor, **more} for value in TEN]).encode()


def compared(
    baseline: bytes, target: bytes, manifests: tuple[Manifest | None, Manifest | None] = (None, None)
) -> Report:
    given = PipelineInput([source_of("a.json", baseline)], [source_of("a.json", target)], manifests=manifests)
    return pipeline.compare(given).report


@pytest.mark.parametrize(
    ("unit", "factor", "conclusion"),
    [("ms", 1.3, "warn"), ("ms", 0.7, "pass"), ("req/s", 0.7, "warn"), ("req/s", 1.3, "pass"), ("ms", 1.0, "pass")],
)
def test_a_change_of_all_runs_is_judged_by_the_direction_of_the_unit(unit: str, factor: float, conclusion: str) -> None:
    report = compared(entries(unit), entries(unit, factor))
    assert report.verdict.conclusion == conclusion
    assert [workload.name for workload in report.workloads] == ["orders"]


def test_a_metric_without_direction_never_fails() -> None:
    report = compared(entries("widgets"), entries("widgets", 1.3))
    assert report.verdict.conclusion != "fail"
    [metric] = report.workloads[0].metrics
    assert metric.total.relative == pytest.approx(0.3)
    assert "the profiles do not state whether more or less widgets is better" in " ".join(
        texts(report.workloads[0].comparability)
    )
    directed = compared(entries("widgets", better="lower"), entries("widgets", 1.3, better="lower"))
    assert {reason.code for finding in directed.workloads[0].metrics[0].findings for reason in finding.reasons} == {
        "order_unknown"
    }


def test_runs_of_two_jobs_never_fail() -> None:
    manifest = Manifest(commit="c" * 40, run_id=1, job="bench", files=())
    report = compared(entries("ms"), entries("ms", 1.3), (manifest, replace(manifest, run_id=2)))
    assert report.verdict.conclusion != "fail"
    [metric] = report.workloads[0].metrics
    assert metric.runs["baseline"] == 10
    assert {reason.code for finding in metric.findings for reason in finding.reasons} == {"few_jobs"}


@pytest.mark.parametrize(
    "file",
    [
        "hyperfine/hyperfine-1.15.json",
        "pytest-benchmark/pytest-benchmark-5.3.1.json",
        "go-benchmark/go-1.19.8.txt",
        "google-benchmark/google-benchmark-1.7.1.json",
        "junit/pytest-9.2.xml",
    ],
)
def test_recorded_results_against_themselves_have_no_finding_but_an_index(file: str, tmp_path: Path) -> None:
    assert main(["compare", str(DATA / file), str(DATA / file), "-o", str(tmp_path)]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["comment.md", "explain.md", "index.html", "report.json"]
    report = json.loads((tmp_path / "report.json").read_text())
    metrics = [metric for workload in report["workloads"] for metric in workload["metrics"]]
    assert metrics
    rows = (tmp_path / "index.html").read_text().count('<th scope="row"')
    assert rows == len(metrics)
    assert [metric for metric in metrics if metric["findings"]] == []


def test_results_without_stacks_cannot_be_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(DATA / "junit" / "pytest-9.2.xml")
    with pytest.raises(ProfgateError, match="contains no call paths"):
        main(["flamegraph", file, file, "-o", str(tmp_path / "a.html")])
    assert not capsys.readouterr().out
