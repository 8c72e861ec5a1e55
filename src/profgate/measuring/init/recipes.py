"""Recipes for recording profiles in a workflow. There is one recipe per language."""

import math
import os
import re
import shlex
from collections.abc import Callable, Sequence

from profgate.errors import ProfgateError
from profgate.io.processes import output_of
from profgate.model.record import Record
from profgate.model.source import JFR_ARGUMENTS, JFR_EVENTS, JFR_PRIVATE

SAMPLES = 40_000  # required total number of samples in the runs of one side of a comparison
RUN_SAMPLES, RUN_SECONDS = 500, 2.0  # many short runs show more of what differs between runs than few long ones
FEWEST_RUNS, RUNS = 5, 20
LONGEST_RECORDING = 120.0  # seconds of all runs of a side, if there are more than the fewest
BUDGET = 5  # smallest budget of `profgate confirm` in minutes
PERF = (
    'perf --version || sudo apt-get install -y linux-tools-common "linux-tools-$(uname -r)"',
    "sudo sysctl -w kernel.perf_event_paranoid=-1",
)
PY_SPY = (
    "pip install --require-hashes --target .py-spy -r /dev/stdin << 'END' # Linux on x86-64 and Arm",
    "py-spy==0.4.3 \\",
    "  --hash=sha256:8a4277225f470d394a85cca0cdd944bef87f0097b6f20150a6dd3ac2e92806b8 \\",
    "  --hash=sha256:bbcec46930d464b3bfc142d6d02ade4dd8ad5627823263b3eff0280e80c7c132",
    "END",
)
REPEAT = "bench/repeat.c"  # a file that calls the main function of a program several times
REPEATED = "env LD_PRELOAD={}.so REPEATS=1 "
SHOWN = "--config \"target.'cfg(all())'.runner='echo'\""  # cargo prints the path of the program instead of running it
# these start other programs
STARTERS = frozenset(
    "npm npx yarn pnpm make uv poetry pdm pytest sh bash mvn mvnw gradle gradlew".split()  # noqa: SIM905 - many names
)
PROFILERS = {  # the profilers that are not part of the language, and how to install them
    "Python": ("py-spy", "pip install py-spy"),
    "Rust": ("perf", "on Debian: apt-get install linux-perf"),
    "native code": ("perf", "on Debian: apt-get install linux-perf"),
    "Java": ("jfr", "install a JDK"),
}


class Recipe(Record):
    """Description of how to record programs in one language.

    ``marks`` are names of files that identify the language, ``endings`` are those of its sources, ``programs`` matches
    the names of its programs, ``example`` is a command for messages, and ``rate`` is the highest rate of the profiler
    in samples per second. ``machine`` prepares a runner, and ``setup`` a checkout before the project's requirements are
    installed. ``record`` returns the lines that record one run of a command, at a rate, into the folder of its
    workload. In a workflow, the lines of ``activate`` come first, which make available what ``setup``
    installed. The called workflow does what ``machine``, ``setup`` and ``activate`` do.
    """

    language: str
    marks: tuple[str, ...]
    endings: tuple[str, ...]
    programs: str
    example: str
    rate: int
    record: Callable[[str, int, str], tuple[str, ...]]
    machine: tuple[str, ...] = ()
    setup: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    advice: str = ""
    activate: tuple[str, ...] = ()


class Extent(Record):
    """Extent of a recording: samples per second, and number of runs on each side of a comparison.

    ``seconds`` is the measured duration of the command, or None. ``budget`` are the minutes for `profgate confirm`.
    """

    rate: int
    runs: int
    seconds: float | None = None
    budget: int = BUDGET


def samples_of(rate: int) -> float:
    """Return the number of samples that one run should have, at a rate per second, with room for slower machines."""
    return max(1.2 * RUN_SAMPLES, RUN_SECONDS * rate)


def extent_for(most: int, seconds: float | None, run: float = 0.0) -> Extent:
    """Return the rate and the number of runs that give enough samples, if possible.

    ``most`` is the highest rate of the profiler, ``seconds`` is the duration of the command, and ``run`` that of the
    whole recording. There are fewer than `RUNS` runs if they are long. The budget allows all runs of both commits on a
    machine that is 25 % slower.
    """
    if seconds is None:
        return Extent(most, RUNS)
    rate = min(most, max(100, 100 * math.ceil(2 * SAMPLES / FEWEST_RUNS / seconds / 100)))
    fitting = min(RUNS, math.ceil(SAMPLES / (rate * seconds)), int(LONGEST_RECORDING / max(run, 0.001)))
    runs = max(FEWEST_RUNS, fitting)
    return Extent(rate, runs, seconds, max(BUDGET, math.ceil(2 * runs * 1.25 * run / 60)))


