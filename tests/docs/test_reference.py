"""The tables and descriptions in docs/reference are generated from the code."""

import inspect
import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from profgate import loading
from profgate.__main__ import main
from profgate.action.publishing import OUTPUTS
from profgate.settings.config_file import KEYS, MEANINGS
from profgate.settings.inputs import SETTINGS

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("inputs", "policy", "formats", "strategies", "report")
OBJECTS = ("verdict", "reason", "workload", "metric", "finding")
MARKS = re.compile(r"(?<=<!-- )[a-z_]+(?= -->)")


def code(text: str) -> str:
    return f"`{text}`" if text else ""


def cell(text: str) -> str:
    return re.sub(r"<(?=\w)", "&lt;", text.replace("|", "\\|").replace("*", "\\*"))


def table(*rows: Iterable[str]) -> str:
    """The Markdown of a table whose first row has the headings."""
    head, *others = [tuple(row) for row in rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (head, ("---",) * len(head), *others))


def of_object(properties: dict[str, dict[str, Any]]) -> str:
    rows = [(code(name), cell(field.get("description", ""))) for name, field in properties.items()]
    return table(("key", "meaning"), *rows)


def of_strategy(strategy: Any) -> str:
    """The description of a strategy without its first line, which the table has, and its options."""
    _, _, text = (inspect.getdoc(type(strategy)) or "").partition("\n\n")
    options = [(code(one.name), code(str(one.default)), cell(one.meaning)) for one in strategy.options]
    return f"{cell(text)}\n" + (f"\n{table(('option', 'default', 'meaning'), *options)}" if options else "")


def generated(formats: str) -> dict[str, str]:
    """The generated parts by name; ``formats`` is the output of ``profgate formats``."""
    strategies = loading.strategies()
    recorded = re.findall(r"^([a-z-]+)\n(?:  .*\n)*?  record: +(.*)$", formats, re.MULTILINE)
    schema = json.loads((DOCS / "report.schema.json").read_text(encoding="utf-8"))
    return {
        "inputs": table(
            ("input", "default", "meaning"),
            *[(code(spec.name), code(spec.default), cell(spec.meaning)) for spec in SETTINGS],
        ),
        "outputs": table(("output", "meaning"), *[(code(name), cell(meaning)) for name, meaning in OUTPUTS.items()]),
        "policy": table(
            ("key", "meaning"), *[(code(name), cell(str(MEANINGS[field]))) for name, field in KEYS.items()]
        ),
        "formats": table(
            ("format", "recorded by"), *[(code(name), code(text.replace("|", "\\|"))) for name, text in recorded]
        ),
        "strategies": table(
            ("strategy", "short name", "family", "finds"),
            *[
                (f"[`{one.name}`](#{one.name})", code(one.short), one.family, cell(_first_line(one)))
                for one in strategies
            ],
        ),
        **{one.name: of_strategy(one) for one in strategies},
        "document": of_object(schema["properties"]),
        **{name: of_object(schema["$defs"][name]["properties"]) for name in OBJECTS},
    }


def _first_line(strategy: Any) -> str:
    return (inspect.getdoc(type(strategy)) or "").partition("\n")[0]


def test_reference_is_current(capsys: pytest.CaptureFixture[str]) -> None:
    main(["formats"])
    parts = generated(capsys.readouterr().out)
    shown = set()
    for page in (DOCS / "reference" / f"{name}.md" for name in PAGES):
        text = page.read_text(encoding="utf-8")
        expected = text
        for name in MARKS.findall(text):
            before, _, rest = expected.partition(f"<!-- {name} -->\n")
            _, end, after = rest.partition(f"<!-- /{name} -->")
            assert end, f"{page.name} has no end of {name}"
            expected = f"{before}<!-- {name} -->\n\n{parts[name]}\n{end}{after}"
            shown.add(name)
        if os.environ.get("PROFGATE_UPDATE_GOLDEN"):
            page.write_text(expected, encoding="utf-8")
        assert page.read_text(encoding="utf-8") == expected
    assert shown == set(parts)


def test_each_strategy_has_a_formula_and_a_source() -> None:
    sections = (DOCS / "reference/strategies.md").read_text(encoding="utf-8").split("\n## ")[1:]
    assert [section.partition("\n")[0] for section in sections] == [one.name for one in loading.strategies()]
    assert [
        section for section in sections if not re.search(r"\*\*Formula\.\*\* .*\*\*Source\.\*\* ", section, re.DOTALL)
    ] == []
