"""hyperfine's JSON: wall-clock times of whole commands."""

from profgate.model.profile import Facts, Profile
from profgate.model.source import SourceFile
from profgate.readers.containers import read_all, unwrap
from profgate.readers.json_text import Json, begins_object, decode, ends_hold, listing, mapping, wrong
from profgate.readers.results import Results, amount_of, time_in

_TIME = time_in("s")
_PEAK = amount_of("peak memory", "bytes")


class HyperfineReader:
    """Reads what `hyperfine --export-json` writes: every run of each command, a benchmark a command."""

    name = "hyperfine"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        if begins_object(source) and ends_hold(source, b'"results"', b'"command"', b'"median"'):
            return "it is JSON with results of commands"
        return None

    def read(self, source: SourceFile) -> Profile:
        """Times in nanoseconds, and peak memory in bytes where it was recorded. Raises ProfileError."""
        where = source.name
        document = mapping(decode(read_all(unwrap(source)), where), where, "the document")
        results = Results(where)
        for number, entry in enumerate(listing(document.get("results"), where, "'results'")):
            _add(results, mapping(entry, where, f"result {number}"), f"{where}: result {number}")
        return results.profile(Facts(format=self.name, profiler="hyperfine"))


def _add(results: Results, result: Json, where: str) -> None:
    name = result.get("command")
    times = listing(result.get("times"), where, "'times'")
    if not times:
        raise wrong(where, "has no 'times'")
    results.add(name, _TIME, times)
    results.add(name, _PEAK, listing(result.get("memory_usage_byte", []), where, "'memory_usage_byte'"))
    codes = listing(result.get("exit_codes", []), where, "'exit_codes'")
    results.warnings["runs that ended with an error and are compared all the same"] += sum(code != 0 for code in codes)
