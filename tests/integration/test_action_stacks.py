"""Stacked pull requests: each layer is judged as part of what merging it adds to the trunk.

GitHub's event names the branch below as the base and the trunk in ``stack``; GITHUB_BASE_REF is the trunk, and the test
merge of a layer is based on the test merge of the layer below.
"""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from action_stage import SHARES, Stage, profiles
from profgate.github.connections import RetryBudget
from slow_cases import quick_first

SLOWED = {"parse": 60_000, "render": 40_000, "store": 30_000, "log": 20_000}  # one function in each layer
POLICY = ".github/profgate.yml"


def shares_at(position: int, costly: Mapping[int, str]) -> dict[str, int]:
    """The costs of a layer, with those of all layers below."""
    names = [name for layer, name in costly.items() if layer <= position]
    return SHARES | {name: SLOWED[name] for name in names}


class Stack:
    """Open pull requests, each based on the branch of the one below. ``test_merges`` are those of the layers."""

    def __init__(self, stage: Stage, size: int, files: Mapping[int, Mapping[str, bytes]] | None = None) -> None:
        self.stage, self.size = stage, size
        self.trunk = stage.base
        self.heads, self.numbers, self.test_merges = [stage.base], [0], [stage.base]
        for position in range(1, size + 1):
            self._add(position, (files or {}).get(position, {}))

    def _add(self, position: int, files: Mapping[str, bytes]) -> None:
        fake, below = self.stage.fake, self.heads[-1]
        self.heads.append(fake.add_commit(parents=[below], branch=f"layer-{position}", files=files))
        number = fake.add_pull(self.heads[-1], below, head_ref=f"layer-{position}", base_ref=self.branch(position - 1))
        fake.state.pulls[number].stack = self.of(position)
        self.numbers.append(number)
        self.test_merges.append(fake.add_commit(parents=[self.test_merges[-1], self.heads[-1]]))

    @staticmethod
    def branch(position: int) -> str:
        return f"layer-{position}" if position else "main"

    def of(self, position: int) -> dict[str, object]:
        base = {"ref": "main", "sha": self.trunk}
        return {"id": 9, "number": 50, "size": self.size, "position": position, "base": base}

    def run(self, position: int, shares: Mapping[str, int], seed: int) -> int:
        """The run of one layer."""
        stage = self.stage
        below = {"sha": self.heads[position - 1], "ref": self.branch(position - 1)}
        stage.layer = {"base": below | {"repo": {"id": stage.fake.state.repository_id}}, "stack": self.of(position)}
        stage.head, stage.merge = self.heads[position], self.test_merges[position]
        stage.number = self.numbers[position]
        stage.before = len(stage.fake.requests)
        stage.pull_run = stage.fake.start_run(stage.head, event="pull_request", branch=f"layer-{position}")
        return stage.finish(stage.step(profiles(shares, seed)))


@pytest.fixture
def trunk(stage: Stage) -> Stage:
    stage.push_jobs()
    stage.inputs["status"] = "true"
    stage.pace = replace(stage.pace, base_run_budget=RetryBudget(60, sleep=lambda _: None))
    return stage


def costly_layers(stage: Stage) -> list[int]:
    """The layers that change the total, as the report shows them."""
    (shown,) = [one["parameters"] for one in stage.report["warnings"] if one["code"] == "layer_totals"]
    return [int(name.split()[-1]) for name, part in shown.items() if " " in name and abs(part) > 0.1]


def whose(stage: Stage) -> dict[str, bool]:
    """Whether the layer below has the change too, by function."""
    (metric,) = stage.report["workloads"][0]["metrics"]
    found = [one for one in metric["findings"] if one["colour"] == "red" and one["explained_by"] is None]
    return {
        one["location"]["name"]: one["attribution"].get("base_branch") is not None
        for one in found
        if one["location"]["name"] in SLOWED
    }


