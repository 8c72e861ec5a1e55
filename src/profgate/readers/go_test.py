"""The lines of ``go test -json``: what happened to each test, and how long it took."""

import re
from collections import defaultdict

from profgate.model.profile import Facts, Profile
from profgate.model.source import SourceFile
from profgate.readers.json_lines import objects_of
from profgate.readers.json_text import begins_object, wrong
from profgate.readers.results import Results, measured, text, time_in

# the format is that of `go doc test2json`
_SECONDS = time_in("s")
_FIRST = re.compile(rb'"Action" ?: ?"(?:start|run|output|pause|cont|build-output|build-fail|pass|fail|skip)"')


class GoTestReader:
    """Reads what `go test -json -count=1 ./...` prints: a time for each test; of subtests alone, where there are."""

    name = "go-test"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        start = source.head.split(b"\n", 1)[0]
        return "its first line is an action of a test" if begins_object(source) and _FIRST.search(start) else None

    def read(self, source: SourceFile) -> Profile:
        """Seconds of all tests that ended, to a hundredth as Go gives them. Raises ProfileError."""
        times: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        results, ended, cached, skipped = Results(source.name, scenarios=False), True, 0, 0
        for where, event in objects_of(source):
            package, test, action = text(event, "Package") or "", text(event, "Test"), text(event, "Action")
            cached += action == "output" and "(cached)" in (text(event, "Output") or "")
            if test is None:
                ended = action in {"pass", "fail", "skip", "build-fail"} if action else ended
                continue
            skipped += action == "skip"
            if action in {"pass", "fail"}:
                if "Elapsed" not in event:
                    raise wrong(where, "a test ended without its time")
                times[package, test].append(measured(event["Elapsed"], where))
        # a test's time holds that of its subtests
        parents = {(package, test[:place]) for package, test in times for place in _slashes(test)}
        for (package, test), seconds in times.items():
            if (package, test) not in parents:
                results.add(".".join(filter(None, (package, test))), _SECONDS, seconds)
        results.warnings["packages whose results and times are old, from Go's cache; add -count=1"] += cached
        results.warnings["tests skipped"] += skipped
        results.warnings["ends within a package: the run was cut off"] += not ended
        return results.profile(Facts(format=self.name, profiler="go test"))


def _slashes(test: str) -> list[int]:
    return [place for place, letter in enumerate(test) if letter == "/"]
