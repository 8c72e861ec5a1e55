"""A first benchmark for a repository without one: it calls a function with a text, or repeats tests in one process."""

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from profgate.init.candidates import PLAIN, Candidate, Kind, joined, json_object, subtable, toml
from profgate.init.go_project import BUILT
from profgate.init.java_project import CLASS_PATH, java_package
from profgate.init.library_share import OTHERS
from profgate.init.node_project import node_entries
from profgate.init.repository import default_setup
from profgate.init.repository_files import NOT_PROJECTS, Files
from profgate.report.templates import render_template

VERBS = re.compile(
    r"parse|load|read|decode|encode|render|format|convert|compile|token|split|escape|match|to_", re.IGNORECASE
)
GO = re.compile(r"^func ([A-Z]\w{0,80})\(\w+ (string|\[\]byte)\)", re.MULTILINE)
RUST = re.compile(r"^pub fn ([a-z]\w{0,80})\(\w+: &str\)", re.MULTILINE)
WITHOUT_CONTEXT = re.compile(  # the start of a test of Node whose function takes nothing, so that it can be repeated
    r"\b(?:it|test)\(\s{0,20}['\"`][^\n]{1,200}['\"`],\s{0,20}(?:async\s)?\s{0,20}(?:function[\w\s]{0,80})?\(\s{0,20}\)"
)
JEST = re.compile(r"(\S{1,200}/jest)((?: \S{1,200})*)$")
LOADER = re.compile(r"(?:--import|--require|-r|--loader) \S{1,200}")


@dataclass(frozen=True, slots=True)
class Function:
    """A function that takes a text: the module, package or class that contains it, and its name."""

    owner: str
    name: str
    takes: str = "string"


def repeated_tests(files: Files, found: Sequence[Candidate], kind: Kind) -> list[Candidate]:
    """Return a benchmark that repeats what the first fitting candidate of a kind runs, if there is one.

    The benchmarks of pytest are repeated too, because its plugins run them for a fixed time.
    """
    for each in sorted(found, key=lambda each: not each.weight):
        jest = JEST.search(each.command) is not None
        path, command, runners = REPEATED.get("jest" if jest else each.language, ("", "", ()))
        replaced = bool(each.command) or kind is Kind.TESTS  # no benchmark without a command
        if each.kind is not kind or not replaced or not any(name in f"{each.command} {each.place}" for name in runners):
            continue
        tests = (files.read(path) for path in files.tracked if OTHERS.search(path))
        if "/mocha" in each.command and not any(map(WITHOUT_CONTEXT.search, tests)):
            continue
        here, listed = (joined(each.package, name) for name in (path, f"{path.rpartition('.')[0]}.txt"))
        text = render_template(f"init/{path.rpartition('/')[2]}.j2")
        same = " ".join(other.command for other in found if (other.kind, other.setup) == (kind, each.setup))
        if files.read(here) in {"", text}:
            command, update = _started(each.command, command, same if kind is Kind.BENCHMARK else each.command)
            return [
                replace(
                    each,
                    command=command,
                    place=f"a new file that repeats the {kind.name.lower().rstrip('s')}s",
                    kind=Kind.BENCHMARK,
                    folder=each.package,
                    setup=java_package(each.package, each.package) if each.language == "Java" else each.setup,
                    new_files={here: text, listed: ""},
                    update=update,
                )
            ]
    return []


def _started(tests: str, command: str, all_tests: str) -> tuple[str, str]:
    """Return the command that repeats tests, which ``tests`` runs, and the command that writes their list."""
    if JEST.search(tests):
        list_of = command.replace("cjs", "txt")
        options = JEST.sub(lambda found: found[1] + "".join(re.findall(r" -\S*", found[2])), tests)
        run = f"{options} --coverage=false --setupFilesAfterEnv ./{command}"
        update = f"rm -f {list_of}; REPEATED_TESTS=update {run} || true; node {command}"
        return f"{run} --runTestsByPath $(cut -d ' ' -f 2 {list_of} | sort -u)", update
    variables, _, rest = tests.partition("node ")
    if not command.startswith("node "):
        chosen = [word for word in all_tests.split() if word.endswith(".py") or word == "--benchmark-only"]
        return command, " ".join([command, "--update", *dict.fromkeys(chosen)])
    if "/mocha" not in rest:  # the new file replaces the others
        command = f"{variables}{' '.join(['node', *LOADER.findall(rest), command.removeprefix('node ')])}"
    else:
        command = f"{variables}node --import ./{command.removeprefix('node ')} {rest}"
    return command, f"REPEATED_TESTS=update {command}"


