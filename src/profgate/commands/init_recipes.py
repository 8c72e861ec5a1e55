"""How programs of a language are recorded in a workflow: what tells the language, and the lines around the command."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Recipe:
    """What tells a language, the command to begin with, and the lines around it; ``COMMAND`` stands for the command."""

    language: str
    marks: tuple[str, ...]
    command: str
    lines: tuple[str, ...]


def _loop(line: str, *before: str) -> tuple[str, ...]:
    return (*before, "mkdir -p profiles/main", "for run in 1 2 3 4 5; do", f"  {line}", "done")


RECIPES = (
    Recipe(
        "Python",
        ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "tox.ini", "tox.toml", "noxfile.py", "Pipfile"),
        "python -m pytest",
        _loop(
            'py-spy record --format raw --rate 200 --output "profiles/main/run-$run.folded" -- COMMAND',
            "pip install py-spy",
        ),
    ),
    Recipe(
        "Go",
        ("go.mod",),
        "go test -run '^$' -bench . .",
        _loop('COMMAND -cpuprofile "$PWD/profiles/main/run-$run.pb.gz"'),
    ),
    Recipe(
        "Node",
        ("package.json",),
        "bench.js",
        _loop('node --cpu-prof --cpu-prof-dir=profiles/main --cpu-prof-name="run-$run.cpuprofile" COMMAND'),
    ),
    Recipe(
        "Rust",
        ("Cargo.toml",),
        "cargo bench",
        _loop(
            'perf record -F 400 -g -o perf.data -- COMMAND && perf script -i perf.data > "profiles/main/run-$run.perf"',
            "sudo sysctl -w kernel.perf_event_paranoid=-1",
            "cargo bench --no-run",
        ),
    ),
    Recipe(
        "native code",
        ("CMakeLists.txt", "Makefile", "meson.build"),
        "./bench",
        _loop(
            'perf record -F 400 -g -o perf.data -- COMMAND && perf script -i perf.data > "profiles/main/run-$run.perf"',
            "sudo sysctl -w kernel.perf_event_paranoid=-1",
        ),
    ),
)