@pytest.mark.parametrize("size", quick_first([3, 2, 4, 5, 6]))
def test_report_names_the_layer_that_costs(trunk: Stage, size: int) -> None:
    costly = {2: "parse", size: "store"} if size > 2 else {1: "parse", 2: "store"}
    stack = Stack(trunk, size)
    for position in range(1, size + 1):
        shares = shares_at(position, costly)
        code = stack.run(position, shares, 70 + position)
        own = {name: layer < position for layer, name in costly.items() if layer <= position}
        assert code == bool(own), trunk.log
        assert trunk.fake.state.statuses[-1]["context"] == "profgate/default"
        assert trunk.fake.state.statuses[-1]["state"] == ("failure" if own else "success")
        assert trunk.report["baseline"]["sha"] == stack.trunk
        if own:
            assert whose(trunk) == own
            (comment,) = trunk.comments
            assert (f"layer {position - 1} of {size}" in comment) == (position > 1), comment
            assert "base branch" not in comment
            if position > 1:
                assert costly_layers(trunk) == [layer for layer in costly if layer <= position]


@pytest.mark.parametrize("size", quick_first([2, 6]))
def test_acceptance_counts_for_its_layer_only(trunk: Stage, size: int) -> None:
    stack, costly = Stack(trunk, size), {1: "parse"}
    trunk.fake.state.collaborators["maintainer"] = "write"
    for position in range(1, size + 1):
        shares = shares_at(position, costly)
        assert stack.run(position, shares, 70 + position) == 1
        trunk.fake.add_comment(trunk.number, "/profgate accept parse max=+150%: needed", author="maintainer")
        assert stack.run(position, shares, 80 + position) == 0
        assert trunk.fake.state.statuses[-1]["state"] == "success"


def test_lower_layer_cannot_loosen_the_policy(trunk: Stage) -> None:
    stack = Stack(trunk, 3, {1: {POLICY: b"gate: {fail-on: never}\n"}})
    assert stack.run(2, shares_at(2, {2: "parse"}), 71) == 1
    trunk.inputs["measured"] = "head"
    assert stack.run(3, shares_at(3, {2: "parse"}), 72) == 1


def test_forged_report_of_the_layer_below_decides_nothing(trunk: Stage) -> None:
    stack = Stack(trunk, 2)
    assert stack.run(1, shares_at(1, {1: "parse"}), 71) == 1
    run = trunk.pull_run
    for content in (b"{}", b'{"schema": "profgate.report/1", "verdict": "pass"}'):
        trunk.fake.add_artifact(run, "profgate-report-default-9", {"report.json": content})
        assert stack.run(2, shares_at(2, {1: "parse"}), 72) == 1
        assert "which changes come from the layer below is not known" in trunk.log
        assert trunk.fake.state.statuses[-1]["state"] == "failure"


def test_unknown_layer_below_keeps_the_verdict(trunk: Stage) -> None:
    stack = Stack(trunk, 2)
    trunk.fake.add_run(stack.heads[1], event="pull_request", branch="layer-1", status="in_progress", conclusion=None)
    assert stack.run(2, shares_at(2, {2: "parse"}), 71) == 1
    assert "run this job again when its run has ended" in trunk.log
    assert len(trunk.comments) == 1


@pytest.mark.parametrize("squashed", [False, True])
def test_merged_layer_is_part_of_the_baseline(trunk: Stage, *, squashed: bool) -> None:
    """GitHub rebases the layers above a merged one, and the lowest of them is based on the trunk."""
    stack = Stack(trunk, 3)
    assert stack.run(1, shares_at(1, {1: "parse"}), 71) == 1
    for number in range(1 if squashed else 2):  # a rebase adds each commit
        trunk.push(profiles(shares_at(1, {1: "parse"}), 80 + number))
    for number in range(5):
        trunk.push(profiles(shares_at(1, {1: "parse"}), 90 + number))
    rebased = Stack(trunk, 2)
    assert rebased.run(1, shares_at(1, {1: "parse"}), 72) == 0
    assert rebased.run(2, shares_at(2, {1: "parse", 2: "store"}), 73) == 1
    assert whose(trunk) == {"store": False}


def test_profiles_that_a_lower_layer_commits_are_not_compared(trunk: Stage) -> None:
    stack = Stack(trunk, 2, {1: {"profiles/api/run-6.folded": b"main;serve;parse 1\n"}})
    stack.run(2, SHARES, 77)
    assert trunk.outputs["conclusion"] == "not_compared"
    assert "commits profiles/api/run-6.folded" in trunk.summary.replace("\\", "")
