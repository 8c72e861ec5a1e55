import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from policy_schema import schema
from profgate import loading
from profgate.action.publishing import OUTPUTS
from profgate.settings.inputs import SETTINGS

ROOT = Path(__file__).parents[2]
CONTAINER, COMPOSITE = ROOT / "action.yml", ROOT / "wheel" / "action.yml"
FILES = pytest.mark.parametrize("place", [CONTAINER, COMPOSITE], ids=["container", "composite"])
PARTS = re.compile(r"^inputs:\n.*?^runs:", re.DOTALL | re.MULTILINE)


def action(place: Path = CONTAINER) -> dict[str, Any]:
    content = yaml.safe_load(place.read_text())
    assert isinstance(content, dict)
    return content


@FILES
def test_inputs_and_outputs_are_those_of_the_code(place: Path) -> None:
    inputs = "".join(
        f"  {spec.name}:\n    description: {json.dumps(spec.meaning)}\n    required: false\n"
        f"    default: {json.dumps(spec.default)}\n"
        for spec in SETTINGS
    )
    values = dict.fromkeys(OUTPUTS, "")
    if place == COMPOSITE:
        values = {name: f"    value: ${{{{ steps.profgate.outputs.{name} }}}}\n" for name in OUTPUTS}
    outputs = "".join(
        f"  {name}:\n    description: {json.dumps(meaning)}\n{values[name]}" for name, meaning in OUTPUTS.items()
    )
    expected = PARTS.sub(lambda _: f"inputs:\n{inputs}\noutputs:\n{outputs}\nruns:", place.read_text())
    if os.environ.get("PROFGATE_UPDATE_GOLDEN"):
        place.write_text(expected)
    assert place.read_text() == expected


@FILES
def test_texts_hold_no_expressions(place: Path) -> None:
    """The runner evaluates them everywhere and refuses to load an action with an unknown context in a text."""
    texts = [entry["description"] for part in ("inputs", "outputs") for entry in action(place)[part].values()]
    assert not [text for text in [action(place)["description"], *texts] if "${{" in text]


def test_action_runs_the_image_with_an_argument() -> None:
    assert action()["runs"] == {"using": "docker", "image": "Dockerfile", "args": ["action"]}


def test_the_published_schema_is_what_the_code_accepts() -> None:
    catalogue = {name: one.options for one in loading.strategies() for name in (one.name, one.short)}
    text = json.dumps(schema(catalogue), indent=2) + "\n"
    place = ROOT / "docs" / "config.schema.json"
    if os.environ.get("PROFGATE_UPDATE_GOLDEN"):
        place.write_text(text)
    assert place.read_text() == text
