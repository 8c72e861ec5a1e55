from pathlib import Path
from typing import Any

import pytest
import yaml

from profgate.settings import SETTINGS, settings_from

FOLDER = Path(__file__).parents[2] / "examples" / "workflows"
EXAMPLES = sorted(FOLDER.glob("*.yml"))
NAMES = {spec.name for spec in SETTINGS}


def steps(example: Path) -> list[dict[str, Any]]:
    content = yaml.safe_load(example.read_text())
    return [step for job in content["jobs"].values() for step in job["steps"]]


def test_there_is_an_example_for_each_way() -> None:
    assert [one.name for one in EXAMPLES] == [
        "acceptances.yml",
        "confirm.yml",
        "dispatch.yml",
        "pull-request.yml",
        "two-builds.yml",
    ]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.name)
def test_every_input_of_an_example_is_accepted(example: Path) -> None:
    ours = [step for step in steps(example) if step.get("uses", "").startswith("profgate/")]
    assert len(ours) == 1
    given = {name: str(value).lower() if value is True else str(value) for name, value in ours[0]["with"].items()}
    settings_from(given)
    assert set(given) <= NAMES


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.name)
def test_no_example_puts_text_of_strangers_into_a_shell(example: Path) -> None:
    assert not any("${{" in step.get("run", "") for step in steps(example))
    assert "pull_request_target" not in example.read_text()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.name)
def test_permissions_are_stated_and_minimal(example: Path) -> None:
    permissions = yaml.safe_load(example.read_text())["permissions"]
    writing = {"pull-requests"} | ({"actions", "statuses"} if example.name == "acceptances.yml" else set())
    assert {name for name, right in permissions.items() if right == "write"} <= writing
    assert permissions["contents"] == "read"
