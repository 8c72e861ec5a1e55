import json
import os
import re
from pathlib import Path
from typing import Any

import yaml

from profgate import wiring
from profgate.github.step_outputs import OUTPUTS
from profgate.settings.config_file import schema
from profgate.settings.inputs import SETTINGS

ROOT = Path(__file__).parents[2]
INPUTS = re.compile(r"(^inputs:\n).*?(^\n?outputs:)", re.DOTALL | re.MULTILINE)


def action() -> dict[str, Any]:
    content = yaml.safe_load((ROOT / "action.yml").read_text())
    assert isinstance(content, dict)
    return content


def test_inputs_are_the_settings() -> None:
    entries = (
        f"  {spec.name}:\n    description: {json.dumps(spec.meaning)}\n    required: false\n"
        f"    default: {json.dumps(spec.default)}\n"
        for spec in SETTINGS
    )
    text = (ROOT / "action.yml").read_text()
    wanted = INPUTS.sub(lambda found: found[1] + "".join(entries) + found[2], text)
    if os.environ.get("PROFGATE_UPDATE_GOLDEN"):
        (ROOT / "action.yml").write_text(wanted)
    assert (ROOT / "action.yml").read_text() == wanted


def test_outputs_are_those_that_are_set() -> None:
    assert action()["outputs"] == {name: {"description": meaning} for name, meaning in OUTPUTS.items()}


def test_texts_hold_no_expressions() -> None:
    """The runner evaluates them everywhere and refuses to load an action with an unknown context in a text."""
    texts = [entry["description"] for part in ("inputs", "outputs") for entry in action()[part].values()]
    assert not [text for text in [action()["description"], *texts] if "${{" in text]


def test_action_runs_the_image_with_an_argument() -> None:
    assert action()["runs"] == {"using": "docker", "image": "Dockerfile", "args": ["action"]}


def test_the_published_schema_is_what_the_code_accepts() -> None:
    catalogue = {name: one.options for one in wiring.strategies() for name in (one.name, one.short)}
    text = json.dumps(schema(catalogue), indent=2) + "\n"
    place = ROOT / "docs" / "config.schema.json"
    if os.environ.get("PROFGATE_UPDATE_GOLDEN"):
        place.write_text(text)
    assert place.read_text() == text
