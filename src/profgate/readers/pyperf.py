"""pyperf's JSON: the values of every worker process of a benchmark."""

from profgate.model.profile import Facts, Profile
from profgate.model.source import SourceFile
from profgate.readers.containers import read_all, unwrap
from profgate.readers.json_text import Json, begins_object, decode, ends_hold, listing, mapping
from profgate.readers.results import Results, quantity_of, text

_UNITS = {"second": ("time", "s"), "byte": ("memory", "bytes")}


class PyperfReader:
    """Reads what pyperf writes with `-o`: a run for each worker process, the median of its values."""

    name = "pyperf"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        if begins_object(source) and ends_hold(source, b'"benchmarks"', b'"runs"', b'"perf_version"'):
            return "it is JSON with runs of benchmarks and a 'perf_version'"
        return None

    def read(self, source: SourceFile) -> Profile:
        """Times in nanoseconds or memory in bytes; runs that only calibrate hold none. Raises ProfileError."""
        where = source.name
        document = mapping(decode(read_all(unwrap(source)), where), where, "the document")
        common = mapping(document.get("metadata", {}), where, "'metadata'")
        results, first = Results(where), common
        for number, entry in enumerate(listing(document.get("benchmarks"), where, "'benchmarks'")):
            place = f"{where}: benchmark {number}"
            benchmark = mapping(entry, place, "it")
            # what all benchmarks share stands at the top alone
            metadata = {**common, **mapping(benchmark.get("metadata", {}), place, "'metadata'")}
            _add(results, benchmark, metadata, place)
            first = metadata if not number else first
        return results.profile(
            Facts(
                format=self.name,
                profiler="pyperf",
                profiler_version=text(first, "perf_version"),
                runtime=(text(first, "python_version") or "").partition(" ")[0] or None,
                cpu_model=text(first, "cpu_model_name"),
            )
        )


def _add(results: Results, benchmark: Json, metadata: Json, where: str) -> None:
    runs = listing(benchmark.get("runs"), where, "'runs'")
    name, unit = _UNITS.get(text(metadata, "unit") or "second", ("", text(metadata, "unit") or ""))
    for number, run in enumerate(runs):
        values = listing(mapping(run, where, "a run").get("values", []), where, "'values'")
        results.add(metadata.get("name"), quantity_of(unit, name), values, process=number)
