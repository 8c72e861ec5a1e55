"""Data that all strategies use: both sides of one workload and metric."""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

from numpy.typing import NDArray

from profgate.model.arrays import BoolArray, FloatArray, IntArray, means
from profgate.model.call_tree import CallTree
from profgate.model.frame_names import CLAIMED, is_library
from profgate.model.profile import Configuration, Facts
from profgate.model.reason import Reason
from profgate.model.record import Record, field
from profgate.model.units import Metric, MetricKind

Attachment = TypeVar("Attachment")


class Symbols(Record):
    """The symbols of one comparison, sorted by name, file and module. A symbol's number is its index.

    ``labels`` are the raw names from the target, and ``origins`` the raw files. Lines are displayed but never compared.
    ``several`` contains the lines of all functions that are one symbol because they have the same name and file; such a
    symbol has no line.
    """

    names: list[str]
    files: list[str | None]
    lines: list[int | None]
    modules: list[str | None]
    labels: list[str]
    origins: list[str | None] = field(default_factory=list)
    several: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.names)

    def is_claimed(self, symbol: int) -> bool:
        """Return whether a source map names the symbol. It is untrusted, and the code may be any other."""
        return bool(self.origins) and (self.origins[symbol] or "").startswith(CLAIMED)

    def libraries(self) -> list[bool]:
        """Return whether each symbol belongs to another project, by its name, file and module."""
        return list(map(is_library, self.labels, self.origins or self.files, self.modules))

    def texts(self) -> list[str]:
        """Return each symbol's name and file as text, such as ``f (pkg/a.py)``, in the notation of stack collapsers."""
        pairs = zip(self.names, self.files, strict=True)
        return [name if file is None else f"{name} ({file})" for name, file in pairs]


class DiffTree(CallTree):
    """The merged call tree of both sides. Values are int64 sums over the runs of a side, with one element per row.

    ``baseline_calls`` and ``target_calls`` count the calls of exactly the row's path (none for the root). They are None
    if a run of the side has no call counts; sampled profiles never have any. ``evidence`` is a bool array that marks
    the rows whose change is significant, or None if there are fewer than three runs per side. Its first row is for the
    inclusive values, and its second row is for the self values. ``run_self`` contains the self values by run and row,
    with the baseline runs first.
    """

    baseline_self: IntArray
    target_self: IntArray
    baseline_total: IntArray
    target_total: IntArray
    baseline_calls: IntArray | None = None
    target_calls: IntArray | None = None
    evidence: BoolArray | None = None
    run_self: IntArray | None = None


class LineCosts(NamedTuple):
    """Costs by run (baseline first) and executed line, sorted by symbol and line. All arrays are int64."""

    symbol: IntArray
    line: IntArray
    own: IntArray
    total: IntArray


class CallEdges(Record):
    """Pairs of caller and callee from formats without stacks, sorted by symbol. Values are sums over a side's runs.

    All arrays are int64. ``caller`` and ``callee`` are symbols, which are equal for direct recursion. ``*_total`` is
    the inclusive value of the callee when called by the caller, in stored units of the metric, and ``*_calls`` is the
    exact number of these calls. ``*_symbol_calls`` counts all calls of each symbol, including calls from outside the
    recording, which have no edge. ``run_calls`` contains the same counts by run and symbol, baseline runs first.
    """

    caller: IntArray
    callee: IntArray
    baseline_total: IntArray
    target_total: IntArray
    baseline_calls: IntArray
    target_calls: IntArray
    baseline_symbol_calls: IntArray
    target_symbol_calls: IntArray
    run_calls: IntArray | None = None


WHOLE = -1  # symbol of a result for the whole workload
LONGEST_PATH = 100  # maximum number of frames of a shown call path; longer paths are shortened in the middle
ELSEWHERE = -1  # job number of runs on another CPU model than the target


class Runs(Record):
    """The number of runs of each side, and the job that recorded each run.

    ``noise`` is the number of base runs of other commits. Runs with the same job number share the machine, the build
    and the memory layout. If the jobs are unknown, job numbers are None. Base jobs on another CPU model than the
    target's bound nothing: ``elsewhere`` is their number, and `ELSEWHERE` is the job number of the baseline there.
    """

    baseline: int
    target: int
    noise: int = 0
    baseline_jobs: tuple[int, ...] | None = None
    target_jobs: tuple[int, ...] | None = None
    noise_jobs: tuple[int, ...] | None = None
    elsewhere: int = 0

    def means(self, values: NDArray[Any]) -> tuple[Any, Any]:
        """Return the mean over the runs of each side. ``values`` has one row per run, with the baseline runs first."""
        return means(values[: self.baseline], 0), means(values[self.baseline :], 0)

    @property
    def base_jobs(self) -> tuple[int, ...]:
        """Job number of every base run; runs of other commits come first. `ELSEWHERE` is no base job.

        Number 0 is the job of the baseline. If the jobs are unknown, all runs of the baseline count as one job, and
        every other run counts as a separate job.
        """
        own = self.baseline_jobs or (0,) * self.baseline
        return (*(job + max(own, default=-1) + 1 for job in self.noise_jobs or range(self.noise)), *own)

    @property
    def base_job_count(self) -> int:
        """The number of jobs with which the target can be compared."""
        return len(set(self.base_jobs) - {ELSEWHERE})


class Note(Record):
    """A limitation, which prevents the comparison if ``blocks`` is true."""

    reason: Reason
    blocks: bool = False


