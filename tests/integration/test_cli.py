"""The command line as a person calls it, on real files."""

import json
import re
from pathlib import Path
from typing import NoReturn

import pytest

from disk_faults import file_size_limit
from profgate.__main__ import main

SHOP = Path(__file__).parents[2] / "examples" / "shop" / "profiles"

# R. Mariani's worked example: 5 units on each of 18 stacks, and five changes to it
BASELINE = dict.fromkeys(
    [
        *("main", "main;f", "main;f;j", "main;f;j;x", "main;f;j;y", "main;f;j;z"),
        *("main;f;k", "main;f;k;x", "main;f;l", "main;f;l;x", "main;g;j", "main;g;j;x", "main;g;j;y", "main;g;j;z"),
        *("main;g;k", "main;g;k;x", "main;g;k;y", "main;g;k;z"),
    ],
    5,
)
X_COSTS_LESS_AND_K_MORE = {
    path: 4 if path.endswith(";x") else 15 if path.endswith(";k") else value for path, value in BASELINE.items()
}


def folded(stacks: dict[str, int]) -> str:
    return "".join(f"{stack} {value}\n" for stack, value in stacks.items())


@pytest.fixture
def example(tmp_path: Path) -> tuple[str, str]:
    for name, stacks in (("baseline", BASELINE), ("target", X_COSTS_LESS_AND_K_MORE)):
        (tmp_path / f"{name}.folded").write_text(folded(stacks))
    return str(tmp_path / "baseline.folded"), str(tmp_path / "target.folded")


