"""The tables of the action's inputs and of the policy's keys are made from the code."""

import os
import re
from pathlib import Path

from profgate.model.policy import MEANING
from profgate.settings.config_file import KEYS
from profgate.settings.inputs import SETTINGS

README = Path(__file__).parents[2] / "README.md"
GITHUB = README.parent / "docs" / "github.md"
BETWEEN = re.compile(r"(<!-- inputs: [^>]*-->\n).*?(<!-- /inputs -->)", re.DOTALL)
POLICY = re.compile(r"(<!-- policy: [^>]*-->\n).*?(<!-- /policy -->)", re.DOTALL)


def table() -> str:
    rows = [f"| `{spec.name}` | {f'`{spec.default}`' if spec.default else ''} | {spec.meaning} |" for spec in SETTINGS]
    return "\n".join(["| input | default | meaning |", "|---|---|---|", *rows]) + "\n"


def test_inputs_table_is_current() -> None:
    text = README.read_text(encoding="utf-8")
    wanted = BETWEEN.sub(lambda match: match[1] + table() + match[2], text)
    if os.environ.get("PROFGATE_UPDATE_GOLDEN"):
        README.write_text(wanted, encoding="utf-8")
    assert BETWEEN.search(text)
    assert wanted == README.read_text(encoding="utf-8")


def test_the_table_of_the_policy_is_current() -> None:
    meanings = {name: field.metadata[MEANING] for name, field in KEYS.items()}
    rows = [f"| `{name}` | {meaning.replace('*', chr(92) + '*')} |" for name, meaning in meanings.items()]
    table = "\n".join(["| key | meaning |", "|---|---|", *rows]) + "\n"
    text = GITHUB.read_text(encoding="utf-8")
    wanted = POLICY.sub(lambda match: match[1] + table + match[2], text)
    if os.environ.get("PROFGATE_UPDATE_GOLDEN"):
        GITHUB.write_text(wanted, encoding="utf-8")
    assert POLICY.search(text)
    assert wanted == GITHUB.read_text(encoding="utf-8")
