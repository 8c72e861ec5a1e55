"""Facts of the machine, from files and variables of several kinds of machines."""

import json
from pathlib import Path

import pytest

from profgate.io.environment import cpu_model, is_of_pull_request, machine_facts

INTEL = "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R)  Xeon(R) CPU @ 2.20GHz\nflags\t: fpu\n"
ARM = "processor\t: 0\nBogoMIPS\t: 50.00\nCPU part\t: 0xd0c\n"


def test_the_processor_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cpuinfo"
    path.write_text(INTEL)
    assert cpu_model(str(path)) == "Intel(R) Xeon(R) CPU @ 2.20GHz"
    path.write_text(ARM)
    assert cpu_model(str(path)) == "0xd0c"


def test_the_runner_is_named_where_there_is_one(tmp_path: Path) -> None:
    path = tmp_path / "cpuinfo"
    path.write_text(INTEL)
    env = {"RUNNER_OS": "Linux", "ImageOS": "ubuntu24", "ImageVersion": "20261101.1"}
    facts = machine_facts(env, str(path))
    assert facts["image"] == "ubuntu24 20261101.1"
    assert (facts["os"], facts["cpu"]) == ("Linux", "Intel(R) Xeon(R) CPU @ 2.20GHz")


def test_what_is_not_known_is_left_out(tmp_path: Path) -> None:
    facts = machine_facts({}, str(tmp_path / "none"))
    assert "image" not in facts
    assert {"os", "arch"} <= set(facts)
    assert all(facts.values())


OWN, FORK = {"id": 1}, {"id": 2}


def after(event: str, head: object = OWN) -> dict[str, object]:
    return {"repository": OWN, "workflow_run": {"event": event, "head_repository": head}}


@pytest.mark.parametrize(
    ("event", "variables", "payload", "expected"),
    [
        ("", {}, None, False),
        ("push", {"GITHUB_REF": "refs/heads/main"}, None, False),
        ("workflow_dispatch", {"GITHUB_REF": "refs/pull/7/merge"}, None, True),
        ("pull_request", {}, None, True),
        ("pull_request_target", {}, None, True),
        ("pull_request_review", {}, None, True),
        ("merge_group", {}, None, True),
        ("workflow_call", {"GITHUB_HEAD_REF": "topic"}, None, True),
        ("workflow_run", {}, after("push"), False),
        ("workflow_run", {}, after("push", FORK), True),
        ("workflow_run", {}, after("push", None), True),  # the repository was deleted
        ("workflow_run", {}, after("pull_request"), True),
        ("workflow_run", {}, after("pull_request_target", FORK), True),
        ("workflow_run", {}, {}, True),
        ("workflow_run", {}, None, True),
        ("workflow_run", {}, [1], True),
        ("issue_comment", {}, {"issue": {"number": 1}}, False),
        ("issue_comment", {}, {"issue": {"pull_request": {}}}, True),
    ],
)
def test_jobs_of_pull_requests_are_known(
    event: str, variables: dict[str, str], payload: object, expected: bool, tmp_path: Path
) -> None:
    file = tmp_path / "event.json"
    if payload is not None:
        file.write_text(json.dumps(payload))
    env = {"GITHUB_EVENT_NAME": event, "GITHUB_EVENT_PATH": str(file), **variables}
    assert is_of_pull_request(env) is expected