def test_overweight_prints_the_published_table(example: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["overweight", *example, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "profgate.overweight/1"
    assert document["total"] == {"baseline": 90, "target": 105, "delta": 15}
    rows = [
        (
            row["name"],
            row["baseline"],
            row["target"],
            row["delta"],
            round(100 * row["responsibility"], 2),
            round(100 * row["overweight"], 2),
        )
        for row in document["symbols"]
    ]
    assert rows == [
        ("k", 30, 48, 18, 120.00, 360.00),
        ("g", 40, 48, 8, 53.33, 120.00),
        ("main", 90, 105, 15, 100.00, 100.00),
        ("f", 45, 52, 7, 46.67, 93.33),
        ("y", 15, 15, 0, 0.00, 0.00),
        ("z", 15, 15, 0, 0.00, 0.00),
        ("j", 40, 38, -2, -13.33, -30.00),
        ("l", 10, 9, -1, -6.67, -60.00),
        ("x", 25, 20, -5, -33.33, -120.00),
    ]


def test_pivot_drops_its_stacks_on_both_sides(example: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["overweight", *example, "--pivot", "k", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["total"] == {"baseline": 60, "target": 57, "delta": -3}
    assert [row["name"] for row in document["symbols"]] == ["x", "l", "f", "g", "j", "main", "y", "z"]
    assert main(["overweight", *example, "--pivot", "nobody"]) == 2
    assert "no symbol is called 'nobody'" in capsys.readouterr().err
    assert main(["overweight", *example, "--pivot", "k"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Total 90 → 105 samples (+16.7 %)"
    assert lines[1] == "Without the stacks of k: 60 → 57 samples (−5.0 %), so they explain 120 % of the change"


def test_overweight_has_self_costs_kinds_pivots_and_thresholds(
    example: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["overweight", *example, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    rows = {
        row["name"]: (row["exclusive_baseline"], row["exclusive_target"], row["interest"], row["kind"])
        for row in document["symbols"]
    }
    assert rows["k"] == (10, 30, 6, "SevereDegradation")
    assert rows["x"] == (25, 20, 5, "Optimization")
    assert rows["main"] == (5, 5, 2, "NoChange")
    assert [(pivot["name"], pivot["without"]["delta"]) for pivot in document["pivots"]] == [("k", -3), ("x", 0)]
    assert document["thresholds"]["responsibility"] == 0.05
    assert main(["overweight", *example]) == 0
    text = capsys.readouterr().out.splitlines()
    assert text[0] == "Total 90 → 105 samples (+16.7 %)"
    assert text[1] == "Likely cause: k, with 120 % of the change."
    assert [" ".join(line.split()) for line in text if line.endswith("  k")] == [
        "30 → 48 samples 10 → 30 samples 120 % 360 % k"
    ]
    assert text[-2:] == [
        "Without the stacks of k: 60 → 57 samples (−5.0 %), so they explain 120 % of the change",
        "Without the stacks of k and x: 45 → 45 samples (0 %), so they explain 100 % of the change",
    ]


def test_symbols_of_one_side_have_a_responsibility(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.folded").write_text("main;old 10\nmain;same 90\n")
    (tmp_path / "b.folded").write_text("main;new 30\nmain;same 90\n")
    assert main(["overweight", str(tmp_path / "a.folded"), str(tmp_path / "b.folded"), "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["only_baseline"] == [
        {"name": "old", "file": None, "library": False, "baseline": 10, "responsibility": -0.5}
    ]
    assert document["only_target"] == [
        {"name": "new", "file": None, "library": False, "target": 30, "responsibility": 1.5}
    ]


def test_fold_prints_its_input(example: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fold", example[0]]) == 0
    assert sorted(capsys.readouterr().out.splitlines()) == sorted(folded(BASELINE).splitlines())


def test_flamegraph_writes_every_format(example: tuple[str, str], tmp_path: Path) -> None:
    for name in ("diff.html", "diff.svg", "diff.folded"):
        assert main(["flamegraph", *example, "-o", str(tmp_path / name)]) == 0
    assert "main;f;k 5 15\n" in (tmp_path / "diff.folded").read_text()
    assert (tmp_path / "diff.svg").read_text().startswith("<svg")
    assert "Content-Security-Policy" in (tmp_path / "diff.html").read_text()
    assert main(["flamegraph", *example, "-o", str(tmp_path / "diff.pdf")]) == 2


def test_regression_fails_and_writes_its_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sides = [str(SHOP / side) for side in ("baseline", "target")]
    assert main(["compare", *sides, "--output-dir", str(tmp_path), "--fail-on", "degradation"]) == 1
    assert capsys.readouterr().out.startswith("FAILED  find_duplicates")
    assert json.loads((tmp_path / "report.json").read_text())["verdict"]["conclusion"] == "fail"
    assert "`find_duplicates`" in (tmp_path / "comment.md").read_text().splitlines()[1]
    assert (tmp_path / "index.html").exists()


SLOWER = [str(SHOP / side) for side in ("baseline", "target")]
SAME = [str(SHOP / "baseline")] * 2


def test_page_that_does_not_fit_is_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with file_size_limit(100_000):
        assert main(["compare", *SLOWER, "-o", str(tmp_path), "--fail-on", "degradation"]) == 1
        assert main(["compare", *SAME, "-o", str(tmp_path)]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("FAILED  find_duplicates")
    assert re.search(r"^profgate: not written: \S+\.html: File too large", shown.err, re.MULTILINE)
    names = {path.name for path in tmp_path.iterdir()}
    assert {"report.json", "comment.md"} <= names
    comment = (tmp_path / "comment.md").read_text()
    assert set(re.findall(r"\(([^()]+\.html)", comment)) <= names


@pytest.mark.parametrize(("sides", "code", "headline"), [(SLOWER, 1, "FAILED"), (SAME, 2, "PASSED")])
def test_unwritten_report_never_passes(
    sides: list[str], code: int, headline: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    place = str(tmp_path / "file" / "out")
    assert main(["compare", *sides, "-o", place, "--fail-on", "degradation"]) == code
    shown = capsys.readouterr()
    assert shown.out.startswith(headline)
    assert f"not written: {place}/report.json: " in shown.err


@pytest.mark.parametrize("error", [MemoryError(), KeyError("row")])
def test_page_that_cannot_be_built_is_a_note(
    error: Exception, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> NoReturn:
        raise error

    monkeypatch.setattr("profgate.flamegraph.pages.build_page", fail)
    assert main(["compare", *SLOWER, "-o", str(tmp_path), "--fail-on", "degradation"]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("FAILED  find_duplicates")
    assert f"was not drawn ({type(error).__name__}" in shown
    assert {path.name for path in tmp_path.iterdir()} == {"report.json", "index.html", "comment.md", "explain.md"}
    assert ".html" not in (tmp_path / "comment.md").read_text()


def test_unpaired_workloads_do_not_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for side, names in (("old", ("a", "b")), ("new", ("c", "d"))):
        (tmp_path / side).mkdir()
        for name in names:
            (tmp_path / side / f"{name}.folded").write_text("main;f 5\n")
    assert main(["compare", str(tmp_path / "old"), str(tmp_path / "new")]) == 3
    assert "NOT COMPARED" in capsys.readouterr().out.upper().splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["compare", "nowhere", "nowhere"], "nowhere"),
        (["compare", str(SHOP), str(SHOP), "--config", "missing.yml"], "missing.yml"),
        (["compare", str(SHOP), str(SHOP), "--strategy", "totels"], "unknown; did you mean totals?"),
        (["overweight", str(SHOP), str(SHOP), "--workload", "target/pyspi"], "did you mean target/pyspy?"),
        (["overweight", str(SHOP), str(SHOP), "--metric", "sampels"], "no metric 'sampels'; did you mean samples?"),
    ],
)
def test_wrong_input_is_named(arguments: list[str], part: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert part in error
    assert "Traceback" not in error


def test_unreadable_named_file_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.folded").write_text("main 1\n")
    (tmp_path / "b.bin").write_bytes(b"\x00\x01\x02")
    assert main(["compare", str(tmp_path / "a.folded"), str(tmp_path / "b.bin")]) == 2
    assert "b.bin" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["overweight"], ["flamegraph", "-o", "picture.svg"]])
@pytest.mark.parametrize(
    ("stacks", "reason"),
    [
        ("", "the target contains no samples; check the recording"),
        ("nothing", "no such metric and unit"),
    ],
)
def test_incomparable_sides_are_not_drawn(
    command: list[str], stacks: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = tmp_path / "a.folded", tmp_path / "b.folded"
    one.write_text("main;parse 5\n")
    other.write_text(stacks)
    if stacks:
        other = Path(__file__).parents[1] / "data" / "speedscope" / "py-spy-0.4.3.speedscope.json"
    assert main([*command, str(one), str(other)]) == 3
    assert reason in capsys.readouterr().err


def test_empty_profile_cannot_be_folded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.folded").write_text("")
    assert main(["fold", str(tmp_path / "a.folded")]) == 3
    assert capsys.readouterr().err == "profgate: a: the profiles contain no samples; check the recording\n"


def test_results_without_tests_on_both_sides_do_not_end_the_comparison(tmp_path: Path) -> None:
    sides = [tmp_path / "old", tmp_path / "new"]
    compare = ["compare", *map(str, sides), "--interleaved"]
    for side in sides:
        (side / "api").mkdir(parents=True)
        (side / "empty.xml").write_text("<testsuites></testsuites>")
    assert main(compare) == 3
    for side in sides:
        for run in range(1, 6):
            (side / "api" / f"run-{run}.folded").write_text("main;parse 5000\n")
    assert main(compare) == 0


def test_stray_file_on_both_sides_is_reported_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for side in ("old", "new"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.folded").write_text("main;f 5\n")
        (tmp_path / side / "notes.txt").write_text("not a profile\n")
    assert main(["compare", str(tmp_path / "old"), str(tmp_path / "new")]) == 3
    lines = [line for line in capsys.readouterr().out.splitlines() if "  notes (" in line]
    assert len(lines) == 1
    assert "unreadable in the baseline and the target: notes.txt: no known profile format" in lines[0]


def test_damaged_file_is_named_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for side in ("old", "new"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.folded").write_text("main;f 5\n")
    (tmp_path / "new" / "b.folded.gz").write_bytes(b"\x1f\x8b damaged")
    assert main(["compare", str(tmp_path / "old"), str(tmp_path / "new")]) == 3
    out = capsys.readouterr().out
    assert "unreadable in the target: b.folded.gz: byte 0: damaged packed data" in " ".join(out.split())


def test_strategies_and_formats_are_described(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["strategies"]) == 0
    assert "calibrated_log_ratio (clr)" in capsys.readouterr().out
    assert main(["formats"]) == 0
    out = capsys.readouterr().out
    assert [name for name in ("folded", "pprof", "speedscope", "pstats", "perun") if name not in out] == []
    assert "pytest --benchmark-json=a.json\n  tests:     pytest-benchmark 5.3.1: time in nanoseconds, timed\n" in out
    assert "a perf.data recording: run: perf script -i FILE > a.perf.txt" in out


def test_output_is_deterministic(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sides = [str(SHOP / side / "pyspy") for side in ("baseline", "target")]
    for folder in ("one", "two"):
        main(["compare", *sides, "-o", str(tmp_path / folder), "--format", "markdown"])
    assert capsys.readouterr().out.startswith("<!-- profgate")
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


def test_moved_lines_change_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded = SHOP / "baseline" / "pyspy"
    for run in recorded.iterdir():
        text = run.read_text()
        moved = re.sub(r"(shop/\w+\.py):(\d+)", lambda match: f"{match[1]}:{int(match[2]) + 3}", text)
        assert moved != text
        (tmp_path / run.name).write_text(moved)
    assert main(["compare", str(recorded), str(tmp_path), "--fail-on", "maybe", "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["verdict"]["conclusion"] == "pass"
    assert [metric["findings"] for workload in report["workloads"] for metric in workload["metrics"]] == [[]]


def test_overweight_table_cuts_long_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "130")
    long = f"std::map<{'std::string, ' * 400}漢字>::operator[]"
    sides = []
    for name, value in (("old", 5), ("new", 9)):
        (tmp_path / f"{name}.folded").write_text(f"main;{long} {value}\nmain;short 4\n")
        sides.append(str(tmp_path / f"{name}.folded"))
    assert main(["overweight", *sides]) == 0
    lines = capsys.readouterr().out.splitlines()
    _cause, shown, pivot = (line for line in lines if "std::map<" in line)
    assert max(len(shown), len(pivot)) <= 130
    assert shown.endswith("::operator[]")
    assert "…" in shown
    assert main(["overweight", *sides, "--format", "json"]) == 0
    assert long in {row["name"] for row in json.loads(capsys.readouterr().out)["symbols"]}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "{}", "{}", "-o", ""], "--output-dir: is empty; name a folder, such as profgate-report"),
        (["compare", "{}", "{}", "--config", " "], "--config: is empty; name a file"),
        (["compare", "", "{}"], "BASELINE: is empty; name a profile or a folder of profiles"),
        (["overweight", "{}", ""], "TARGET: is empty"),
        (["flamegraph", "{}", "-o", ""], "--output: is empty; name a file"),
        (["fold", ""], "PROFILE: is empty"),
    ],
)
def test_empty_path_is_a_mistake(
    arguments: list[str], message: str, example: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([one.format(example[0]) for one in arguments]) == 2
    assert message in capsys.readouterr().err


def test_reports_of_two_shards_are_merged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for leg, target in (("linux", "target"), ("mac", "baseline")):
        sides = [str(SHOP / side) for side in ("baseline", target)]
        main(["compare", *sides, "-o", str(tmp_path / leg), "--fail-on", "degradation"])
    capsys.readouterr()
    reports = [str(tmp_path / leg / "report.json") for leg in ("linux", "mac")]
    assert main(["report", "merge", *reports, "--fail-on", "degradation", "-o", str(tmp_path / "all")]) == 1
    assert capsys.readouterr().out.startswith("FAILED  find_duplicates")
    merged = json.loads((tmp_path / "all" / "report.json").read_text())
    names = {workload["name"] for workload in merged["workloads"]}
    assert {name.rpartition(" ")[2] for name in names} == {"[linux]", "[mac]"}
    assert "find_duplicates" in (tmp_path / "all" / "comment.md").read_text()


@pytest.mark.parametrize(
    ("places", "message"),
    [
        (["nowhere/report.json"], "No such file"),
        (["report.json", "report.json"], "contains the same file twice"),
        (["report.json"], "is not JSON"),
    ],
)
def test_merge_refuses_invalid_reports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], places: list[str], message: str
) -> None:
    (tmp_path / "report.json").write_text("{")
    assert main(["report", "merge", *(str(tmp_path / place) for place in places)]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(("change", "warned"), [("", True), ("a 1\n", False)])
def test_same_files_on_both_sides_are_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: str, warned: bool
) -> None:
    for side, names in (("old", ("run-1", "run-2")), ("new", ("run-2", "run-3"))):
        (tmp_path / side / "api").mkdir(parents=True)
        for number, name in enumerate(names):
            (tmp_path / side / "api" / f"{name}.folded").write_text(f"a 70\nb {number}\n")
    with (tmp_path / "new" / "api" / "run-2.folded").open("a") as file:
        file.write(change)
    assert main(["compare", str(tmp_path / "old"), str(tmp_path / "new")]) == 0
    text = capsys.readouterr().out
    assert ("contain the same files" in text.splitlines()[1]) is warned
    assert text.count("contain the same files") == warned


def test_fold_prints_one_of_several_workloads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("api", "main;parse 3\n"), ("job", "main;sort 5\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run-1.folded").write_text(text)
    assert main(["fold", str(tmp_path)]) == 2
    assert "choose with --workload" in capsys.readouterr().err
    assert main(["fold", "--workload", "job", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "main;sort 5\n"


def test_function_called_total_differs_from_the_total(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for side, count in (("baseline", 600), ("target", 2600)):
        for run in range(5):
            place = tmp_path / side / "w" / f"run-{run}.folded"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(f"main;total {count + run}\nmain;parse {3000 - run}\n")
    assert main(["compare", str(tmp_path / "baseline"), str(tmp_path / "target"), "--interleaved"]) == 1
    text = capsys.readouterr().out
    assert text.startswith("FAILED  total() is 4.3x slower")
    assert "; total +" in text
    assert re.search(r"^  total worse +total of the run  ", text, re.MULTILINE)
    assert re.search(r"^  severe +total\(\)  ", text, re.MULTILINE)
