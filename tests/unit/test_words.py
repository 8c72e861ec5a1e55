"""Texts for users use the terms of the glossary, not coined words."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    *(path for glob in ("*.md", "docs/**/*.md", "examples/**/*.md") for path in ROOT.glob(glob)),
    *(path for glob in ("action.yml", "examples/workflows/*.yml", ".github/**/*.*") for path in ROOT.glob(glob)),
    *ROOT.glob("templates/markdown/*.j2"),
]
COINED = re.compile(
    r"\b(told|tells?|heard|speaks?|spoke|mend(s|ed)?|legs?|strangers?|docket|court|handbook|house|on wish|patience|"
    r"worth a look|cannot tell|second[- ]half|fair (commit|baseline)|handed over|carried by|cries? wolf|stumble)\b",
    re.IGNORECASE,
)
CODE = re.compile(r"```.*?```|`[^`\n]+`|\(\S+\)|^\s*mode: .*?(?=#|$)", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_use_no_coined_word(page: Path) -> None:
    assert [match[0] for match in COINED.finditer(CODE.sub("", page.read_text(encoding="utf-8")))] == []
