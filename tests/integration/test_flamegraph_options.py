"""What ``profgate flamegraph`` draws when asked for more than the usual picture."""

import json
import re
from pathlib import Path

import pytest

from profgate.__main__ import main

BEFORE = "main;a 100\nmain;b 100\nmain;name with;semi 7\n"
AFTER = "main;a 330\nmain;b 84\n"


@pytest.mark.parametrize("command", ["flamegraph", "compare"])
def test_pages_have_the_costs_of_single_runs(tmp_path: Path, command: str) -> None:
    for side, text in (("before", BEFORE), ("after", AFTER)):
        (tmp_path / side / "w").mkdir(parents=True)
        for run in range(3):
            (tmp_path / side / "w" / f"{run}.folded").write_text(text)
    output = {"flamegraph": ["-o", str(tmp_path / "w.html")], "compare": ["--output-dir", str(tmp_path)]}[command]
    assert main([command, str(tmp_path / "before"), str(tmp_path / "after"), *output]) == 0
    (page,) = (path for path in tmp_path.glob("w*.html"))
    header = re.search(r'id="header">(.*?)</script>', page.read_text())
    assert header is not None
    assert "single_runs" in dict(json.loads(header[1])["columns"])
