"""The durations that ``profgate ranks record`` wrote, read like the results of any other tool."""

import numpy as np

from profgate.model.arrays import read_only
from profgate.model.durations_text import MARK, MOST_BYTES, durations_from_json
from profgate.model.profile import Configuration, Facts, FrameList, Measurements, Profile
from profgate.model.source import SourceFile
from profgate.model.units import Metric, MetricKind
from profgate.readers.json_text import begins_object


class DurationsReader:
    """Reads `profgate.durations/1`: one duration for each test of a run."""

    name = "durations"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        return "it states its schema" if begins_object(source) and MARK in source.head[:200] else None

    def read(self, source: SourceFile) -> Profile:
        """One measurement for each test, in the base unit of the file."""
        run = durations_from_json(source.read(MOST_BYTES), source.name)
        count = len(run.values)
        unknown = np.full(count, np.nan)
        return Profile(
            name=source.name,
            configuration=Configuration(),
            metrics=(Metric("time", run.unit, kind=MetricKind.TIMED),),
            frames=FrameList.of_names(list(run.values)),
            measurements=Measurements(
                frame=read_only(np.arange(count, dtype=np.int64)),
                amount=read_only(np.array(list(run.values.values()), dtype=np.float64)),
                size=read_only(unknown),
                exclusive=read_only(unknown.copy()),
                subtypes=[""] * count,
                order=read_only(np.zeros(count, dtype=np.int64)),
            ),
            periods=(None,),
            facts=Facts(format=self.name),
        )
