"""Which workloads a change can reach."""

from collections.abc import Mapping
from functools import partial

import pytest

from folder_diffs import folder_diff
from profgate import pipeline
from profgate.attribution.affected import Change
from profgate.attribution.fingerprints import parsed_source
from profgate.attribution.function_changes import function_changes
from profgate.attribution.imports import Imports
from profgate.decide.judge.verdict import judge
from profgate.model.history import Recorded
from profgate.model.policy import Policy
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import replace
from profgate.model.source import source_of
from profgate.pipeline import PipelineInput

TEXT = (
    "LIMIT = 5\n\ndef parse(text):\n    return text\n\ndef fold(text):\n    return [text]\n\n"
    "class A:\n    def go(self):\n        pass\n"
)
FILES = {
    "bench/run.py": "from shop.text import parse\n\nparse('a')\n",
    "shop/__init__.py": "",
    "shop/text.py": TEXT,
    "shop/other.py": "def unused():\n    pass\n",
}
RUN: Mapping[tuple[str, str | None], float] = {
    ("<module>", "bench/run.py"): 1.0,
    ("parse", "shop/text.py"): 0.9,
    ("<module>", "shop/text.py"): 0.1,
}
COUNTED, SAMPLED = Recorded(RUN, counted=True), Recorded(RUN, counted=False)


def case_of(after: Mapping[str, str | None], workload: Recorded = COUNTED, files: Mapping[str, str] = FILES) -> str:
    """The case of the reason why files with these texts reach the workload, "" if they do not; None removes a file."""
    target = {path: text for path, text in {**files, **after}.items() if text is not None}
    before, changed = ({path: texts[path] for path in after if path in texts} for texts in (files, target))
    diff = folder_diff(before, changed, frozenset(target))
    reason = Change(diff, function_changes(diff, parsed_source), lambda: target).reaching(workload)
    return "" if reason is None else str(reason.parameters["case"])


def edited(old: str, new: str) -> dict[str, str | None]:
    assert old in TEXT
    return {"shop/text.py": TEXT.replace(old, new)}


THREADS = Recorded({**RUN, ("{built-in method _thread.start_new_thread}", "~"): 0.1}, counted=True)
RUNNER = Recorded(
    {**RUN, ("<module>", "bench/run.py"): 0.8, ("main", "/usr/lib/python3/_pytest/main.py"): 1.0}, counted=True
)


@pytest.mark.parametrize(
    ("after", "workload", "case"),
    [
        # only counts show that a function was not called
        (edited("[text]", "list(text)"), COUNTED, ""),
        (edited("[text]", "list(text)"), SAMPLED, "file"),
        (edited("[text]", "list(text)"), THREADS, "file"),
        (edited("[text]", "list(text)"), RUNNER, ""),
        (edited("return text", "return text * 2"), COUNTED, "function"),
        # the code outside of functions runs when the file is loaded
        (edited("LIMIT = 5", "LIMIT = 6"), COUNTED, "file"),
        (edited("LIMIT = 5", "LIMIT = 6"), RUNNER, "no_entry"),
        (edited("def fold", "@cache\ndef fold"), COUNTED, "file"),
        (edited("def fold(text)", "def fold(text, limit=LIMIT)"), COUNTED, "file"),
        (edited("class A", "def new(limit=len(TEXT)):\n    pass\n\nclass A"), COUNTED, "file"),
        # new functions run only if other code changed, unless unchanged code may call them
        (edited("class A", "def new():\n    pass\n\nclass A"), COUNTED, ""),
        (edited("class A", "@register\ndef new():\n    pass\n\nclass A"), COUNTED, "file"),
        (edited("def go", "def new(self):\n        pass\n\n    def go"), COUNTED, "file"),
        (edited("def fold(text):\n    return [text]\n\n", ""), COUNTED, ""),
        (edited("    def go(self):\n        pass\n", "    pass\n"), COUNTED, "file"),
        # comments change nothing
        (edited("LIMIT = 5", "LIMIT = 5  # a limit"), SAMPLED, ""),
        # files that no program of the workload loads
        ({"shop/other.py": "def unused():\n    return 1\n"}, SAMPLED, ""),
        ({"shop/other.py": None}, SAMPLED, ""),
        ({"shop/new.py": "LIMIT = 5\n"}, SAMPLED, ""),
        ({"shop/new.py": "LIMIT = 5\n", "shop/__init__.py": "from shop import new\n"}, SAMPLED, "file"),
        ({"shop/__init__.py": "import importlib\n"}, SAMPLED, "computed"),
        ({"README.md": "text"}, SAMPLED, ""),
        # everything else may change every program
        ({"pyproject.toml": ""}, COUNTED, "other_file"),
        ({"shop/fast.c": "int f(void) { return 1; }\n"}, COUNTED, "other_file"),
        ({"package.json": "{}"}, COUNTED, "other_file"),
        # Python itself loads these, in the folder of a program
        ({"bench/enum.py": "A = 1\n"}, SAMPLED, "other_file"),
        ({"bench/json/__init__.py": "A = 1\n"}, SAMPLED, "other_file"),
        ({"src/sitecustomize.py": "A = 1\n"}, SAMPLED, "other_file"),
        ({"shop/text.py": TEXT + "\0"}, COUNTED, "unread"),
    ],
)
def test_workload_is_affected_unless_the_opposite_is_proven(
    after: Mapping[str, str | None], workload: Recorded, case: str
) -> None:
    assert case_of(after, workload) == case


