import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from profgate.action.activity import COMPARING_EVENTS, RECORDING_EVENTS
from profgate.settings.inputs import SETTINGS, settings_from

FOLDER = Path(__file__).parents[2] / "examples" / "workflows"
EXAMPLES = sorted(FOLDER.glob("*.yml"))
OTHER_EVENTS = {"issue_comment", "pull_request_target", "release", "workflow_run"}
NAMES = {spec.name for spec in SETTINGS}


def steps(example: Path) -> list[dict[str, Any]]:
    content = yaml.safe_load(example.read_text())
    return [step for job in content["jobs"].values() for step in job["steps"]]


def test_there_is_an_example_for_each_way() -> None:
    assert [one.stem for one in EXAMPLES] == [
        "acceptances",
        "confirm",
        "dispatch",
        "fork-comment",
        "matrix",
        "nightly",
        "pull-request",
        "ranks",
        "release",
        "two-builds",
    ]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.name)
def test_every_input_of_an_example_is_accepted(example: Path) -> None:
    ours = [step for step in steps(example) if step.get("uses", "").startswith("profgate/")]
    assert len(ours) == {"confirm": 2, "matrix": 2, "ranks": 0}.get(example.stem, 1)
    for step in ours:
        plain = {name: re.sub(r"\$\{\{.*?\}\}", "success", str(value)) for name, value in step["with"].items()}
        settings_from({name: "true" if text == "True" else text for name, text in plain.items()})
        assert set(plain) <= NAMES


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.name)
def test_no_example_puts_untrusted_text_into_a_shell(example: Path) -> None:
    assert not any("${{" in step.get("run", "") for step in steps(example))
    assert "pull_request_target" not in example.read_text()


def test_two_builds_alternate_after_a_warm_up(tmp_path: Path) -> None:
    content = yaml.safe_load((FOLDER / "two-builds.yml").read_text())
    (script,) = [step["run"] for step in content["jobs"]["profgate"]["steps"] if "discarded" in step.get("run", "")]
    for side in ("base", "head"):
        (tmp_path / side).mkdir()
    record = 'basename "$PWD" >> ../order; echo "main 1" > "$OUT"'
    subprocess.run(["bash", "-ec", script], cwd=tmp_path, env={**os.environ, "RECORD": record}, check=True)
    pairs = ["head base", "base head", "head base", "base head", "head base", "base head"]
    assert (tmp_path / "order").read_text().split() == " ".join(pairs).split()
    recorded = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.glob("profiles-*/**/*.json"))
    assert recorded == [f"profiles-{side}/checkout/run-{run}.json" for side in ("base", "head") for run in range(1, 6)]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.name)
def test_permissions_are_stated_and_minimal(example: Path) -> None:
    content = yaml.safe_load(example.read_text())
    more = {"acceptances": {"actions", "statuses"}, "fork-comment": {"statuses"}, "release": {"contents"}}
    for permissions in (content["permissions"], *(job.get("permissions", {}) for job in content["jobs"].values())):
        writing = {name for name, right in permissions.items() if right == "write"}
        assert writing <= {"pull-requests"} | more.get(example.stem, set())


def events_of(example: Path) -> set[str]:
    """What starts a workflow; YAML reads the key ``on`` as true."""
    content = yaml.safe_load(example.read_text())
    return set(content[True])


def test_every_event_has_an_example_and_a_row() -> None:
    rows = re.findall(r"^\| `(\w+)`[^|]*\| ([^|]*) \|", (FOLDER / "README.md").read_text(), re.MULTILINE)
    assert {event for event, _ in rows} == COMPARING_EVENTS | RECORDING_EVENTS | OTHER_EVENTS
    named = {(event, name) for event, cell in rows for name in re.findall(r"\(([\w-]+\.yml)\)", cell)}
    started = {(event, example.name) for example in EXAMPLES for event in events_of(example)}
    assert named <= started
    assert {event for event, _ in started} == {event for event, _ in named}
    assert {name for _, name in named} == {example.name for example in EXAMPLES}
