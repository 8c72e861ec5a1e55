"""Functions of Python's sampling profiler, from forms that count its samples by function instead of by stack."""

from dataclasses import dataclass, field

from profgate.model.profile import PYTHON_SAMPLING, Facts, FrameList, Profile
from profgate.model.units import Metric
from profgate.readers.builders import call_graph
from profgate.readers.folded import unnumbered
from profgate.readers.python_sampling import NO_FILE


@dataclass
class SampledFunctions:
    """A row for each function, over all of its lines.

    Its own samples are exact. The file counts the samples with a line anywhere in their stacks: those of several lines
    of one function are added up, at most to all samples, so that the total of a recursive function is an upper bound.
    """

    numbers: dict[tuple[str, str], int] = field(default_factory=dict)
    lines: list[int | None] = field(default_factory=list)
    own: list[int] = field(default_factory=list)
    total: list[int] = field(default_factory=list)
    edges: dict[tuple[int, int], int] = field(default_factory=dict)

    def number(self, file: str, line: int, name: str) -> int:
        """The row of the function that has this line."""
        row = self.numbers.setdefault((file, unnumbered(file, name)), len(self.own))
        if row == len(self.own):
            self.lines.append(None)
            self.own.append(0)
            self.total.append(0)
        first = self.lines[row]
        if line > 0 and (first is None or line < first):
            self.lines[row] = line
        return row

    def add(self, row: int, own: int, total: int) -> None:
        """Add the samples of a line of the function."""
        self.own[row] += own
        self.total[row] += total

    def add_edge(self, caller: int, callee: int, samples: int) -> None:
        """Add the samples in which a line called another."""
        self.edges[caller, callee] = self.edges.get((caller, callee), 0) + samples

    def profile(self, where: str, reader: str, interval: int | None, mode: str | None = None) -> Profile:
        """A call graph in samples, read by ``reader``; the interval in microseconds. Calls are unknown, and 0."""
        names = list(self.numbers)
        most = sum(self.own)
        return Profile(
            name=where,
            metrics=(Metric("samples", "samples"),),
            frames=FrameList(
                [name or "[unknown]" for _, name in names],
                [None if file in {NO_FILE, ""} else file for file, _ in names],
                self.lines,
                [None] * len(names),
            ),
            graph=call_graph(
                own=self.own,
                total=[min(total, most) for total in self.total],
                calls=[0] * len(self.own),
                edges=self.edges,
                edge_total=[min(samples, most) for samples in self.edges.values()],
                edge_calls=[0] * len(self.edges),
            ),
            periods=(1,),
            facts=Facts(
                format=reader,
                profiler=PYTHON_SAMPLING,
                runtime="python",
                rate=1e6 / interval if interval else None,
                mode=mode,
            ),
        )
