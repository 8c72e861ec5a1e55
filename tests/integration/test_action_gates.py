"""Ways in which a gate can no longer fail, through the jobs of the documented workflow: none is green."""

import json
import random
from collections.abc import Callable, Mapping

import pytest

from action_stage import BASE_RUNS, SHARES, SLOWER, Stage, profiles
from profgate.model.record import replace
from slow_cases import quick_first

Files = Mapping[str, bytes]
Act = Callable[[Stage], int]
WORKLOADS = ("api", "batch")
REQUIRED = "required: [api, batch]"
STRICT = "on-not-compared: fail"


def both(seed: int, shares: Mapping[str, int] = SHARES) -> dict[str, bytes]:
    return {**profiles(shares, seed), **profiles(shares, 50 + seed, "batch")}


def part_of(ratio: float) -> dict[str, bytes]:
    return both(77, {name: int(ratio * cost) for name, cost in SHARES.items()})


def jobs(stage: Stage, files: Files, ended: str = "", **inputs: str) -> int:
    """The jobs of the workflow: the first records and compares, and the other one, which is required, merges."""
    stage.start_pull_run()
    code = 1 if ended == "skipped" else stage.step(files, mode="shard", **inputs)
    ended = ended or ("failure" if code else "success")
    return stage.finish(stage.step({}, mode="merge", **{"shards-result": ended}))


def recorded(files: Files, ended: str = "", **inputs: str) -> Act:
    return lambda stage: jobs(stage, files, ended, **inputs)


def results(seed: int, ratio: float = 1.0, exit_code: int = 0) -> dict[str, bytes]:
    """Files of hyperfine, each with ten runs of one workload."""
    chance = random.Random(seed)
    files = {}
    for name in WORKLOADS:
        times = [ratio * chance.gauss(1.0, 0.01) for _ in range(10)]
        row = {"command": name, "median": times[0], "times": times, "exit_codes": [exit_code] * 10}
        files[f"{name}.json"] = json.dumps({"results": [row]}).encode()
    return files


def changed(change: Callable[[bytes], bytes]) -> dict[str, bytes]:
    return {name: change(data) for name, data in both(77).items()}


def expired(stage: Stage) -> int:
    artifacts = stage.fake.state.artifacts
    artifacts |= {number: replace(one, expired=True) for number, one in artifacts.items()}
    return jobs(stage, both(77, SLOWER))


def never_recorded(stage: Stage) -> int:
    stage.fake.state.artifacts.clear()
    return jobs(stage, both(77, SLOWER))


def damaged(stage: Stage) -> int:
    stage.damage_baselines()
    return jobs(stage, both(77, SLOWER))


def old_baseline(stage: Stage) -> int:
    files = stage.fake.state.commits[stage.base].files
    stage.base = stage.fake.add_commit(parents=[stage.base], branch="main", files=files)
    stage.open_pull()
    return jobs(stage, both(77, {name: 10 * cost for name, cost in SHARES.items()}))


def committed(stage: Stage) -> int:
    stage.open_pull(files={"profiles/api/run-6.folded": b"main;parse 1\n"})
    return jobs(stage, both(77, SLOWER))


def again(stage: Stage) -> int:
    """The job runs again after it failed: its own results do not become the baseline."""
    assert jobs(stage, both(77, SLOWER)) == 1
    stage.start_again()
    return jobs(stage, both(78, SLOWER))


def loosened(stage: Stage) -> int:
    stage.open_pull(files={".github/profgate.yml": b"gate: {fail-on: never}"})
    return jobs(stage, both(77, SLOWER))


ROWS: dict[str, tuple[Act, str, bool]] = {
    # what goes wrong (nothing in the first two): what happens, the setting that it needs, whether it is red without
    "unchanged": (recorded(both(77)), "", False),
    "unchanged benchmarks": (recorded(results(77)), "", False),
    "one workload did not run": (recorded(profiles(SHARES, 77)), STRICT, True),
    "exit code 0 without results": (recorded({}), STRICT, True),
    "pattern matches no file": (recorded(both(77), profiles="results/**"), STRICT, True),
    "results have another name": (recorded(profiles(SLOWER, 77, "apis")), STRICT, True),
    "every profile is empty": (recorded(changed(lambda _: b"")), STRICT, True),
    "nothing was sampled": (recorded(changed(lambda _: b"main;idle 0\n")), STRICT, True),
    "results are cut": (recorded(changed(lambda data: data[: len(data) // 2])), STRICT, True),
    "results are other text": (recorded(changed(lambda _: b"error: no such option\n")), STRICT, True),
    "recording failed after one run": (
        recorded({f"{name}/1.folded": b"main;f 9999\n" for name in WORKLOADS}),
        REQUIRED,
        False,
    ),
    "recording ended early": (recorded(part_of(0.002)), REQUIRED, False),
    "every run did a tenth of its work": (recorded(part_of(0.1)), REQUIRED, False),
    "every benchmark needs a tenth of its time": (recorded(results(77, 0.1)), REQUIRED, False),
    "every run of a benchmark failed": (recorded(results(77, 0.1, exit_code=1)), STRICT, True),
    "results are no numbers": (recorded(results(77, float("nan"))), STRICT, True),
    "job failed, such as a wrong output": (recorded(both(77), ended="failure"), STRICT, True),
    "job was skipped": (recorded({}, ended="skipped"), STRICT, True),
    "baseline has expired": (expired, STRICT, True),
    "baseline was never stored": (never_recorded, STRICT, False),
    "baseline is damaged": (damaged, STRICT, True),
    "baseline is of an older commit": (old_baseline, STRICT, True),
    "results are committed": (committed, STRICT, True),
    "job runs again until it passes": (again, "", True),
    "pull request changes the policy": (loosened, "", True),
}

OF_BENCHMARKS = {name for name in ROWS if "benchmark" in name or "numbers" in name}


def test_faster_program_is_asked_about_once(stage: Stage) -> None:
    stage.push_jobs(BASE_RUNS, both)
    stage.set_policy(f"gate: {{{REQUIRED}}}")
    stage.open_pull()
    assert jobs(stage, part_of(0.1)) == 1
    assert "/profgate accept api: REASON" in stage.comments[0]
    stage.fake.state.collaborators["maintainer"] = "write"
    stage.fake.add_comment(stage.number, "/profgate accept *: no copies", author="maintainer")
    for _ in range(2):
        stage.push_to_pull()
        assert jobs(stage, part_of(0.1)) == 0


@pytest.mark.parametrize("name", quick_first(ROWS, 4))
def test_gate_that_cannot_fail_is_not_green(stage: Stage, name: str) -> None:
    act, setting, plain = ROWS[name]
    stage.push_jobs(BASE_RUNS, results if name in OF_BENCHMARKS else both)
    red = {}
    for policy in ("", setting):
        stage.set_policy(f"gate: {{{policy}}}")
        stage.open_pull()
        red[policy] = act(stage) > 0
    assert red == {"": plain} | dict.fromkeys([setting] if setting else [], True)
