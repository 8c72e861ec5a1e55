"""Draw mutants of the source and run the tests that execute their lines: ./run bench mutants [--count N] [PACKAGE ...].

The first call runs the tests once to record which of them execute each statement; `--record` does so again. A mutant
is one changed operator, condition, number or call. It is killed if a test fails or does not end. For a survivor, write
the missing test, delete the needless code, or explain why the program behaves the same.
"""

import argparse
import ast
import builtins
import json
import os
import random
import resource
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from queue import Queue
from types import CodeType

import pytest

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutants"
PACKAGES = ("action", "compare", "decide")
FOLDERS = ("tests/unit", "tests/integration")
DECLARED = "tests/integration/test_action_yml.py"  # compares what modules declare with the documentation
MARK = "recorded_statement"
PAIRS: tuple[tuple[type[ast.AST], type[ast.AST]], ...] = (
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn)),
    *((ast.And, ast.Or), (ast.Add, ast.Sub), (ast.Mult, ast.Div)),
)
SWAPS = dict(PAIRS) | {second: first for first, second in PAIRS}
SWAPS |= {ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.BitAnd: ast.BitOr}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A replaced part of a source file; columns count bytes. The line of its statement is 0 outside of functions."""

    path: str
    line: int
    start: tuple[int, int]
    end: tuple[int, int]
    before: str
    after: str

    def apply(self, text: bytes) -> bytes:
        """Return the source with the replaced part."""
        lines = text.splitlines(keepends=True)
        head = b"".join(lines[: self.start[0] - 1]) + lines[self.start[0] - 1][: self.start[1]]
        tail = lines[self.end[0] - 1][self.end[1] :] + b"".join(lines[self.end[0] :])
        return head + self.after.encode() + tail

    def __str__(self) -> str:
        return f"{self.path}:{self.start[0]}  {self.before}  ->  {self.after}"


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Every mutant of a file; annotations, decorators, texts and ``strict`` of zip stay."""
    for node, line in _executed(ast.parse(path.read_bytes())):
        for after in _replacements(node):
            start, end = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
            yield Mutant(str(path.relative_to(ROOT)), line, start, end, ast.unparse(node), after)


def _executed(node: ast.AST, line: int = 0, *, inside: bool = False) -> Iterator[tuple[ast.expr | ast.stmt, int]]:
    inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "bases"} or getattr(node, "arg", None) == "strict":
            continue
        for child in value if isinstance(value, list) else [value]:
            at = child.lineno if inside and isinstance(child, ast.stmt) else line
            if isinstance(child, ast.expr | ast.stmt) and not isinstance(child, ast.JoinedStr):
                yield child, at
            if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr):
                yield from _executed(child, at, inside=inside)


