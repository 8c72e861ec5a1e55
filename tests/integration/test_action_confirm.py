"""Confirm before red, from the first job to the comment: the recipe of examples/workflows/confirm.yml."""

import json
from pathlib import Path

import pytest

from action_stage import BOTH_SLOWER, SHARES, SLOWER, Stage, profiles
from golden_files import Golden
from machine_results import REPORTS, measured_again, on_another_machine, publish
from profgate.__main__ import main
from two_commits import confirmed_in, pairs_take

CONFIRMED = "measured in turns, 10 + 10 runs: +"
POLICY = {".github/profgate.yml": b"gate: {confirm: required}\n"}


@pytest.fixture
def waiting(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """A pull request whose first job found something slower, which has to be confirmed before it is red."""
    pairs_take(monkeypatch, 10.0)
    stage.base = stage.fake.add_commit(parents=[stage.base], branch="main", files=POLICY)
    stage.push_jobs()
    stage.open_pull()
    stage.filled(lambda: first_job(stage), "first job")
    return stage


def first_job(stage: Stage) -> None:
    stage.start_pull_run()
    assert stage.step(profiles(BOTH_SLOWER, 77)) == 0


def test_nothing_is_red_before_confirmation(waiting: Stage) -> None:
    assert waiting.outputs["conclusion"] == "warn"
    assert "waits for confirmation (confirm: required)" in waiting.comments[0]


def test_confirmed_regression_is_red(waiting: Stage, golden: Golden) -> None:
    first = waiting.fake.state.comments.keys()
    files = measured_again(waiting, BOTH_SLOWER)
    assert publish(waiting, files) == 1
    assert waiting.outputs["conclusion"] == "fail"
    assert waiting.fake.state.comments.keys() == first
    (comment,) = waiting.comments
    assert "### ❌ `parse` is 2.0x slower" in comment
    assert comment.count(CONFIRMED) >= 2
    assert "3 of 3 suspects confirmed." in comment
    assert "waits for" not in comment
    golden.check("comment/situations/confirmed.md", comment.replace(waiting.fake.server_url, "https://github.com"))
    assert CONFIRMED in waiting.summary
    assert len(waiting.requests) <= 6


def test_failed_measurement_fails_everywhere(waiting: Stage) -> None:
    """Exit code, status, comment and terminal agree."""
    files = measured_again(waiting, SLOWER, words=["--fallback", "--setup", "exit 7"])
    assert json.loads(files["../machine-1/report.json"])["verdict"]["exit_code"] == 1
    assert publish(waiting, files, status="true") == 1
    assert waiting.fake.state.statuses[-1]["state"] == "failure"
    assert "The check fails" in waiting.comments[0]


def test_unchanged_code_is_not_red(waiting: Stage) -> None:
    assert publish(waiting, measured_again(waiting, SHARES)) == 0
    assert waiting.outputs["conclusion"] == "pass"
    (comment,) = waiting.comments
    assert "no performance regression any more" in comment
    assert "0 of 3 suspects confirmed; not repeated: " in waiting.summary


def test_machines_that_disagree_show_both_numbers(waiting: Stage, golden: Golden) -> None:
    assert publish(waiting, measured_again(waiting, SHARES, SLOWER)) == 0
    assert waiting.outputs["conclusion"] == "warn"
    assert "still possible" in waiting.comments[0]
    assert "on the other machine: " in waiting.comments[0]
    assert "The check passes. To decide, confirm it again with a larger `--budget`." in waiting.comments[0]
    comment = waiting.comments[0].replace(waiting.fake.server_url, "https://github.com")
    golden.check("comment/situations/one-of-two-machines.md", comment)


@pytest.mark.parametrize("lost", [1, 2])
def test_machine_without_a_result_is_no_pass(waiting: Stage, lost: int) -> None:
    """The code of the pull request could end the jobs."""
    files = measured_again(waiting, SHARES)
    for number in range(lost):
        del files[f"../machine-{number + 1}/report.json"]
    assert publish(waiting, files) == 1
    assert waiting.outputs["conclusion"] == "not_compared"
    assert f"{2 - lost} of 2 machines" in waiting.comments[0]


def test_the_links_of_the_first_job_stay(waiting: Stage) -> None:
    page = waiting.outputs["page-url"]
    assert page
    publish(waiting, measured_again(waiting, SLOWER))
    assert waiting.outputs["page-url"] == page
    assert page in waiting.comments[0]


def test_an_acceptance_counts_when_the_job_runs_again(waiting: Stage) -> None:
    files = measured_again(waiting, BOTH_SLOWER)
    assert publish(waiting, files) == 1
    waiting.fake.state.collaborators["maintainer"] = "write"
    for name in ("parse", "render"):
        command = f"/profgate accept {name} max=+150%: needed"
        waiting.fake.add_comment(waiting.number, command, author="maintainer")
    assert publish(waiting, files) == 0
    assert "accepted by `maintainer`" in waiting.comments[0]


def test_missing_baseline_writes_the_first_run_comment(stage: Stage) -> None:
    stage.open_pull()
    stage.start_pull_run()
    assert stage.step(profiles(SLOWER, 77), comment="never") == 0
    assert stage.comments == []
    files = {f"../first/{name}": stage.file(name).encode() for name in ("report.json", "links.json")}
    assert publish(stage, files) == 0
    (comment,) = stage.comments
    assert "First run: nothing to compare with yet" in comment
    assert "profiles of 1 workload" in comment
    assert "Until 5 base runs are stored" in comment


@pytest.mark.parametrize("measured", ["merge", "head", "queue"])
def test_first_comment_describes_the_policy_after_the_merge(stage: Stage, measured: str) -> None:
    stage.open_pull(files=POLICY)
    stage.start_pull_run()
    files = profiles(SLOWER, 77)
    if measured == "queue":
        assert stage.queued(files, stage.merge) == 0
    else:
        assert stage.step(files | {"../.git/HEAD": getattr(stage, measured).encode()}) == 0
    assert "has measured both commits again, in turns" in stage.summary


def test_base_run_that_stored_nothing_is_named(stage: Stage) -> None:
    run = stage.fake.add_run(stage.base, conclusion="failure")
    stage.open_pull()
    stage.start_pull_run()
    assert stage.step(profiles(SLOWER, 77)) == 0
    files = {f"../first/{name}": stage.file(name).encode() for name in ("report.json", "links.json")}
    assert publish(stage, files) == 0
    assert f": run {run} stored no artifact profgate-default. The log" in stage.comments[0]
    assert "expected on the first run" not in stage.comments[0]
    stage.set_policy("gate: {on-not-compared: fail}")
    assert publish(stage, files) == 1


@pytest.mark.parametrize("reader", ["fork", "dependabot[bot]", "octocat"])
def test_token_that_can_only_read_gives_the_same_verdict(waiting: Stage, reader: str) -> None:
    """Of octocat's token, only the API knows that it cannot write."""
    files, before = measured_again(waiting, BOTH_SLOWER), waiting.comments
    waiting.fake.read_only()
    waiting.fork, waiting.actor = reader == "fork", reader
    assert publish(waiting, files) == 1
    assert waiting.outputs["conclusion"] == "fail"
    assert waiting.comments == before
    assert "No comment was written: " in waiting.summary
    assert [one.status for one in waiting.requests if one.method != "GET"] == [403] * (reader == "octocat")


def test_merge_group_is_confirmed_and_judged(waiting: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    before = waiting.comments
    commit = waiting.fake.add_commit(parents=[waiting.base, waiting.head])
    assert waiting.queued(profiles(BOTH_SLOWER, 78), commit) == 0
    assert waiting.outputs["conclusion"] == "warn"
    files = measured_again(waiting, BOTH_SLOWER)
    waiting.fake.state.current_run_id = max(waiting.fake.state.runs)  # another job of the same run
    monkeypatch.setattr(waiting.fake, "start_run", lambda *_, **__: None)
    waiting.inputs |= {"mode": "report", "report": REPORTS}
    assert waiting.queued(files, commit) == 1
    assert waiting.report["target"]["sha"] == commit
    assert waiting.comments == before


def test_missing_report_fails_and_leaves_the_comment(waiting: Stage) -> None:
    before = waiting.comments
    assert publish(waiting, {}) == 2
    assert "first/report.json: does not exist; the log of the step that writes it has the reason" in waiting.log
    assert waiting.comments == before


def test_a_report_of_another_commit_is_refused(waiting: Stage) -> None:
    files = measured_again(waiting, SHARES)
    waiting.push_to_pull()
    assert publish(waiting, files) == 2
    assert "use a report of this run" in waiting.log


@pytest.mark.parametrize("name", ["first/report.json", "first/links.json", "machine-2/report.json"])
def test_what_profgate_did_not_write_is_refused(waiting: Stage, name: str) -> None:
    files = measured_again(waiting, SHARES) | {f"../{name}": b"[" * 50_000}
    assert publish(waiting, files) == 2
    assert name in waiting.log


def test_report_cannot_loosen_the_gate(waiting: Stage) -> None:
    files = measured_again(waiting, SLOWER)
    report = json.loads(files["../machine-1/report.json"])
    report["policy"] |= {"fail_on": "never", "confirm": "off"}
    report["verdict"] |= {"conclusion": "pass", "exit_code": 0}
    for finding in report["workloads"][0]["metrics"][0]["findings"]:
        finding |= {"colour": "green", "severity": "none", "reasons": []}
    forged = json.dumps(report).encode()
    other = on_another_machine(forged)
    assert publish(waiting, {**files, "../machine-1/report.json": forged, "../machine-2/report.json": other}) == 1


def test_shards_are_confirmed_before_they_are_merged(waiting: Stage, tmp_path: Path) -> None:
    """Each shard on its own system, by its own report, with the names that its files always have."""
    shards = {"linux": SLOWER, "windows": SHARES}  # what the second measurement finds; the first found both slower
    waiting.copy_baselines(*shards)
    waiting.start_pull_run()
    reports = list[str]()
    for shard, found in shards.items():
        assert waiting.step(profiles(SLOWER, 78), mode="shard", key=shard) == 0
        first = waiting.workspace / "profgate-report" / "leg" / "report.json"
        report = confirmed_in(tmp_path / shard, first, found) / "report.json"
        other = tmp_path / shard / "other" / "report.json"
        other.parent.mkdir()
        other.write_bytes(on_another_machine(report.read_bytes()))
        reports += [str(report), str(other)]
    main(["report", "merge", *reports, "--output-dir", str(tmp_path / "all")])
    waiting.capsys.readouterr()
    files = {f"../first/{one.name}": one.read_bytes() for one in (tmp_path / "all").iterdir()}
    assert publish(waiting, files, "first/report.json") == 1
    loads = json.loads(waiting.file("report.json"))["workloads"]
    red = [load["name"] for load in loads if "red" in {one["colour"] for one in load["metrics"][0]["findings"]}]
    assert (len(loads), red) == (2, ["api [linux/confirmed]"])
    assert CONFIRMED in waiting.comments[0]


def test_the_example_is_what_init_writes(tmp_path: Path) -> None:
    for name in ("setup.py", "bench/checkout.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("from setuptools import setup\n\nfor _ in range(9):\n    setup()\n")
    assert main(["init", str(tmp_path), "--yes", "--expanded"]) == 0
    example = Path(__file__).parents[2] / "examples" / "workflows" / "confirm.yml"
    assert (tmp_path / ".github/workflows/performance.yml").read_text() == example.read_text()
