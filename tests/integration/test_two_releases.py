"""Two releases of a package, unpacked side by side, whose profiles name the folders they lay in."""

import json
from pathlib import Path

import pytest

from profgate.__main__ import main

SOURCE = "def parse(text):\n    return [one for one in text]\n\n\ndef lex(text):\n    return text.{how}()\n"
RUN = "main;parse (shop-{version}/shop/cart.py:1) 4000\nmain;lex (shop-{version}/shop/words.py:5) {cost}\n"


def test_a_release_in_another_folder_has_the_same_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for version, how, cost in ((1, "split", 1000), (2, "splitlines", 3000)):
        source = tmp_path / f"shop-{version}" / "shop"
        source.mkdir(parents=True)
        for name in ("cart.py", "words.py"):
            (source / name).write_text(SOURCE.format(how=how))
        (tmp_path / f"{version}.folded").write_text(RUN.format(version=version, cost=cost))
    sides = [str(tmp_path / "1.folded"), str(tmp_path / "2.folded")]
    assert main(["compare", *sides, "--output-dir", str(tmp_path / "out")]) == 0
    metric = json.loads((tmp_path / "out" / "report.json").read_text())["workloads"][0]["metrics"][0]
    assert metric["renamed"] == []
    found = {one["location"]["name"]: one for one in metric["findings"]}
    assert (found["lex"]["from_value"], found["lex"]["to_value"]) == (1000, 3000)
    assert found["lex"]["location"]["file"] == "shop-2/shop/words.py"
    output = capsys.readouterr().out
    assert "files below shop-1/ are compared with files below shop-2/" in output