def skeleton(files: Files, language: str) -> Candidate | None:
    """Return a benchmark of the function that looks most like the library's main one, or None if there is none."""
    if language not in KINDS:
        return None
    find, path, command = KINDS[language]
    found = sorted(find(files), key=lambda each: (not VERBS.fullmatch(each.name), not VERBS.match(each.name)))
    if not found:
        return None
    function = found[0]
    text = render_template(f"init/benchmark.{path.rpartition('.')[2]}.j2", function=function)
    update = f"timeout 60 node {path}" if language == "Node" else ""
    setup = default_setup(files, language, ".")
    if language == "Rust":
        setup = (f"cargo build --release --example {path.rpartition('/')[2].removesuffix('.rs')}",)
    place, command = f"a new benchmark of {function.name}", command.format(name=function.name, package=function.owner)
    return Candidate(language, command, place, setup=setup, new_files={path: text}, update=update)


def _python(files: Files) -> Iterator[Function]:
    for path in files.listed("**/*.py"):
        parts = path.removeprefix("src/").removesuffix(".py").split("/")
        package = "/".join([*path.split("/")[:-1], "__init__.py"])
        hidden = any(part.startswith("_") and part != "__init__" for part in parts) or not files.listed(package)
        if hidden or not NOT_PROJECTS.isdisjoint(parts) or parts[0] in {"bench", "benchmarks", "setup"}:
            continue
        owner = ".".join(part for part in parts if part != "__init__")
        yield from (Function(owner, name) for name in _functions_of_a_text(files.read(path)))


def _functions_of_a_text(text: str) -> Iterator[str]:
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and node.args.args:
            required = len(node.args.args) - len(node.args.defaults)
            annotation = node.args.args[0].annotation
            text_like = annotation is None or "str" in ast.unparse(annotation)
            if required == 1 and text_like and not node.decorator_list and None not in node.args.kw_defaults[:1]:
                yield node.name


def _node(files: Files) -> Iterator[Function]:
    """Return the entries of the package. The benchmark itself looks for its functions."""
    entries = node_entries(json_object(files.read("package.json"))) or ["index.js"]
    places = [f"../{entry.removeprefix('./')}" for entry in entries if PLAIN.fullmatch(entry)]
    yield Function(json.dumps(list(dict.fromkeys(places))), "functions of the package")


def _go(files: Files) -> Iterator[Function]:
    for path in sorted(files.listed("*.go")):
        text = files.read(path)
        package = re.search(r"^package (\w{1,80})", text, re.MULTILINE)
        if package and package[1] != "main" and not path.endswith("_test.go") and not BUILT.search(text):
            yield from (Function(package[1], name, takes) for name, takes in GO.findall(text))


def _rust(files: Files) -> Iterator[Function]:
    name = str(subtable(toml(files.read("Cargo.toml")), "package").get("name", "")).replace("-", "_")
    if re.fullmatch(r"\w{1,80}", name):
        yield from (Function(name, function) for function in RUST.findall(files.read("src/lib.rs")))


KINDS: Mapping[str, tuple[Callable[[Files], Iterator[Function]], str, str]] = {
    "Python": (_python, "benchmarks/bench_profgate.py", "python benchmarks/bench_profgate.py"),
    "Node": (_node, "bench/profgate.mjs", "node bench/profgate.mjs"),
    "Go": (_go, "profgate_test.go", "go test -run '^$' -bench '^(BenchmarkProfgate)$' -benchtime 1000x ."),
    "Rust": (_rust, "examples/bench_profgate.rs", "target/release/examples/bench_profgate"),
}
# the path and the command of the file that repeats tests, and the commands of tests that it can repeat
REPEATED: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "Python": ("benchmarks/repeated_tests.py", "python benchmarks/repeated_tests.py", ("pytest", "unittest")),
    "Node": (
        "bench/repeated-tests.mjs",
        "node bench/repeated-tests.mjs",
        ("--test", "/mocha", "/tape", "/uvu", "/borp", ": ava ", ": tap ", ": vitest "),
    ),
    "jest": ("bench/repeated-jest.cjs", "bench/repeated-jest.cjs", ("/jest",)),
    "Java": ("bench/RepeatedTests.java", f'java -cp "{CLASS_PATH}" bench/RepeatedTests.java', ("pom.xml",)),
}