def test_new_function_with_the_name_of_a_called_one_is_no_proof() -> None:
    files = {**FILES, "shop/text.py": TEXT.replace("[text]", "sum(text)")}
    after = {"shop/text.py": files["shop/text.py"] + "\ndef sum(items):\n    pass\n"}
    assert case_of(after, COUNTED, files) == "file"


def test_incomplete_changes_affect_everything() -> None:
    diff = folder_diff({}, {"README.md": ""}, frozenset({"README.md", *FILES}))
    gap = Reason(ReasonCode.DIFF_INCOMPLETE, {"case": "no_tracked_files"})
    for other in (
        replace(diff, complete=False),
        replace(diff, gaps=(gap,)),
        replace(diff, repository_files=None),
        replace(diff, all_listed=False),
    ):
        assert Change(other, function_changes(other, parsed_source)).reaching(COUNTED) is not None
    assert Change(diff, function_changes(diff, parsed_source)).reaching(COUNTED) is None
    # without all sources, it is unknown which files are loaded
    diff = folder_diff({"shop/other.py": "A = 1\n"}, {"shop/other.py": "A = 2\n"}, frozenset(FILES))
    for known in (FILES, {path: text for path, text in FILES.items() if path != "shop/__init__.py"}):
        reason = Change(diff, function_changes(diff, parsed_source), partial(dict, known)).reaching(COUNTED)
        assert (reason is None) == (known is FILES)


@pytest.mark.parametrize(
    ("texts", "loaded"),
    [
        ({"a.js": "require('./lib/b')", "lib/b.js": "", "c.js": ""}, {"a.js", "lib/b.js"}),
        ({"a.mjs": 'import x from "./lib/"', "lib/index.mjs": "export * from './b.js'", "lib/b.js": ""}, None),
        ({"a.js": "// don't require('./b')", "b.js": ""}, None),
        ({"bench/a.js": "require('..')", "package.json": '{"main": "lib/b.js"}', "lib/b.js": "", "c.js": ""},
         {"bench/a.js", "package.json", "lib/b.js"}),
        ({"a.js": "require('tool')", "package.json": '{"name": "tool", "main": "b.js"}', "b.js": ""}, None),
        ({"a.ts": "require('./parse')", "parse.ts": "", "parse-options.ts": ""}, {"a.ts", "parse.ts"}),
        ({"p/a.py": "from . import b", "p/__init__.py": "", "p/b.py": "", "p/q/c.py": ""},
         {"p/a.py", "p/__init__.py", "p/b.py"}),
        ({"p/a.py": "run(['my-tool.py'])", "my-tool.py": ""}, None),
        ({"cmd/a.go": 'import "example.org/m/v2/b"', "b/b.go": "", "b/c.go": "", "d/d.go": ""},
         {"cmd/a.go", "b/b.go", "b/c.go"}),
        ({"cmd/a.go": 'import "example.org/m"', "m.go": "", "d/d.go": ""}, {"cmd/a.go", "m.go"}),
    ],
)  # fmt: skip
def test_files_are_loaded_by_name(texts: Mapping[str, str], loaded: set[str] | None) -> None:
    closure = Imports({path: [text] for path, text in texts.items()}).closure([next(iter(texts))])
    assert closure.computed is None
    assert closure.files == (set(texts) if loaded is None else loaded)


@pytest.mark.parametrize(
    "text",
    [
        "require(name)",
        "import(`./${name}`)",
        "import (  './a' + name)",
        "require.context('a')",
        "load(require)",
        "new Function('')",
    ],
)
def test_computed_names_are_noticed(text: str) -> None:
    assert Imports({"a.js": [text]}).closure(["a.js"]).computed == "a.js"


@pytest.mark.parametrize(
    ("changed", "code", "exit_code"),
    [
        ({"shop/other.py": "def unused():\n    return 1\n"}, "carried", 0),
        ({"shop/text.py": TEXT + "A = 1\n"}, "missing_in_target", 3),
    ],
)
def test_missing_workload_is_carried_if_it_cannot_be_reached(
    changed: dict[str, str], code: str, exit_code: int
) -> None:
    stacks = b"<module> (bench/run.py:3);parse (shop/text.py:4) 900\n"
    files = [source_of(f"{name}/{run}.folded", stacks) for name in ("parse", "other") for run in range(5)]
    target = {**FILES, **changed}
    diff = folder_diff({path: FILES[path] for path in changed}, changed, frozenset(target))
    policy = Policy(required=("*",) if code == "carried" else (), carry=True)
    given = PipelineInput(files, files[:5], diff=diff, sources=lambda: target, pages=0, interleaved=True, policy=policy)
    report = pipeline.compare(given).report
    assert [(entry.name, entry.reason.code.value) for entry in report.not_compared] == [("other", code)]
    assert (report.verdict.exit_code, judge(report, policy).verdict) == (exit_code, report.verdict)
    strict = pipeline.compare(replace(given, policy=replace(policy, carry=False))).report
    assert [entry.reason.code.value for entry in strict.not_compared] == ["missing_in_target"]
