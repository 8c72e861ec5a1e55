"""Commands of Python projects: benchmark scripts, pytest benchmarks, and tests."""

import configparser
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from profgate.measuring.init.candidates import PLAIN, Candidate, Kind, subtable, toml, within
from profgate.measuring.init.repository_files import Files

Found = tuple[str, str, Kind, tuple[str, ...]]  # command, place, kind and requirements
GROUPS = ("bench", "benchmark", "benchmarks", "test", "tests", "testing", "dev")
LOCKS = (  # the tools are installed into .venv, where uv must not remove them again
    ("uv.lock", ("command -v uv || pip install uv==0.13.9", "uv sync --inexact")),
    ("poetry.lock", ("command -v poetry || pip install poetry==2.5.1", "poetry install")),
    ("pdm.lock", ("command -v pdm || pip install pdm==2.29.4", "pdm sync")),
    ("Pipfile.lock", ("command -v pipenv || pip install pipenv==2026.10.3", "pipenv sync --dev")),
)


def python_candidates(files: Files, folder: str) -> Iterator[Candidate]:
    """Return benchmark scripts, pytest benchmarks and the tests of a project."""
    here = files.inside(folder)
    project = toml(here.read("pyproject.toml"))
    scripts = [*_scripts(here)]
    for command, place, kind, needs in (*scripts, *_pytest(here, project)):
        setup = within(folder, python_setup(here, needs, locked=(command, place, kind, needs) not in scripts))
        timed = "--benchmark-only" in command
        yield Candidate("Python", command, place, kind, folder, folder, setup, timed=timed)


def python_setup(files: Files, needs: Iterable[str] = (), *, locked: bool = True) -> list[str]:
    """Return shell lines that install a project and further requirements, unless those are in a lock file."""
    project = toml(files.read("pyproject.toml"))
    for lock, known in LOCKS:
        if files.listed(lock):
            groups = [f" --group {name}" for name in GROUPS if name in subtable(project, "dependency-groups")]
            further = [] if locked or not needs else [f"pip install {' '.join(needs)}"]
            return [*known[:-1], known[-1] + "".join(groups if lock == "uv.lock" else []), *further]
    names = ["requirements.txt", *(f"requirements{sign}{name}.txt" for sign in "-_/" for name in GROUPS)]
    lines = [f"pip install -r {name}" for name in names if files.read(name)]
    if "build-system" in project or "project" in project or files.read("setup.py"):
        extras = subtable(project, "project", "optional-dependencies")
        chosen = [name for name in GROUPS if name in extras]
        lines.append(f"pip install -e '.[{','.join(chosen)}]'" if chosen else "pip install -e .")
    grouped = _of_groups(subtable(project, "dependency-groups"))
    named = {re.split(r"(?<=\w)[^\w.-]", need)[0].strip("'") for need in grouped}
    further = [*grouped, *(need for need in needs if need not in named)]
    further = [need for need in dict.fromkeys(further) if f"pip install {need}" not in lines and need != "."]
    return [*lines, f"pip install {' '.join(further)}"] if further else lines


def _of_groups(groups: Mapping[str, Any]) -> list[str]:
    """Return the requirements of the dependency groups for benchmarks and tests, and of the groups they include."""
    names, needs = [name for name in GROUPS if name in groups], list[str]()
    for name in names:  # grows while it is read
        for entry in groups[name] if isinstance(groups[name], list) else []:
            other = entry.get("include-group") if isinstance(entry, dict) else None
            if isinstance(entry, str):
                needs.append(entry.replace(" ", ""))
            elif other in groups and other not in names:
                names.append(str(other))
    return list(_needs(needs))


def _scripts(here: Files) -> Iterator[Found]:
    folders = ("bench", "benches", "benchmark", "benchmarks", "perf")
    found = set[str]()
    for place in ("bench*.py", "perf_*.py", *(f"{folder}/*.py" for folder in folders)):
        found.update(path for path in here.listed(f"**/{place}") if PLAIN.fullmatch(path))
    for path in sorted(found, key=lambda path: (path.count("/"), path)):
        folder, _, name = path.rpartition("/")
        text = here.read(path)
        if name.startswith(("_", "conftest", "setup.")):
            continue
        own = _needs(f"-r {each}" for each in (here.listed(f"{folder}/*requirements*.txt") if folder else []))
        measured = re.search(r"^[ \t]*def test_\w+\([^)]{0,500}\bbenchmark\b", text, re.MULTILINE)  # the fixture
        if measured or re.search(r"^(?:async )?def test_\w+\(|^class Test\w+", text, re.MULTILINE):
            only = " --benchmark-only" if measured and "codspeed" not in text else ""
            needs = ("pytest", "pytest-benchmark", *own) if only else ("pytest", *own)
            yield f"python -m pytest{only} {shlex.quote(path)}", path, Kind.BENCHMARK, needs
        elif "pyperf" in text:  # which measures in other processes
            yield f"python {shlex.quote(path)} --debug-single-value --loops 1", path, Kind.BENCHMARK, ("pyperf", *own)
        elif re.search(r"^(?:if __name__|for |while |with |[\w.]{1,200}\()", text, re.MULTILINE) or not text.strip():
            yield f"python {shlex.quote(path)}", path, Kind.BENCHMARK, own


def _pytest(here: Files, project: Mapping[str, Any]) -> Iterator[Found]:
    needs = _of_tox(here.read("tox.ini"))
    needs = needs if any("pytest" in need for need in needs) else ("pytest", *needs)
    requirements = " ".join(map(here.read, ("pyproject.toml", "requirements.txt", "setup.cfg", "tox.ini")))
    if "pytest-benchmark" in requirements or "pytest_benchmark" in requirements:
        yield "python -m pytest --benchmark-only", "pytest-benchmark is required", Kind.BENCHMARK, ()
    if "pytest" in subtable(project, "tool") or any(map(here.read, ("pytest.ini", "conftest.py", "tests/conftest.py"))):
        yield "python -m pytest", "the configuration of pytest", Kind.TESTS, needs
    elif here.listed("**/test_*.py") or "pytest" in requirements:
        yield "python -m pytest", "tests/", Kind.TESTS, needs
    elif own := [
        each
        for each in here.listed("**/*test*.py")
        if PLAIN.fullmatch(each) and "(unittest.TestCase)" in here.read(each)
    ]:
        yield f"python -m pytest {shlex.join(own)}", own[0], Kind.TESTS, needs


def _of_tox(text: str) -> tuple[str, ...]:
    """Return the requirements of the tests in tox.ini."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    with suppress(configparser.Error):
        parser.read_string(text)
    return _needs(parser.get("testenv", "deps", fallback="").splitlines())


def _needs(requirements: Iterable[str]) -> tuple[str, ...]:
    """Return the requirements that are safe arguments of ``pip install``, quoted for the shell."""
    plain = [need.strip() for need in requirements]
    safe = [
        need if need.startswith("-r") else shlex.quote(need)
        for need in plain
        if re.fullmatch(
            r"-r ?[A-Za-z0-9._/-]+|[A-Za-z0-9.][A-Za-z0-9._-]*(\[[A-Za-z0-9,._-]+\])?([<>=!~]=?[A-Za-z0-9.*,<>=!~]+)?",
            need,
        )
    ]
    return tuple(dict.fromkeys(safe))
