"""Two sides of one workload and metric, ready for every strategy."""

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
    """The symbols of one comparison, sorted by (name, file, module): their number is their rank.

    A module known in two versions is ``old -> new``. ``labels`` are raw names as the target gives them, lines are
    shown and never compared.
    """

    names: list[str]
    files: list[str | None]
    lines: list[int | None]
    modules: list[str | None]
    labels: list[str]

    def __len__(self) -> int:
        return len(self.names)

    def texts(self) -> list[str]:
        """Name and file as one text, ``f (pkg/a.py)``, the way stack collapsers write it."""
        pairs = zip(self.names, self.files, strict=True)
        return [name if file is None else f"{name} ({file})" for name, file in pairs]


@dataclass(frozen=True, slots=True, eq=False)
class Repeats:
    """How three or more runs a side scatter, float64[2, row]: the first line inclusive, the second self.

    ``value_error`` is the standard error of the difference of the mean values.
    """

    value_error: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class DiffTree:
    """The union calling context tree; sums over the runs of each side.

    Rows in level order: row 0 is the root (parent -1, symbol -1), a parent stands before its children, siblings are
    adjacent and ordered by symbol. int32[row]: parent, symbol, depth. int64[row]: self and total of both sides.
    ``pre`` int64[row] is the row's number in pre-order, ``size`` int64[row] the rows of its subtree.
    ``baseline_calls`` and ``target_calls`` int64[row] count the calls of exactly that path (the root has none); None
    where a run of the side does not count calls, as no sampled profile does. ``repeats`` is None with too few runs.
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
    """Callers and callees of formats without stacks; sums over the runs of each side, ordered by caller and callee.

    ``caller`` and ``callee`` int64[edge] are symbols (equal for recursion). int64[edge] for each side: the callee's
    inclusive value on behalf of the caller in stored units of the metric, and the exact calls. ``*_symbol_calls``
    int64[symbol] count all calls of a symbol, those that no edge explains (from outside the recording) among them.
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
    """Numbers of runs, and which job recorded each; noise = base runs of other commits.

    Runs whose jobs have the same number share machine, build and layout. None: the profiles of this side do not
    state it, and every run counts as a job of its own.
    """

    baseline: int
    target: int
    noise: int = 0
    baseline_jobs: tuple[int, ...] | None = None
    target_jobs: tuple[int, ...] | None = None
    noise_jobs: tuple[int, ...] | None = None

    @property
    def base_jobs(self) -> tuple[int, ...]:
        """The job of every base run, those of the baseline first; jobs are numbered from 0."""
        own, others = self.baseline_jobs or range(self.baseline), self.noise_jobs or range(self.noise)
        jobs = [*((0, job) for job in own), *((1, job) for job in others)]
        numbers = {job: number for number, job in enumerate(dict.fromkeys(jobs))}
        return tuple(numbers[job] for job in jobs)


@dataclass(frozen=True, slots=True)
class Note:
    """How far the sides can be compared: not at all (``blocks``), or their totals are ``advisory``."""

    reason: Reason
    blocks: bool = False
    advisory: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Observations:
    """Repeated records of both sides by symbol; empty where the profile has one value for each run.

    Columns over records: symbol int64, side int64 (0 baseline, 1 target), run int64 (baseline runs first), amount and
    exclusive float64 in the metric's unit (exclusive is 0 for a record that lacks it where others have it, and the
    amount where none has), size float64 (NaN unknown), subtype index int64 into ``subtypes``.
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
    """Where the walk down the calls that explain a change ends, int64[symbol], for growing and for falling cost."""

    grown_end: IntArray
    fallen_end: IntArray
    grown_steps: IntArray
    fallen_steps: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """One workload and metric with both sides, the input of every strategy.

    int64[run, symbol], baseline runs first: ``self_value``, ``total_value`` (recursion counts once) and
    ``active_total``, the total without what waiting functions took. ``run_totals`` int64[run]. ``noise_self``,
    ``noise_active`` (None where not known) and ``noise_totals`` hold the same of base runs of other commits.
    ``present`` bool[2, symbol]: whether a side knows the symbol; ``waiting`` bool[symbol]: functions that only wait;
    ``first_seen`` int64[symbol]: place of the first appearance in the baseline's input, root to leaf.
    ``period`` is the value of one sample where it is known and the same in all runs; ``sample_values`` float64[run] and
    ``noise_sample_values`` float64[noise run] are in stored units and may differ from run to run. ``tree`` is there for
    formats with stacks, ``edges`` for those with callers and callees alone, ``models`` where a profile has models of
    cost over size or records to fit them to, ``durations`` where the files are results of test runs. ``renamed``:
    symbols that stand for an older (name, file) too; ``files`` lead from the baseline's name of a file to the target's.
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
        """Whether there are call paths, or calls they can be estimated from."""
        return self.tree is not None or (self.edges is not None and len(self.edges.caller) > 0)