def _python(command: str, rate: int, folder: str) -> tuple[str, ...]:
    """Return shell lines that run the sampling profiler of Python 3.15 or newer if available, and py-spy otherwise.

    Both succeed if the program fails, and a program that ends early would count as faster.
    """
    program, _, rest = command.partition(" ")
    run = f"{folder}/run-$PROFGATE_RUN"
    spy = [f"py-spy record --format speedscope --rate {rate} \\", f'  --output "{run}.json" -- {command}']
    once = f'if test "$PROFGATE_RUN" = 0; then {command}; fi # the profilers do not report whether it fails'
    lines = [f'mkdir -p "{folder}"', once]
    if program not in {"python", "python3"} or (rest.startswith("-") and not rest.startswith("-m ")):
        return (*lines, *spy)
    return (
        *lines,
        "if python -c 'import profiling.sampling' 2> /dev/null; then # Python 3.15 and newer",
        f"  python -m profiling.sampling run --binary --mode cpu --sampling-rate {rate} \\",
        f'    --output "{run}.bin" {rest}',
        "else",
        *(f"  {line}" for line in spy),
        "fi",
    )


def _go(command: str, _rate: int, folder: str) -> tuple[str, ...]:  # always 100 samples per second of CPU time
    run = f"{folder}/run-$PROFGATE_RUN"
    return (f'mkdir -p "{folder}"', f'{command} -o bench.test -cpuprofile "{run}.pb.gz"')


def _node(command: str, rate: int, folder: str) -> tuple[str, ...]:
    """Return shell lines for a file, with or without ``node`` and assignments to environment variables before it.

    The folder states the run, because Node writes a file for each worker thread and child process.
    """
    run = f"{folder}/run-$PROFGATE_RUN"
    start = re.match(r"(?:[A-Z_][A-Z0-9_]*=\S* )*", command)
    variables = start[0] if start else ""
    words = command.removeprefix(variables).removeprefix("node ")
    return (
        f"{variables}node --cpu-prof --cpu-prof-interval {round(1_000_000 / rate)} \\",
        f'  --cpu-prof-dir="{run}" {words}',
    )


def _native(command: str, rate: int, folder: str) -> tuple[str, ...]:
    run = f"{folder}/run-$PROFGATE_RUN"
    repeat = re.match(r"env LD_PRELOAD=(\S{1,300})\.so ", command)
    return (
        f'mkdir -p "{folder}"',
        *([f"cc -shared -fPIC -O2 {repeat[1]} -o {repeat[1]}.so -ldl"] if repeat else []),
        f"perf record -F {rate} -g -o perf.data -- {command}",
        f'perf script -i perf.data > "{run}.perf"',
    )


def _rust(command: str, rate: int, folder: str) -> tuple[str, ...]:
    """Return shell lines that build the program and run it under perf, without cargo.

    The command may start with `REPEATED`.
    """
    loop = found[0] if (found := re.match(r"env LD_PRELOAD=\S{1,300} REPEATS=\d{1,12} ", command)) else ""
    build, _, words = command.removeprefix(loop).partition(" -- ")
    if build.startswith("cargo run"):  # a profile of cargo would contain cargo itself
        shown = build.replace("cargo run", f"cargo run --quiet {SHOWN}", 1)
        return (f"program=$({shown})", *_native(f'{loop}"$program" {words}'.rstrip(), rate, folder))
    cargo = re.match(r"(?:RUSTC_BOOTSTRAP=1 )?cargo (bench|test)\b", build)
    if cargo is None:
        return _native(command, rate, folder)
    option = " --bench" if cargo[1] == "bench" else ""
    built = f"{build} --no-run 2>&1 | sed -n 's/.*Executable .*(\\(.*\\))$/\\1/p' | head -n 1"
    return (f"program=$({built})", *_native(f'{loop}"$program"{option} {words}'.rstrip(), rate, folder))


