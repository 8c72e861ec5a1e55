"""Input made to break the command line, or to make it say something wrong in silence."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from page_trees import data_of_page, parts_of_page
from profgate.__main__ import main

STEADY = "main;a 600\nmain;b 400\n"


def side(folder: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return str(folder)


def sampled(names: list[str]) -> str:
    frames = [{"name": name} for name in names]
    samples = [[0, place] for place in range(len(names))]
    thread = {"type": "sampled", "unit": "none", "samples": samples, "weights": [1] * len(names)}
    schema = "https://www.speedscope.app/file-format-schema.json"
    return json.dumps({"$schema": schema, "shared": {"frames": frames}, "profiles": [thread]})


@pytest.mark.parametrize("broken", ["", "\n\n", "# a readme\n", "main;a 0\n"])
@pytest.mark.parametrize("swapped", [False, True])
def test_a_side_without_samples_never_passes(
    broken: str, swapped: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sides = [side(tmp_path / "old", {"x.folded": STEADY}), side(tmp_path / "new", {"x.folded": broken})]
    assert main(["compare", *(reversed(sides) if swapped else sides), "--fail-on", "maybe"]) == 3
    output = capsys.readouterr().out
    assert output.startswith("NOT COMPARED")
    assert "no samples; check the recording" in output


def test_workload_without_samples_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = side(tmp_path / "old", {"x.folded": STEADY, "y.folded": STEADY})
    after = side(tmp_path / "new", {"x.folded": STEADY, "y.folded": ""})
    assert main(["compare", before, after, "--format", "json"]) == 3
    report = json.loads(capsys.readouterr().out)
    assert [(one["name"], one["side"]) for one in report["not_compared"]] == [("y", "both")]
    assert [one["name"] for one in report["workloads"]] == ["x"]


def test_damaged_target_run_is_not_new(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = side(tmp_path / "old", {"x/run-1.folded": STEADY, "x/run-2.folded": STEADY})
    after = side(tmp_path / "new", {"x/run-1.folded": STEADY, "x/run-2.folded": "damaged\n"})
    assert main(["compare", before, after]) == 3
    output = capsys.readouterr().out
    assert output.startswith("NOT COMPARED")
    assert "new workload" not in output


def test_sums_beyond_62_bits_are_not_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = {f"x/run-{number}.folded": "main;a 4000000000000000000\n" for number in range(5)}
    before, after = side(tmp_path / "old", runs), side(tmp_path / "new", runs)
    assert main(["compare", before, after]) == 3
    assert "more than 62 bits" in capsys.readouterr().out


def test_root_value_stays_within_62_bits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("old", " 4000000000000000000\nmain;a 1\n"), ("new", "main;a 0.001\n")):
        (tmp_path / name).write_text(text)
    assert main(["compare", str(tmp_path / "old"), str(tmp_path / "new")]) == 3
    assert "more than 62 bits" in capsys.readouterr().out


def test_pages_of_similar_workloads_stay_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["a b", "a-b", "a+b", "A b", "c", "n" * 240, f"{'d' * 200}/{'e' * 200}"]
    files = {f"{name}.folded": f"main;only-in-{number} 600\n" for number, name in enumerate(names)}
    before, after = side(tmp_path / "old", files), side(tmp_path / "new", files)
    main(["compare", before, after, "-o", str(tmp_path / "out")])
    pages = [page for page in (tmp_path / "out").glob("*.html") if page.name != "index.html"]
    found = sorted(name for page in pages for name in set(re.findall(r"only-in-\d", page.read_text())))
    assert found == [f"only-in-{number}" for number in range(len(names))]
    assert (tmp_path / "out" / "c.samples.html").exists()
    capsys.readouterr()


@pytest.mark.parametrize("command", ["compare", "overweight"])
def test_a_forgotten_side_is_no_comparison_with_itself(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.folded").write_text(STEADY)
    assert main([command, str(tmp_path / "x.folded")]) == 2
    assert "TARGET" in capsys.readouterr().err


HOSTILE = [
    "main",
    "\x1b]0;owned\x07red\x1b[31m",
    "\u202egnp.exe",
    "a\rb\u2028c\x00d",
    "zero\u200bwidth\ufeff",
    "\u2066",
]


def test_invisible_characters_are_shown_nowhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, count in (("old", 1), ("new", 3)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x\u202e.json").write_text(sampled(HOSTILE * count))
    sides = [str(tmp_path / "old"), str(tmp_path / "new")]
    main(["compare", *sides, "-o", str(tmp_path / "out"), "-v"])
    main(["compare", *sides, "-v"])
    main(["overweight", *sides])
    main(["overweight", *sides, "--workload", "\u202enobody"])
    for name in ("x.svg", "x.html"):
        assert main(["flamegraph", *sides, "-o", str(tmp_path / "out" / name)]) == 0
    output = capsys.readouterr()
    pages = [path for path in (tmp_path / "out").iterdir() if path.suffix in {".html", ".svg", ".md"}]
    assert len(pages) == 6
    for text in (output.out, output.err, *(path.read_text() for path in pages), *map(page_data, pages)):
        assert not re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]", text)


def page_data(page: Path) -> str:
    """The header of a page and the names in its columns, unpacked; empty for other files."""
    if not parts_of_page(page.read_text()):
        return ""
    header, columns = data_of_page(page.read_text())
    texts = json.loads(columns["names"]) + json.loads(columns["files"])
    assert "main" in texts
    return json.dumps([header, *texts], ensure_ascii=False)


def test_lone_surrogate_reaches_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile = tmp_path / "x.json"
    profile.write_text(sampled(["main", "half\ud800"]))
    assert main(["flamegraph", str(profile), "-o", str(tmp_path / "x.folded")]) == 0
    assert main(["fold", str(profile)]) == 0
    assert capsys.readouterr().out == "main;half\ufffd 1\nmain;main 1\n"
    assert "half\ufffd" in (tmp_path / "x.folded").read_text()


def test_folded_stacks_do_not_control_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stacks = "main;\x1b[2Jevil\x07 5\nmain;other 3\n"
    (tmp_path / "x.folded").write_text(stacks)
    assert main(["fold", str(tmp_path / "x.folded")]) == 0
    assert capsys.readouterr().out == stacks
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["fold", str(tmp_path / "x.folded")]) == 0
    assert capsys.readouterr().out == "main;[2Jevil 5\nmain;other 3\n"


def test_large_first_stack_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = ";".join(f"function-{number}" for number in range(6_000)) + " 5\n"
    (tmp_path / "x.folded").write_text(text)
    assert main(["fold", str(tmp_path / "x.folded")]) == 0
    assert capsys.readouterr().out == text


@pytest.mark.parametrize(("redirection", "code"), [(">&-", 0), ("> /dev/full", 2)])
@pytest.mark.parametrize("form", ["terminal", "json"])
def test_output_that_goes_nowhere_is_no_failed_gate(redirection: str, code: int, form: str, tmp_path: Path) -> None:
    (tmp_path / "x.folded").write_text(STEADY)
    command = f'"{sys.executable}" -m profgate compare x.folded x.folded --format {form} {redirection}'
    ended = subprocess.run(["/bin/sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.returncode, "Traceback" in ended.stderr) == (code, False)
