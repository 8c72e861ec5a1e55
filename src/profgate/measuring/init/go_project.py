"""Commands of Go modules: the benchmarks of a package, and its tests."""

import re
import shlex
from collections import defaultdict
from collections.abc import Iterator

from profgate.measuring.init.candidates import MOST, PLAIN, Candidate, Kind, within
from profgate.measuring.init.repository_files import Files

BENCHMARK = re.compile(r"^func (Benchmark\w{0,80})\(\w+ \*testing\.B\)", re.MULTILINE)


def go_candidates(files: Files, folder: str) -> Iterator[Candidate]:
    """Return one command per package, as Go profiles. It names its benchmarks, so that a new one changes no total."""
    here = files.inside(folder)
    nested = tuple(f"{inner}/" for inner in here.projects("go.mod") if inner != ".")
    benchmarks, tested = defaultdict[str, list[str]](list), defaultdict[str, int](int)
    for path in here.listed("**/*_test.go"):
        text = here.read(path)
        place = f"./{path.rpartition('/')[0]}" if "/" in path else "."
        tagged = re.search(r"^//go:build (?!.*(?:go1|linux|unix|amd64|!))", text, re.MULTILINE)  # not built by default
        if not path.startswith(nested) and PLAIN.fullmatch(place) and not tagged:
            benchmarks[place] += BENCHMARK.findall(text)
            tested[place] += len(re.findall(r"^func Test\w{0,80}\(\w+ \*testing\.T\)", text, re.MULTILINE))
    setup = within(folder, ["go mod download"])
    for package, names in sorted(benchmarks.items()):
        where = f"{package} of {folder}" if folder != "." else package
        if names:
            chosen = "|".join(names[:MOST])
            timed = f"go test -run '^$' -bench '^({chosen})$' -benchtime 1000x {shlex.quote(package)}"
            place = f"{len(names)} benchmark{'s' * (len(names) > 1)} in {where}"
            yield Candidate("Go", timed, place, Kind.BENCHMARK, folder, folder, setup, len(names))
        if tested[package]:
            command = f"go test -count 1 {shlex.quote(package)}"
            yield Candidate("Go", command, f"tests in {where}", Kind.TESTS, folder, folder, setup, tested[package])
