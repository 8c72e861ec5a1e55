"""The Python interface on real profiles."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from profgate import api
from profgate.errors import ProfgateError, SettingsError

EXAMPLES = Path(__file__).parents[2] / "examples"
BASELINE, TARGET = (str(EXAMPLES / "shop" / "profiles" / side) for side in ("baseline", "target"))


@pytest.fixture(scope="module")
def report() -> api.Report:
    return api.compare(BASELINE, TARGET)


def test_public_names_exist() -> None:
    assert [name for name in api.__all__ if not hasattr(api, name)] == []


def test_read_returns_every_profile() -> None:
    profiles = api.read(BASELINE)
    assert len(profiles) == 10
    assert any("find_duplicates" in profile.frames.names for profile in profiles)


@pytest.mark.parametrize("text", ["\x00\x01", None])
def test_read_refuses_unreadable_files(text: str | None, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "a.bin").write_text(text)
    with pytest.raises(ProfgateError):
        api.read(str(tmp_path))


def test_regression_fails_with_its_finding(report: api.Report) -> None:
    assert (report.verdict, report.exit_code) == ("fail", 1)
    found = [finding for finding in report.findings if finding.colour == "red"]
    assert sorted((red.function, red.workload, red.metric) for red in found) == [
        ("find_duplicates", "cprofile", "time"),
        ("find_duplicates", "pyspy", "samples"),
    ]
    assert [red.relative is not None and red.relative > 1 for red in found] == [True, True]


def test_report_has_every_output(report: api.Report, tmp_path: Path) -> None:
    assert json.loads(report.json())["schema"] == "profgate.report/4"
    assert report.text().startswith("FAILED  find_duplicates")
    report.write(str(tmp_path))
    assert (tmp_path / "comment.md").read_text() == report.markdown()
    stored = api.Report.load(str(tmp_path / "report.json"))
    assert stored.verdict == "fail"
    with pytest.raises(ProfgateError, match="the report has no pages"):
        api.flamegraph(stored)


def test_flamegraph_is_a_page(report: api.Report) -> None:
    assert "Content-Security-Policy" in api.flamegraph(report, workload="pyspy")
    with pytest.raises(ProfgateError, match="choose a workload and metric from: pyspy/samples"):
        api.flamegraph(report, workload="unknown")


@pytest.mark.parametrize(
    ("options", "message"), [({"pages": -1}, "-1 is negative"), ({"strategies": []}, "name a strategy")]
)
def test_useless_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        api.compare(BASELINE, TARGET, **options)


def test_folder_is_no_report(tmp_path: Path) -> None:
    with pytest.raises(ProfgateError, match="is a folder; name a file in it"):
        api.Report.load(str(tmp_path))


def test_policy_is_a_file_or_a_value(tmp_path: Path) -> None:
    config = tmp_path / "profgate.yml"
    config.write_text("gate: {fail-on: never}\n")
    assert api.compare(BASELINE, TARGET, policy=str(config), pages=0).exit_code == 0
    never = api.Policy(fail_on="never")
    assert api.compare(BASELINE, TARGET, policy=never, pages=0).exit_code == 0


@pytest.mark.slow
def test_example_script_runs(tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLES / "python_api.py"), "-o", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "verdict: fail" in done.stdout
    assert "find_duplicates" in done.stdout
    assert (tmp_path / "flamegraph.html").stat().st_size > 10_000
