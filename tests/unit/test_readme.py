"""The README's table of inputs is made from the settings."""

import os
import re
from pathlib import Path

from profgate.settings import SETTINGS

README = Path(__file__).parents[2] / "README.md"
BETWEEN = re.compile(r"(<!-- inputs: [^>]*-->\n).*?(<!-- /inputs -->)", re.DOTALL)


def table() -> str:
    rows = [
        f"| `{spec.name}` | {f'`{spec.default}`' if spec.default else ''} | {spec.meaning} |"
        for spec in SETTINGS
        if spec.is_input
    ]
    return "\n".join(["| input | default | meaning |", "|---|---|---|", *rows]) + "\n"


def test_inputs_table_is_current() -> None:
    text = README.read_text(encoding="utf-8")
    wanted = BETWEEN.sub(lambda match: match[1] + table() + match[2], text)
    if os.environ.get("PROFGATE_UPDATE_GOLDEN"):
        README.write_text(wanted, encoding="utf-8")
    assert BETWEEN.search(text)
    assert wanted == README.read_text(encoding="utf-8")