def _replacements(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Compare(left=left, ops=[operator], comparators=right) if type(operator) in SWAPS:
            yield f"({ast.unparse(ast.Compare(left, [SWAPS[type(operator)]()], right))})"  # type: ignore[list-item]
        case ast.BoolOp(op=operator, values=values):
            yield f"({ast.unparse(ast.BoolOp(SWAPS[type(operator)](), values))})"  # type: ignore[arg-type]
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in SWAPS:
            yield f"({ast.unparse(ast.BinOp(left, SWAPS[type(operator)](), right))})"  # type: ignore[arg-type]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield f"({ast.unparse(operand)})"
        case ast.Constant(value=bool(value)):
            yield str(not value)
        case ast.Constant(value=int() | float() as value):
            yield str(value + 1)
        case ast.IfExp(test=test, body=body, orelse=other) if not isinstance(test, ast.Compare | ast.BoolOp):
            yield f"({ast.unparse(ast.IfExp(test, other, body))})"
        case ast.Expr(value=ast.Call()) | ast.Continue() | ast.Raise():
            yield "pass"


def _seconds() -> float:
    """The processor time of this process and of those it ran."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


class Recorder:
    """A plug-in of pytest: the processor time of each test, and the statements of functions that it executes."""

    def __init__(self) -> None:
        self.tests: dict[str, tuple[float, dict[str, list[int]]]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Everything that runs for a test counts for it, also its fixtures."""
        statements: set[tuple[str, int]] = set()
        setattr(builtins, MARK, statements.add)
        start = _seconds()
        result = yield
        lines: defaultdict[str, list[int]] = defaultdict(list)
        for path, line in statements:
            lines[path].append(line)
        self.tests[item.nodeid] = (_seconds() - start, lines)
        return result


def _mark(node: ast.AST, path: str, *, inside: bool = False) -> None:
    """Insert a call before each statement of a function, which records its line."""
    inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    for name, value in ast.iter_fields(node):
        marked = []
        for child in value if isinstance(value, list) else []:
            text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            if inside and isinstance(child, ast.stmt) and not text:
                mark = ast.parse(f"{MARK}(({path!r}, {child.lineno}))")
                marked += ast.increment_lineno(mark, child.lineno - 1).body
            if isinstance(child, ast.AST):
                _mark(child, path, inside=inside)
            marked.append(child)
        if marked:
            setattr(node, name, marked)


def _record(part: str, files: list[str]) -> int:
    """Run the quick tests of one process."""
    folders = tuple(f"{ROOT}/src/profgate/{name}/" for name in PACKAGES)
    load = SourceFileLoader.get_code

    def load_marked(loader: SourceFileLoader, name: str) -> CodeType | None:
        path = loader.get_filename(name)
        if not path.startswith(folders):
            return load(loader, name)
        tree = ast.parse(loader.get_data(path))
        _mark(tree, str(Path(path).relative_to(ROOT)))
        return compile(tree, path, "exec", dont_inherit=True)

    SourceFileLoader.get_code = load_marked  # type: ignore[assignment, method-assign]
    setattr(builtins, MARK, lambda _statement: None)
    recorder = Recorder()
    options = ["-q", "-n0", "-p", "no:cacheprovider", "-m", "not slow and not full"]
    code = pytest.main([*options, *files], plugins=[recorder])
    (WORK / f"tests.{part}").write_text(json.dumps(recorder.tests), encoding="utf-8")
    return int(code)


def _record_all(folders: list[str], jobs: int) -> None:
    """Divide the test files among processes."""
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    files = sorted(str(path) for folder in folders for path in Path(folder).rglob("test_*.py"))
    command = [sys.executable, "-m", "bench.mutants", "--record-part"]
    parts = [subprocess.Popen([*command, str(part), *files[part::jobs]], cwd=ROOT) for part in range(jobs)]
    if sum(part.wait() for part in parts):
        raise SystemExit("tests fail without a mutant")


class Tests:
    """Which tests execute a statement, and how long each takes."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._executing: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
        for part in WORK.glob("tests.*"):
            for test, (seconds, statements) in json.loads(part.read_text(encoding="utf-8")).items():
                self._seconds[test] = seconds
                for path, lines in statements.items():
                    for line in (0, *lines):
                        self._executing[path, line].add(test)

    def of(self, mutant: Mutant, budget: float) -> tuple[list[str], list[str]]:
        """Return the unit tests of the package, then others by duration, both within this budget in seconds.

        Outside of functions these are the tests that execute any statement of the file, and those of declarations.
        """
        tests = self._executing[mutant.path, mutant.line]
        if not mutant.line:
            tests = tests | {test for test in self._seconds if test.startswith(DECLARED)}
        near = f"tests/unit/{mutant.path.split('/')[2]}/"
        unit = [test for test in tests if test.startswith(near)]
        return self._within(unit, budget), self._within(tests.difference(unit), budget)

    def _within(self, tests: Iterable[str], budget: float) -> list[str]:
        chosen, spent = [], 0.0
        for test in sorted(self._seconds.keys() & set(tests), key=lambda test: (self._seconds[test], test)):
            spent += self._seconds[test]
            if spent > budget:
                break
            chosen.append(test)
        return chosen


def _try(mutant: Mutant, tests: Tests, copy: Path, budget: float) -> tuple[str, str]:
    """Run the tests with the mutant in a copy of the source: which folder and test kill it, or how it survives."""
    target = copy / mutant.path
    compiled = target.parent / "__pycache__"  # could be taken for that of another mutant
    original = target.read_bytes()
    shutil.rmtree(compiled, ignore_errors=True)
    target.write_bytes(mutant.apply(original))
    try:
        near, others = tests.of(mutant, budget)
        for label, chosen in (("unit", near), ("other", others)):
            if chosen and (test := _failure(chosen, copy, 120 + 15 * budget)):
                return f"killed ({label})", test
        return (f"survived {len(near) + len(others)} tests" if near or others else "not covered"), ""
    finally:
        target.write_bytes(original)
        shutil.rmtree(compiled, ignore_errors=True)


def _failure(tests: list[str], copy: Path, limit: float) -> str:
    """Return the test or file that fails first; empty if all succeed."""
    names = copy / "tests.txt"
    names.write_text("\n".join(tests), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider", f"@{names}"]
    environment = {**os.environ, "PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": ""}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return "timeout"
    if done.returncode == 0:
        return ""
    failed = [test for test in tests if f"\nFAILED {test}" in done.stdout or f"\nERROR {test}" in done.stdout]
    return max(failed, key=len, default=f"exit code {done.returncode}")


def _run(mutants: list[Mutant], jobs: int, budget: float) -> int:
    tests = Tests()
    copies: Queue[Path] = Queue()
    for number in range(jobs):
        copy = WORK / f"copy-{number}"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(ROOT / "src", copy / "src")
        shutil.copytree(ROOT / "templates", copy / "templates")  # a link would confuse the build of a distribution
        copies.put(copy)

    killers: set[str] = set()

    def attempt(mutant: Mutant) -> str:
        copy = copies.get()
        try:
            outcome, test = _try(mutant, tests, copy, budget)
        finally:
            copies.put(copy)
        print(f"{outcome:<16} {mutant}  {test}".rstrip(), flush=True)
        killers.add(test)
        return "timeout" if test == "timeout" else outcome.split()[0]

    with ThreadPoolExecutor(jobs) as pool:
        outcomes = list(pool.map(attempt, mutants))
    if wrong := _failure(sorted(test for test in killers if "::" in test), copies.get(), 3600):
        print(f"fails without a mutant: {wrong}")
    print(", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in sorted(set(outcomes))))
    return 0


def main(arguments: list[str]) -> int:
    """Print the outcome of each mutant, then the sums."""
    if arguments[:1] == ["--record-part"]:
        return _record(arguments[1], arguments[2:])
    parser = argparse.ArgumentParser(prog="bench mutants", description=__doc__)
    parser.add_argument("packages", nargs="*", default=PACKAGES, metavar="PACKAGE", help=f"of {', '.join(PACKAGES)}")
    parser.add_argument("--count", type=int, default=100, help="how many mutants")
    parser.add_argument("--seed", type=int, default=1, help="of the random draw")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--budget", type=float, default=20, metavar="SECONDS", help="of tests for each mutant")
    parser.add_argument("--record", nargs="*", metavar="FOLDER", help="record again, and only these folders of tests")
    given = parser.parse_args(arguments)
    if given.record is not None or not WORK.exists():
        _record_all(given.record or list(FOLDERS), given.jobs)
    files = [path for name in given.packages for path in sorted((ROOT / "src/profgate" / name).rglob("*.py"))]
    mutants = [mutant for path in files for mutant in mutants_of(path)]
    print(f"{given.count} of {len(mutants)} mutants, seed {given.seed}")
    return _run(random.Random(given.seed).sample(mutants, given.count), given.jobs, given.budget)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
