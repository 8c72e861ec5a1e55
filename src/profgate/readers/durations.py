"""The durations that ``profgate ranks record`` wrote, read like the results of any other tool."""

from profgate.model.durations_text import MARK, MOST_BYTES, durations_from_json
from profgate.model.profile import Facts, Profile
from profgate.model.source import SourceFile
from profgate.readers.json_text import begins_object
from profgate.readers.results import Results, time_in


class DurationsReader:
    """Reads `profgate.durations/1`: one duration for each test of a run."""

    name = "durations"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        return "it states its schema" if begins_object(source) and MARK in source.head[:200] else None

    def read(self, source: SourceFile) -> Profile:
        """One measurement for each test, in the base unit of the file."""
        run = durations_from_json(source.read(MOST_BYTES), source.name)
        results = Results(source.name, scenarios=False)
        for name, value in run.values.items():
            results.add(name, time_in(run.unit), [value])
        return results.profile(Facts(format=self.name))
