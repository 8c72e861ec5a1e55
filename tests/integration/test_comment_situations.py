"""The comments of eleven situations, as the action writes them; examples/pictures.py takes their pictures."""

import re

import pytest

from action_stage import Stage
from comment_situations import SITUATIONS, Situation
from golden_files import Golden


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.name)
def test_comment_of_situation(situation: Situation, stage: Stage, golden: Golden) -> None:
    text = situation.play(stage).replace(stage.fake.server_url, "https://github.com")
    golden.check(f"comment/situations/{situation.name}.md", text)
    shown, _, folded = text.partition("<details>")
    rows = re.findall(r"^\| \S", shown, re.MULTILINE)
    assert len(rows) <= 2 + 3
    assert "<details>" not in folded
    assert not re.search(r"[0-9] %", shown)