class Observations(Record):
    """Repeated records of both sides by symbol. A profile with one value per run has no such records.

    Each array has one element per record. The arrays ``symbol``, ``side`` (0 = baseline, 1 = target), ``run`` (baseline
    runs first) and ``subtype`` (an index into ``subtypes``) are int64. The arrays ``amount`` and ``exclusive``, both in
    the metric's unit, and ``size`` (NaN = unknown) are float64. If no record has an exclusive value, ``exclusive``
    equals ``amount``. Otherwise, ``exclusive`` is 0 for records without an exclusive value.
    """

    symbol: IntArray
    side: IntArray
    run: IntArray
    amount: FloatArray
    exclusive: FloatArray
    size: FloatArray
    subtype: IntArray
    subtypes: list[str]


class Causes(NamedTuple):
    """The symbols that explain each symbol's growth and fall, as int64 arrays.

    ``changed`` contains the symbols whose source changed and that can explain other changes, and ``library`` those that
    belong to other projects.
    """

    grown: IntArray
    fallen: IntArray
    changed: frozenset[int] = frozenset()
    library: frozenset[int] = frozenset()


class Sampling(Record):
    """The value of one sample, in stored units of the metric.

    ``period`` is stated by the profiles and equal in all runs, or None. ``values`` is a float64 array with one element
    per run of both sides, or None if the value is unknown in a run.
    """

    period: int | None = None
    values: FloatArray | None = None


class Noise(Record):
    """The costs of base runs of other commits, as in `RunCosts`. The history contains no ``active_total``."""

    self_value: IntArray
    run_totals: IntArray
    active_total: IntArray | None = None
    sample_values: FloatArray | None = None


class NameTable(Record, eq=False, kw_only=True):
    """The symbols of both sides. The boolean array ``present`` marks the symbols that occur on each side."""

    symbols: Symbols
    present: BoolArray
    facts: tuple[Facts, Facts] = (Facts(), Facts())


class RunCosts(NameTable, kw_only=True):
    """The costs of all runs of a workload in one metric.

    ``self_value``, ``total_value`` (which counts recursive calls once) and ``active_total`` (the total without the cost
    of waiting functions) are int64 arrays by run and symbol, with the baseline runs first. ``run_totals`` is an int64
    array with one element per run. ``tree`` exists for formats with stacks, and ``edges`` for formats that contain only
    callers and callees.
    """

    metric: Metric
    runs: Runs
    self_value: IntArray
    total_value: IntArray
    active_total: IntArray
    run_totals: IntArray
    sampling: Sampling = Sampling()
    tree: DiffTree | None = None
    edges: CallEdges | None = None

    @property
    def drawable(self) -> bool:
        """Whether call paths are known or can be estimated from calls."""
        return self.tree is not None or (self.edges is not None and len(self.edges.caller) > 0)


class Comparison(RunCosts, kw_only=True):
    """Both sides of one workload and metric, which are the input of every strategy.

    The boolean array ``waiting`` marks the functions that only wait. ``lines`` exists if all profiles contain executed
    lines. ``attachments`` contains data for few strategies, at most one object of a type. ``renamed`` maps a symbol to
    the older name and file that it also represents. ``files`` maps the name of a file in the baseline to its name in
    the target.
    """

    workload: str
    configuration: Configuration
    noise: Noise
    waiting: BoolArray
    lines: LineCosts | None = None
    attachments: tuple[object, ...] = ()
    notes: tuple[Note, ...] = ()
    warnings: tuple[Reason, ...] = ()
    renamed: Mapping[int, tuple[str, str | None]] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    def attached(self, kind: type[Attachment]) -> Attachment | None:
        """Return the attachment of this type, or None."""
        return next((part for part in self.attachments if isinstance(part, kind)), None)

    def path_to(self, node: int) -> tuple[str, ...]:
        """Return the function names from the root to a node of the tree. A long path is shortened in the middle."""
        tree, path = self.tree, []
        while tree is not None and node > 0:
            path.append(self.symbols.names[tree.symbol[node]])
            node = int(tree.parent[node])
        path.reverse()
        half = LONGEST_PATH // 2
        cut = f"({len(path) - 2 * half} frames)"
        return tuple(path) if len(path) <= LONGEST_PATH else (*path[:half], cut, *path[-half:])


def sample_counts(comparison: Comparison) -> tuple[float, float] | None:
    """Return the number of samples of each side, or None if it is unknown. The value of a sample may differ by run."""
    metric, values, noise = comparison.metric, comparison.sampling.values, comparison.noise.sample_values
    if metric.kind is not MetricKind.SAMPLED:
        return None
    scale: FloatArray | float = metric.scale
    if values is not None and noise is not None and (values > 0).all() and (noise > 0).all():
        scale = 1.0 / values
    elif comparison.sampling.period is not None and comparison.sampling.period > 0:
        scale = 1.0 / comparison.sampling.period
    elif metric.unit != "samples":
        return None
    counts, split = comparison.run_totals * scale, comparison.runs.baseline
    return float(counts[:split].sum()), float(counts[split:].sum())


class RunValues(Record):
    """The costs of one comparison by run, in stored units of the metric.

    The float64 arrays have one element per run: first the ``earlier`` runs of other base jobs, newest first, then the
    baseline runs, then the target runs. ``totals`` contains the totals as they were recorded. ``own`` and ``inclusive``
    map a symbol to its self costs and its total costs. Both are divided by the common factor of the symbol's other
    locations in each run. ``broad`` contains the total costs of functions that account for nearly the whole run. These
    functions are not tested, and their costs are divided by ``factors``, the common factor of all locations. If
    ``waiting`` is true, functions that only wait are not part of total costs.
    """

    totals: FloatArray
    own: Mapping[int, FloatArray]
    inclusive: Mapping[int, FloatArray]
    broad: Mapping[int, FloatArray]
    factors: FloatArray
    earlier: int = 0
    waiting: bool = False
