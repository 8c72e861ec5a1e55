"""The troubleshooting page explains each reason that people meet in a verdict."""

import inspect
import re
from pathlib import Path

import pytest

from profgate.model.reason import ReasonCode
from profgate.report.wording import SENTENCES

PAGE = (Path(__file__).parents[2] / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
SECTION = re.compile(r"^    # (.+)$", re.MULTILINE)
CODE = re.compile(r'^    [A-Z_]+ = "(\w+)"', re.MULTILINE)
_, *PARTS = SECTION.split(inspect.getsource(ReasonCode))
SECTIONS = dict(zip(PARTS[::2], PARTS[1::2], strict=True))
# Strategies state only in the details of a report why they have no result; messages from elsewhere have no fixed text.
EXPLAINED = {
    name: CODE.findall(codes)
    for name, codes in SECTIONS.items()
    if not name.startswith(("strategies:", "messages from elsewhere"))
}


@pytest.mark.parametrize("section", EXPLAINED)
def test_every_reason_is_explained(section: str) -> None:
    assert EXPLAINED[section]
    assert [code for code in EXPLAINED[section] if f"`{code}`" not in PAGE] == []


def test_only_reasons_that_exist_are_explained() -> None:
    page, _, acceptances = PAGE.partition("## Why was an acceptance refused?")
    cells = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", page, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", " ".join(cells))) <= {str(code) for code in ReasonCode}
    cases = SENTENCES[ReasonCode.ACCEPTANCE]
    assert isinstance(cases, dict)
    assert set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\|.*?\|", acceptances, re.MULTILINE)))) == set(cases)
