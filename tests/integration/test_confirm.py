"""``profgate confirm``: both commits of a report are measured in turns, and the new runs alone decide."""

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from action_stage import BOTH_SLOWER, SHARES, SLOWER, profiles
from judged import changes_in
from profgate.__main__ import main
from two_commits import COPY, Shares, TwoCommits, pairs_take, with_commits

LOUD = f'{COPY}; echo "$PROFGATE_RUN $PWD ${{PROFGATE_SIDE-}}" >> "$LOG"'
EVERYTHING = {name: round(cost * 1.3) for name, cost in SHARES.items()}


class Desk:
    """A repository in which reports are confirmed."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.monkeypatch, self.capsys = folder, monkeypatch, capsys
        self.log = folder / "log"
        self.out = folder / "confirmed"
        monkeypatch.setenv("LOG", str(self.log))
        pairs_take(monkeypatch, 10.0)

    def compared(self, target: Shares = BOTH_SLOWER, runs: int = 5, *words: str) -> Path:
        """The report of a first comparison."""
        for side, shares, seed in (("before", SHARES, 1), ("after", target, 2)):
            for name, data in list(profiles(shares, seed).items())[:runs]:
                place = self.folder / side / name
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
        sides = [str(self.folder / side) for side in ("before", "after")]
        self.capsys.readouterr()
        main(["compare", *sides, "--fail-on", "degradation", "--format", "json", *words])
        report = self.folder / "report.json"
        report.write_text(self.capsys.readouterr().out)
        return report

    def has(self, after: Shares | list[Shares], before: Shares | list[Shares] = SHARES) -> TwoCommits:
        repository = TwoCommits(self.folder / "repository", before, after)
        self.monkeypatch.chdir(repository.place)
        return repository

    def confirm(self, report: Path, after: Shares | list[Shares], *words: str, program: str = LOUD) -> int:
        """Measure commits with these costs, and return the exit code."""
        with_commits(report, self.has(after).commits)
        return self.run(report, *words, program=program)

    def run(self, report: Path, *words: str, program: str = LOUD) -> int:
        self.capsys.readouterr()
        code = main(["confirm", str(report), *words, "-o", str(self.out), "--", "sh", "-c", program])
        self.shown = self.capsys.readouterr()
        return code

    @property
    def report(self) -> dict[str, Any]:
        return dict(json.loads((self.out / "report.json").read_text()))

    @property
    def findings(self) -> dict[str, Any]:
        (workload,) = self.report["workloads"]
        return {one["location"]["name"]: one for one in workload["metrics"][0]["findings"]}

    @property
    def colours(self) -> dict[str, str]:
        return {name: one["colour"] for name, one in self.findings.items()}

    @property
    def outcomes(self) -> dict[str, str]:
        suspects = self.report["measurement"]["suspects"]
        return {one["location"]["name"]: one["outcome"] for one in suspects if one["location"]}

    @property
    def runs(self) -> int:
        """How often the program ran on each side after the warm-up."""
        numbers = [line.split()[0] for line in self.log.read_text().splitlines()]
        assert sorted(numbers) == sorted(2 * list(map(str, range(len(numbers) // 2))))
        return len(numbers) // 2 - 1


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, monkeypatch, capsys)


def test_confirmed_regression_has_its_new_numbers(desk: Desk) -> None:
    first = desk.compared(SHARES | {"parse": 90_000})
    assert desk.confirm(first, SLOWER) == 1
    parse = desk.findings["parse"]
    assert (parse["colour"], [reason["code"] for reason in parse["reasons"]]) == ("red", ["measured"])
    (result,) = (change["result"] for change in parse["changes"] if "result" in change)
    assert 0.9 < result["low"] < parse["relative"] < result["high"] < 1.1
    assert re.search(r"measured in turns, 10 \+ 10 runs: \+9\d.*to \+10\d", (desk.out / "comment.md").read_text())


NOT_REPEATED = {"parse": "not repeated", "render": "not repeated"}
CONFIRMED = {"parse": "confirmed", "render": "confirmed"}


@pytest.mark.parametrize(
    ("first", "runs", "after", "code", "outcomes", "red", "most"),
    [
        (BOTH_SLOWER, 5, BOTH_SLOWER, 1, CONFIRMED, {"parse", "render"}, 10),
        (BOTH_SLOWER, 5, SLOWER, 1, CONFIRMED | {"render": "not repeated"}, {"parse"}, 30),
        (BOTH_SLOWER, 5, SHARES, 0, NOT_REPEATED, set(), 30),
        (SHARES, 1, SLOWER, 1, {}, {"parse"}, 10),  # the first report is inconclusive
    ],
)
def test_each_suspect_is_decided_for_itself(
    desk: Desk, first: Shares, runs: int, after: Shares, code: int, outcomes: Any, red: set[str], most: int
) -> None:
    assert desk.confirm(desk.compared(first, runs), after) == code
    assert (desk.outcomes, 5 <= desk.runs <= most) == (outcomes, True)
    assert {name for name, colour in desk.colours.items() if colour == "red" and name != "total"} == red


def test_warm_up_comes_first_and_the_order_alternates(desk: Desk) -> None:
    desk.confirm(desk.compared(), BOTH_SLOWER)
    steps = [line.split()[:2] for line in desk.log.read_text().splitlines()]
    assert [run for run, _ in steps[:3]] == ["0", "0", "1"]
    baseline = steps[0][1]
    order = "".join("AB"[folder != baseline] for _, folder in steps[2:])
    blocks = [order[start : start + 4] for start in range(0, len(order), 4)]
    assert set(blocks) == {"ABBA", "BAAB"}
    assert all(set(blocks[start : start + 2]) == {"ABBA", "BAAB"} for start in (0, 2))


def test_confirmed_total_fails(desk: Desk) -> None:
    (desk.folder / "policy.yml").write_text("gate: {fail-on: degradation}\n")
    first = desk.compared(EVERYTHING, 5, "--config", str(desk.folder / "policy.yml"))
    assert desk.confirm(first, EVERYTHING) == 1
    assert desk.colours["total"] == "red"


def test_nothing_is_measured_without_need_or_output(desk: Desk) -> None:
    assert desk.run(desk.compared(SHARES), program="exit 7") == 0  # its verdict is pass
    shutil.rmtree(desk.out, ignore_errors=True)
    desk.out.write_text("")
    assert desk.confirm(desk.compared(), BOTH_SLOWER) == 2
    assert not desk.log.exists()


@pytest.mark.parametrize(("budget", "runs"), [("10m", 10), ("70s", 7), ("50s", 5)])
def test_first_look_may_exceed_the_budget_up_to_a_limit(desk: Desk, budget: str, runs: int) -> None:
    first = desk.compared(SHARES | {"parse": 36_000}, 3)
    assert desk.confirm(first, SHARES | {"parse": 31_200}, "--budget", "10s", "--at-most", budget) == 0
    assert desk.runs == runs


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--budget", "20s"], 1),  # both sides take too long
        (["--setup", "exit 7"], 1),  # the baseline fails first
        (["--setup", "[ $(git rev-list --count HEAD) = 1 ] || exit 7"], 1),  # only the target fails
    ],
)
def test_failed_measurement_does_not_pass(desk: Desk, words: list[str], code: int) -> None:
    (desk.folder / "policy.yml").write_text("gate: {confirm: required}\n")
    first = desk.compared(BOTH_SLOWER, 5, "--config", str(desk.folder / "policy.yml"))
    assert json.loads(first.read_text())["verdict"]["conclusion"] == "warn"
    assert desk.confirm(first, SHARES, "--fallback", *words) == code
    assert desk.report["verdict"]["reasons"][0]["code"] == "not_measured_again"


def test_failed_measurement_without_confirmation_does_not_pass(desk: Desk) -> None:
    first = desk.compared(SHARES, 1)
    assert json.loads(first.read_text())["verdict"]["exit_code"] == 0
    assert desk.confirm(first, SHARES, "--fallback", program="exit 7") == 3
    assert "not_measured_again" in [one["code"] for one in desk.report["warnings"]]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows the files that processes use")
@pytest.mark.parametrize(
    ("change", "code"),
    [
        ('ln "$TOOL" "$TOOL.link"', 1),  # as perf does with each library that any process uses
        ('touch "$TOOL"', 1),
        ('echo "# new" >> "$TOOL"', 2),
        ('touch -r "$TOOL" old; echo "# new" >> "$TOOL"; touch -r old "$TOOL"', 2),
    ],
)
def test_content_of_shared_code_decides(desk: Desk, change: str, code: int) -> None:
    tool = desk.folder / "tool"
    tool.write_text("#!/bin/sh\n[ $PROFGATE_RUN != 0 ] || sleep 0.1\n")
    tool.chmod(0o755)
    desk.monkeypatch.setenv("TOOL", str(tool))
    setup = f'if [ -e "$LOG.first" ]; then {change}; fi; touch "$LOG.first"'
    assert desk.confirm(desk.compared(), BOTH_SLOWER, "--setup", setup, program=f'{LOUD}; "$TOOL"') == code
    assert ("tool, which the setup of the target wrote" in desk.shown.err) == (code == 2)


def test_merge_is_measured_against_its_first_parent(desk: Desk) -> None:
    """The report names the commits of a pull request, whose job checked out their merge."""
    first = desk.compared()
    repository = desk.has(BOTH_SLOWER)
    tree = repository.git("rev-parse", "HEAD^{tree}")
    base = repository.git("commit-tree", f"{repository.commits['baseline']}^{{tree}}", "-m", "base")
    head = repository.git("commit-tree", f"{repository.commits['baseline']}^{{tree}}", "-m", "head")
    merge = repository.git("commit-tree", tree, "-p", base, "-p", head, "-m", "merge")
    repository.git("checkout", "--quiet", "--detach", merge)
    with_commits(first, {"baseline": repository.commits["baseline"], "target": head})
    assert desk.run(first) == 1
    assert (desk.report["baseline"]["sha"], desk.report["target"]["sha"]) == (base, head)


def forged_numbers(metric: dict[str, Any]) -> None:
    metric["calibration"] |= {"measured": True, "interleaved": True}
    for change in changes_in(metric):
        change["result"] = {**change.get("result", {}), "p": 1.0, "level": 0.0, "low": -1.0, "high": -0.5}


@pytest.mark.parametrize(
    ("before", "after", "noted"),
    [
        ("def main():\n    work(9)\n", "def main():\n    work(1)\n", True),
        ("WORK = 9\n\n\ndef main():\n    work(WORK)\n", "WORK = 1\n\n\ndef main():\n    work(WORK)\n", True),
        ("def main():\n    work(9)\n", "def main():\n    work(9)\n\n\ndef other():\n    pass\n", False),
    ],
)
def test_edited_benchmark_is_noted(desk: Desk, before: str, after: str, *, noted: bool) -> None:
    first, repository = desk.compared(), desk.has(SLOWER)
    for side, text in (("baseline", before), ("target", after)):
        repository.git("checkout", "--quiet", repository.commits[side])
        repository.commits[side] = repository.commit(**{"bench/run.py": text})
    with_commits(first, repository.commits)
    in_file = 'sed \'s/^main/main (bench\\/run.py:1)/\' profiles/"$PROFGATE_RUN".folded > "$PROFGATE_OUT/api.folded"'
    desk.run(first, program=in_file)
    text = "the change edits bench/run.py, where main contains the whole run"
    assert any(text in one["text"] for one in desk.report["warnings"]) == noted


def test_forged_first_report_changes_no_result(desk: Desk) -> None:
    first = desk.compared()
    found = json.loads(first.read_text())
    forged_numbers(found["workloads"][0]["metrics"][0])
    first.write_text(json.dumps(found))
    assert desk.confirm(first, BOTH_SLOWER) == 1
    assert (desk.colours["parse"], desk.colours["render"]) == ("red", "red")


@pytest.mark.parametrize("sha", ["-f", "--lock", "HEAD", "main", "0a1b2c3\n-f"])
def test_commit_of_a_report_is_a_hash(desk: Desk, sha: str) -> None:
    repository, first = desk.has(SLOWER), desk.compared()
    with_commits(first, {**repository.commits, "target": sha})
    assert desk.run(first) == 2
    assert "is not the whole hash of a commit" in desk.shown.err


def test_missing_workload_is_an_error(desk: Desk) -> None:
    assert desk.confirm(desk.compared(), SLOWER, program=COPY.replace("api", "other")) == 2
    assert "recorded other, but the suspects are of api" in desk.shown.err


def test_output_of_the_program_is_harmless(desk: Desk) -> None:
    program = "printf '\\033]0;owned\\007\\033[31m\\342\\200\\256red'; exit 1"
    desk.confirm(desk.compared(), SLOWER, "--fallback", program=program)
    main(["ranks", "record", "--repeat", "1", "--", "sh", "-c", program, "\033[31m"])
    shown = "".join([*desk.shown, *desk.capsys.readouterr()])
    assert "red" in shown
    assert not re.findall("[\x00-\x08\x0b-\x1f\u202e]", shown)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["report.json"], "COMMAND: is missing"),
        (["report.json", "--budget", "5", "--", "x"], "--budget: '5'"),
        (["report.json", "--timeout", "0s", "--", "x"], "--timeout: '0s'"),
        (["missing.json", "--", "x"], "No such file"),
    ],
)
def test_mistakes_are_reported(words: list[str], message: str, desk: Desk) -> None:
    desk.monkeypatch.chdir(desk.folder)
    assert main(["confirm", *words]) == 2
    assert message in desk.capsys.readouterr().err
