"""Commands of Python projects: benchmark scripts, pytest benchmarks, and tests."""

import configparser
import re
import shlex
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import suppress

from profgate.measuring.init.candidates import PLAIN, Candidate, Kind, subtable, table_of, within
from profgate.measuring.init.declared import Declared, declared
from profgate.measuring.init.repository_files import Files

GROUPS = ("bench", "benchmark", "benchmarks", "test", "tests", "testing", "dev")
REQUIREMENTS = ("requirements.txt", *(f"requirements{sign}{name}.txt" for sign in "-_/" for name in GROUPS))
SETTINGS = ("pyproject.toml", "requirements.txt", "setup.cfg", "tox.ini", "pytest.ini")
FOLDERS = " ".join(f"**/{folder}/[!_]*.py" for folder in ("bench", "benches", "benchmark", "benchmarks", "perf"))
FILES = f"**/bench*.py **/perf_*.py {FOLDERS}"
TEST, FIXTURE = r"^(?:async )?def test_\w+\(|^class Test\w+", r"^[ \t]*def test_\w+\([^)]{0,500}\bbenchmark\b"
CALLS = r"^(?:if __name__|for |while |with |[\w.]{1,200}\()|\A\s*\Z"
RUNNER = "python -m pytest --benchmark-only {path}"
SCRIPTS = (
    Declared(FILES, RUNNER, "pytest pytest-benchmark", FIXTURE, "codspeed", timed=True),
    Declared(FILES, "python -m pytest {path}", "pytest", TEST),
    Declared(FILES, "python {program} --debug-single-value --loops 1", "pyperf", "pyperf"),  # else in other processes
    Declared(FILES, "python {program}", "", CALLS, r"^setup\("),
)
NEED = re.compile(
    r"-r ?[A-Za-z0-9._/-]+|[A-Za-z0-9.][A-Za-z0-9._-]*(\[[A-Za-z0-9,._-]+\])?([<>=!~]=?[A-Za-z0-9.*,<>=!~]+)?"
)
LOCKS = (  # the tools are installed into .venv, where uv must not remove them again
    ("uv.lock", ("command -v uv || pip install uv==0.13.9", "uv sync --inexact")),
    ("poetry.lock", ("command -v poetry || pip install poetry==2.5.1", "poetry install")),
    ("pdm.lock", ("command -v pdm || pip install pdm==2.29.4", "pdm sync")),
    ("Pipfile.lock", ("command -v pipenv || pip install pipenv==2026.10.3", "pipenv sync --dev")),
)


def python_candidates(files: Files, folder: str) -> Iterator[Candidate]:
    """Return benchmark scripts, pytest benchmarks and the tests of a project."""
    here = files.inside(folder)

    def prepared(needs: str, path: str) -> tuple[str, ...]:
        inner = path.rpartition("/")[0]
        own = [f"-r {each}" for each in here.listed(f"{inner}/*requirements*.txt")] if inner else []
        return python_setup(files, folder, _needs([*needs.split(), *own]))

    yield from declared("Python", SCRIPTS, files, folder, prepared, {})
    tox = configparser.ConfigParser(interpolation=None, strict=False)
    with suppress(configparser.Error):
        tox.read_string(here.read("tox.ini"))
    needs = _needs([*tox.get("testenv", "deps", fallback="").splitlines(), "pytest"])
    locked = any(here.listed(lock) for lock, _ in LOCKS)
    setup, texts = python_setup(files, folder, () if locked else needs), " ".join(map(here.read, SETTINGS))
    case = [each for each in here.listed("**/*test*.py") if "(unittest.TestCase)" in here.read(each)]
    known = "pytest" in texts or here.listed("**/test_*.py") or here.listed("**/conftest.py")
    if "pytest-benchmark" in texts or "pytest_benchmark" in texts:
        command, what = "python -m pytest --benchmark-only", "pytest-benchmark is required"
        yield Candidate("Python", command, what, Kind.BENCHMARK, folder, folder, setup, timed=True)
    if known or case:
        command = shlex.join(["python", "-m", "pytest", *([] if known else filter(PLAIN.fullmatch, case))])
        yield Candidate("Python", command, "tests", Kind.TESTS, folder, folder, setup)


def python_setup(files: Files, folder: str, needs: Iterable[str] = ()) -> tuple[str, ...]:
    """Return shell lines that install a project and further requirements."""
    here = files.inside(folder)
    project = table_of(here.read("pyproject.toml"), tomllib.loads)
    groups = "".join(f" --group {name}" for name in GROUPS if name in subtable(project, "dependency-groups"))
    lines = next((list(known) for lock, known in LOCKS if here.listed(lock)), [])
    if lines and here.listed("uv.lock"):
        lines[-1] += groups
    elif not lines:
        lines += [f"pip install -r {name}" for name in REQUIREMENTS if here.read(name)]
        if "build-system" in project or "project" in project or here.read("setup.py"):
            extras = subtable(project, "project", "optional-dependencies")
            chosen = ",".join(name for name in GROUPS if name in extras)
            lines.append(f"pip install -e '.[{chosen}]'" if chosen else "pip install -e .")
        lines += ["pip install 'pip>=25.1'", f"pip install{groups}"] if groups else []  # pip 25.1 knows groups
    further = [need for need in dict.fromkeys(needs) if f"pip install {need}" not in lines and need != "."]
    return within(folder, [*lines, f"pip install {' '.join(further)}"] if further else lines)


def _needs(requirements: Iterable[str]) -> tuple[str, ...]:
    """Return the requirements that are safe arguments of ``pip install``, quoted for the shell."""
    safe = dict.fromkeys(filter(NEED.fullmatch, map(str.strip, requirements)))
    return tuple(need if need.startswith("-r") else shlex.quote(need) for need in safe)
