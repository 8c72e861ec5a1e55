"""Commands of Go modules: the benchmarks of a package, and its tests."""

import re
import shlex
from collections import defaultdict
from collections.abc import Iterator

from profgate.measuring.init.candidates import PLAIN, Candidate, Kind, joined, spread, within
from profgate.measuring.init.repository_files import Files

FUNCTION = re.compile(r"^func ((?:Benchmark|Test)\w{0,80})\(\w+ \*testing\.[BT]\)", re.MULTILINE)
TAGGED = re.compile(r"^//go:build (?!.*(?:go1|linux|unix|amd64|!))", re.MULTILINE)  # not built by default


def go_candidates(files: Files, folder: str) -> Iterator[Candidate]:
    """Return one command per package, as Go profiles. It names its benchmarks, so that a new one changes no total."""
    here = files.inside(folder)
    nested = tuple(f"{inner}/" for inner in here.projects("go.mod") if inner != ".")
    found = defaultdict[tuple[str, Kind], list[str]](list)
    for path in here.listed("**/*_test.go"):
        text, package = here.read(path), f"./{path.rpartition('/')[0]}".removesuffix("/")
        if not path.startswith(nested) and PLAIN.fullmatch(package) and not TAGGED.search(text):
            for name in FUNCTION.findall(text):
                found[package, Kind.TESTS if name.startswith("Test") else Kind.BENCHMARK].append(name)
    for (package, kind), names in sorted(found.items()):
        chosen = f"-run '^$' -bench '^({'|'.join(spread(names))})$' -benchtime 1000x"
        command = f"go test {chosen if kind is Kind.BENCHMARK else '-count 1'} {shlex.quote(package)}"
        place = f"{len(names)} functions such as {names[0]} in {joined(folder, package)}"
        setup = within(folder, ["go mod download"])
        yield Candidate("Go", command, place, kind, folder, folder, setup, len(names))
