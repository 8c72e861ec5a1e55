"""``profgate explain-name`` and aliases, from the command line to the report."""

import json
from pathlib import Path

import pytest

from judged import changes_in
from profgate.__main__ import main

CONFIG = "gate:\n  name-rules: loose\n  aliases:\n    old_total: total\n"


def test_steps_are_shown_with_their_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain-name", "foo.isra.0+0x1f", "f (/home/someone/shop/a.py:12)", "plain"]) == 0
    output = capsys.readouterr().out
    assert [line.split()[0] for line in output.splitlines() if line.startswith("  ") and line[2] != " "] == [
        "C2", "C1", "key:", "R1", "P2", "file", "key:", "key:",
    ]  # fmt: skip
    assert "an offset is a place in the code, not its name" in output
    assert "  key:    f  file: shop/a.py  line: 12 (shown, never compared)" in output


def test_names_of_a_profile_are_counted_by_rule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.folded").write_text("main;f.cold;$Proxy12.call 3\nmain;g;$Proxy4.call 2\n")
    assert main(["explain-name", str(tmp_path / "a.folded")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("a.folded: 5 names, rules of level safe")
    assert [line.split()[:2] for line in lines[1:3]] == [["J4", "2"], ["C1", "1"]]
    assert "    -> $Proxy.call  [J4]" in lines


def test_hostile_names_are_shown_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain-name", "a\n\x1b[31m\u202eb", ""]) == 0
    assert "\x1b" not in (output := capsys.readouterr().out)
    assert "[unknown]" in output


def test_configured_alias_pairs_two_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "profgate.yml"
    config.write_text(CONFIG)
    assert main(["explain-name", "--config", str(config), "old_total", "f<a<b>>"]) == 0
    output = capsys.readouterr().out
    assert "the configuration file calls it so" in output
    assert "  key:    f<>" in output
    for name, function in (("old", "old_total"), ("new", "total")):
        (tmp_path / f"{name}.folded").write_text(f"main;{function} 9000\nmain;rest 9000\n")
    sides = [str(tmp_path / f"{name}.folded") for name in ("old", "new")]
    main(["compare", *sides, "--config", str(config), "--format", "json", "-v"])
    (metric,) = json.loads(capsys.readouterr().out)["workloads"][0]["metrics"]
    assert {one["location"]["name"] for one in changes_in(metric)} >= {"total"}
    assert "old_total" not in json.dumps(metric)


def test_missing_profile_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain-name", "missing.folded", "plain"]) == 0
    captured = capsys.readouterr()
    assert captured.err == "profgate: there is no file missing.folded, so it is explained as the name of a frame\n"
    assert "key:    missing.folded" in captured.out
