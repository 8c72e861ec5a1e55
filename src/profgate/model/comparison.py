"""Both sides of one workload and metric, prepared for all strategies."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from profgate.model.arrays import BoolArray, FloatArray, IntArray, RowArray
from profgate.model.cost_models import CostModels
from profgate.model.durations import DurationTable
from profgate.model.profile import Configuration, Facts
from profgate.model.reason import Reason
from profgate.model.units import Metric


@dataclass(frozen=True, slots=True)
class Symbols:
    """The symbols of one comparison, sorted by (name, file, module); a symbol's number is its index.

    A module known in two versions is shown as ``old -> new``. ``labels`` are the raw names from the target. Lines are
    displayed but never compared.
    """

    names: list[str]
    files: list[str | None]
    lines: list[int | None]
    modules: list[str | None]
    labels: list[str]

    def __len__(self) -> int:
        return len(self.names)

    def texts(self) -> list[str]:
        """Name and file as one text, ``f (pkg/a.py)``, in the notation of stack collapsers."""
        pairs = zip(self.names, self.files, strict=True)
        return [name if file is None else f"{name} ({file})" for name, file in pairs]


@dataclass(frozen=True, slots=True, eq=False)
class Repeats:
    """The spread over three or more runs per side, float64[2, row]: first row inclusive, second row self.

    ``value_error`` is the standard error of the difference of the mean values.
    """

    value_error: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class DiffTree:
    """The merged calling context tree of both sides; values are sums over the runs of a side.

    Rows are in level order: row 0 is the root (parent -1, symbol -1), parents precede their children, siblings are
    adjacent and ordered by symbol. int32[row]: parent, symbol, depth. int64[row]: self and total of both sides. ``pre``
    int64[row] is the row's position in pre-order, ``size`` int64[row] the number of rows in its subtree.
    ``baseline_calls`` and ``target_calls`` int64[row] count the calls of exactly that path (none for the root); they
    are None if a run of the side has no call counts, as in all sampled profiles. ``repeats`` is None with too few runs.
    ``run_self`` int64[run, row] is the self value of each run, baseline runs first.
    """

    parent: RowArray
    symbol: RowArray
    depth: RowArray
    baseline_self: IntArray
    target_self: IntArray
    baseline_total: IntArray
    target_total: IntArray
    pre: IntArray
    size: IntArray
    baseline_calls: IntArray | None = None
    target_calls: IntArray | None = None
    repeats: Repeats | None = None
    run_self: IntArray | None = None


@dataclass(frozen=True, slots=True, eq=False)
class CallEdges:
    """Caller and callee pairs of formats without stacks, ordered by both; values are sums over the runs of a side.

    ``caller`` and ``callee`` int64[edge] are symbols (equal for recursion). int64[edge] for each side: the callee's
    inclusive value on behalf of the caller in stored units of the metric, and the exact call count. ``*_symbol_calls``
    int64[symbol] count all calls of a symbol, including calls from outside the recording, which have no edge.
    """

    caller: IntArray
    callee: IntArray
    baseline_total: IntArray
    target_total: IntArray
    baseline_calls: IntArray
    target_calls: IntArray
    baseline_symbol_calls: IntArray
    target_symbol_calls: IntArray


@dataclass(frozen=True, slots=True)
class Runs:
    """The number of runs of each side, and the job that recorded each run; noise = base runs of other commits.

    Runs whose jobs have the same number share machine, build and memory layout. None: the profiles of this side do not
    state their jobs, and every run counts as a separate job.
    """

    baseline: int
    target: int
    noise: int = 0
    baseline_jobs: tuple[int, ...] | None = None
    target_jobs: tuple[int, ...] | None = None
    noise_jobs: tuple[int, ...] | None = None

    @property
    def base_jobs(self) -> tuple[int, ...]:
        """The job number of every base run, runs of the baseline first; numbers start at 0."""
        own, others = self.baseline_jobs or range(self.baseline), self.noise_jobs or range(self.noise)
        jobs = [*((0, job) for job in own), *((1, job) for job in others)]
        numbers = {job: number for number, job in enumerate(dict.fromkeys(jobs))}
        return tuple(numbers[job] for job in jobs)


@dataclass(frozen=True, slots=True)
class Note:
    """A limit of the comparison: ``blocks`` prevents it, ``advisory`` makes its totals informational."""

    reason: Reason
    blocks: bool = False
    advisory: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Observations:
    """Repeated records of both sides by symbol; empty if the profile has one value per run.

    Columns over records: symbol int64, side int64 (0 baseline, 1 target), run int64 (baseline runs first), amount and
    exclusive float64 in the metric's unit, size float64 (NaN unknown), subtype index int64 into ``subtypes``. If no
    record has an exclusive value, ``exclusive`` equals ``amount``; if only some have one, it is 0 for the others.
    """

    symbol: IntArray
    side: IntArray
    run: IntArray
    amount: FloatArray
    exclusive: FloatArray
    size: FloatArray
    subtype: IntArray
    subtypes: list[str]


@dataclass(frozen=True, slots=True, eq=False)
class Causes:
    """The last symbol in the chain of calls that explain a change, int64[symbol], for rising and falling cost."""

    grown_end: IntArray
    fallen_end: IntArray
    grown_steps: IntArray
    fallen_steps: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Both sides of one workload and metric, the input of every strategy.

    int64[run, symbol], baseline runs first: ``self_value``, ``total_value`` (recursion counts once) and
    ``active_total``, the total without the cost of waiting functions. ``run_totals`` int64[run]. ``noise_self``,
    ``noise_active`` (None if unknown) and ``noise_totals`` hold the same values for base runs of other commits.
    ``present`` bool[2, symbol]: the symbol occurs on a side; ``waiting`` bool[symbol]: the function only waits;
    ``first_seen`` int64[symbol]: position of the first appearance in the baseline's input, root to leaf. ``period`` is
    the value of one sample if it is known and equal in all runs; ``sample_values`` float64[run] and
    ``noise_sample_values`` float64[noise run] are in stored units and may differ between runs. ``tree`` exists for
    formats with stacks, ``edges`` for formats with callers and callees only, ``models`` if a profile has models of cost
    over size or records to fit them to, ``durations`` if the files are test results. ``renamed``: symbols that also
    represent an older (name, file); ``files`` maps the baseline's name of a file to the target's.
    """

    workload: str
    configuration: Configuration
    metric: Metric
    runs: Runs
    symbols: Symbols
    self_value: IntArray
    total_value: IntArray
    run_totals: IntArray
    present: IntArray
    noise_self: IntArray
    noise_totals: IntArray
    noise_active: IntArray | None = None
    waiting: BoolArray | None = None
    active_total: IntArray | None = None
    period: int | None = None
    sample_values: FloatArray | None = None
    noise_sample_values: FloatArray | None = None
    tree: DiffTree | None = None
    edges: CallEdges | None = None
    observations: Observations | None = None
    models: CostModels | None = None
    first_seen: IntArray | None = None
    facts: tuple[Facts, Facts] = (Facts(), Facts())
    notes: tuple[Note, ...] = ()
    warnings: tuple[Reason, ...] = ()
    renamed: Mapping[int, tuple[str, str | None]] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    causes: Causes | None = None
    durations: DurationTable | None = None

    @property
    def drawable(self) -> bool:
        """Whether there are call paths, or calls from which they can be estimated."""
        return self.tree is not None or (self.edges is not None and len(self.edges.caller) > 0)
