"""The tables of docs/reference.md are generated from the code."""

import inspect
import os
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from profgate import wiring
from profgate.__main__ import main
from profgate.github.step_outputs import OUTPUTS
from profgate.model.policy import MEANING
from profgate.settings.config_file import KEYS
from profgate.settings.inputs import SETTINGS

REFERENCE = Path(__file__).parents[2] / "docs" / "reference.md"


def code(text: str) -> str:
    return f"`{text}`" if text else ""


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")


def tables(formats: str) -> dict[str, Iterable[tuple[str, ...]]]:
    """The rows of each table by its name, headings first; ``formats`` is the output of ``profgate formats``."""
    strategies = wiring.strategies()
    recorded = re.findall(r"^([a-z-]+)\n(?:  .*\n)*?  record: +(.*)$", formats, re.MULTILINE)
    return {
        "inputs": [("input", "default", "meaning")]
        + [(code(spec.name), code(spec.default), cell(spec.meaning)) for spec in SETTINGS],
        "outputs": [("output", "meaning")] + [(code(name), cell(meaning)) for name, meaning in OUTPUTS.items()],
        "policy": [("key", "meaning")]
        + [(code(name), cell(str(field.metadata[MEANING]))) for name, field in KEYS.items()],
        "formats": [("format", "recorded by")]
        + [(code(name), code(record.replace("|", "\\|"))) for name, record in recorded],
        "strategies": [("strategy", "short name", "family", "finds")]
        + [
            (code(one.name), code(one.short), one.family, cell((inspect.getdoc(type(one)) or "").partition("\n")[0]))
            for one in strategies
        ],
    }


def test_tables_of_the_reference_are_current(capsys: pytest.CaptureFixture[str]) -> None:
    main(["formats"])
    expected = REFERENCE.read_text(encoding="utf-8")
    for name, (head, *rows) in tables(capsys.readouterr().out).items():
        lines = [head, ("---",) * len(head), *rows]
        table = "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
        before, start, rest = expected.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition(f"<!-- /{name} -->")
        assert end
        expected = before + start + table + end + after
    if os.environ.get("PROFGATE_UPDATE_GOLDEN"):
        REFERENCE.write_text(expected, encoding="utf-8")
    assert REFERENCE.read_text(encoding="utf-8") == expected