def _java(command: str, _rate: int, folder: str) -> tuple[str, ...]:
    """Return shell lines that make a flight recording of a program. It takes 100 samples per second."""
    run = f"{folder}/run-$PROFGATE_RUN"
    off = "".join(f"{event}#enabled=false," for event in JFR_PRIVATE)
    option = f"-XX:StartFlightRecording=settings=profile,jdk.ObjectAllocationSample#throttle=50/s,{off}filename="
    line = f'java "{option}$PWD/run.jfr" {command.removeprefix("java ")}'
    convert = f"jfr print --json --stack-depth 1024 --events {','.join(JFR_EVENTS)} run.jfr > run.json"
    # half of the text is indentation; arguments of the program may contain secrets
    smaller = f'sed -E \'s/^ *//; /^"({"|".join(JFR_ARGUMENTS)})"/d\' run.json | gzip > "{run}.jfr.json.gz"'
    return (f'mkdir -p "{folder}"', line, convert, smaller)


RECIPES = (
    Recipe(
        "Python",
        ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "tox.ini", "tox.toml", "noxfile.py", "Pipfile"),
        (".py",),
        r"python[0-9.]*",
        "python benchmarks/parse.py",
        1000,  # py-spy is not reliable at higher rates
        _python,
        setup=("python -m venv .venv", ". .venv/bin/activate", *PY_SPY),
        activate=(". .venv/bin/activate", 'PATH="$PWD/.py-spy/bin:$PATH"'),
    ),
    Recipe(
        "Go",
        ("go.mod",),
        (".go",),
        "go",
        "go test -bench Parse -benchtime 100x ./parse",
        100,
        _go,
        advice="Go takes 100 samples a second; a fixed number of iterations makes the work of both sides equal",
    ),
    Recipe(
        "Node",
        ("package.json",),
        (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx"),
        r"node(js)?",
        "node bench/parse.js",
        1000,
        _node,
    ),
    Recipe(
        "Rust",
        ("Cargo.toml",),
        (".rs",),
        "cargo",
        "cargo bench --bench parse",
        999,
        _rust,
        machine=PERF,
        env=(
            ("RUSTFLAGS", "-Cforce-frame-pointers=yes"),
            ("RUST_BACKTRACE", "0"),  # tests of panics would read debugging information most of the time
            ("CARGO_PROFILE_RELEASE_DEBUG", "true"),
            ("CARGO_PROFILE_BENCH_DEBUG", "true"),
        ),
    ),
    Recipe(
        "Java",
        ("pom.xml", "build.gradle", "build.gradle.kts"),
        (".java", ".kt"),
        "java",
        "java -cp target/classes bench/Parse.java",
        100,
        _java,
        advice="a flight recording takes 100 samples a second",
    ),
    Recipe(
        "native code",
        ("CMakeLists.txt", "Makefile", "makefile", "GNUmakefile", "meson.build"),
        (".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"),
        "(?!)",  # any other program
        "build/bench/parse",
        999,
        _native,
        machine=PERF,
    ),
)


def recipe_of(command: str) -> Recipe | None:
    """Return the recipe of the language that a command starts, or None if the program is of no known language."""
    program = command.split(" ", 1)[0].rpartition("/")[2]
    return next((recipe for recipe in RECIPES if re.fullmatch(recipe.programs, program)), None)


def record_command(program: Sequence[str]) -> list[str]:
    """Return a command that runs a program below the profiler for its language.

    A command that names PROFGATE_OUT, or only starts other programs, must store profiles itself and stays unchanged.
    Raises ProfgateError if the profiler is not installed, or if perf may not record.
    """
    name = program[0].rpartition("/")[2]
    if name in STARTERS or any("PROFGATE_OUT" in word for word in program):
        return list(program)
    recipe = recipe_of(name) or RECIPES[-1]
    language, words = recipe.language, ["node" if recipe.language == "Node" else program[0], *program[1:]]
    if language == "Go" and "-bench" not in " ".join(words):
        raise ProfgateError(
            shlex.join(program)[:200], "is not a benchmark; write go test -run '^$' -bench . -benchtime 100x"
        )
    profiler, installed = PROFILERS.get(language, ("true", ""))
    # Python 3.15 has a profiler of its own
    python = f"test '{language}' = Python && {shlex.quote(program[0])} -c 'import profiling.sampling'"
    try:
        output_of(["sh", "-c", f"command -v {profiler} || {{ {python}; }}"], ".", {}, 30.0)
    except ProfgateError as error:
        what = f"is not installed; {installed}, or let the command store profiles in PROFGATE_OUT"
        raise ProfgateError(profiler, what) from error
    if profiler == "perf":
        output_of(["perf", "record", "-o", os.devnull, "--", "true"], ".", {}, 30.0)  # fails without the right to
    return ["sh", "-ec", "\n".join(recipe.record(shlex.join(words), recipe.rate, "$PROFGATE_OUT/main"))]
