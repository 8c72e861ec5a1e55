"""pytest-benchmark's JSON: the rounds of each benchmark, which one process repeats."""

from profgate.model.profile import Facts, Profile
from profgate.model.source import SourceFile
from profgate.readers.containers import read_all, unwrap
from profgate.readers.json_text import Json, begins_object, decode, ends_hold, listing, mapping
from profgate.readers.results import Results, text, time_in

_TIME = time_in("s")


class PytestBenchmarkReader:
    """Reads what `pytest --benchmark-json` and `--benchmark-save-data` write: a run, the median of its rounds."""

    name = "pytest-benchmark"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        if begins_object(source) and ends_hold(source, b'"machine_info"', b'"benchmarks"'):
            return "it is JSON with benchmarks and 'machine_info'"
        return None

    def read(self, source: SourceFile) -> Profile:
        """Times in nanoseconds. Raises ProfileError."""
        where = source.name
        document = mapping(decode(read_all(unwrap(source)), where), where, "the document")
        results = Results(where)
        for number, entry in enumerate(listing(document.get("benchmarks"), where, "'benchmarks'")):
            _add(results, mapping(entry, where, f"benchmark {number}"), f"{where}: benchmark {number}")
        return results.profile(_facts(document, where))


def _add(results: Results, benchmark: Json, where: str) -> None:
    stats = mapping(benchmark.get("stats"), where, "'stats'")
    rounds = listing(stats.get("data", []), where, "'data'")
    name = text(benchmark, "fullname") or benchmark.get("name")
    results.add(name, _TIME, rounds or [stats.get("median", stats.get("mean"))], process=0)


def _facts(document: Json, where: str) -> Facts:
    machine = mapping(document.get("machine_info"), where, "'machine_info'")
    cpu = machine.get("cpu")
    return Facts(
        format=PytestBenchmarkReader.name,
        profiler="pytest-benchmark",
        profiler_version=text(document, "version"),
        runtime=text(machine, "python_version"),
        os=text(machine, "system"),
        architecture=text(machine, "machine"),
        cpu_model=text(cpu, "brand_raw") if isinstance(cpu, dict) else None,
    )
