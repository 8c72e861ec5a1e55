"""Notes that a change edits the code that runs a workload, so that both sides may do different work."""

import re
from collections.abc import Iterator

import numpy as np

from profgate.attribution.call_links import shares
from profgate.attribution.change_sources import CHANGED, NEARLY_ALL
from profgate.attribution.function_changes import FunctionChanges
from profgate.model.attribution import SourceStates
from profgate.model.comparison import Comparison
from profgate.model.reason import Reason, ReasonCode

BENCHMARK = re.compile(r"(?:^|[/_.-])bench|_test\.go$|Benchmark\.\w{1,10}$|/jmh/", re.IGNORECASE)
LEAST_NEW = 0.01  # share of the run from which a new function of a benchmark is noted


def changed_workloads(comparison: Comparison, states: SourceStates, functions: FunctionChanges) -> Iterator[Reason]:
    """Yield a reason for each file with a function that contains the whole run, if the change may alter the work.

    This is the case if the function changed, or the code outside the functions of its file, such as a constant. A new
    function in a file of benchmarks is one more benchmark; the largest of each file is noted.
    """
    before, after = shares(comparison, comparison.total_value)
    noted = set[str]()
    for symbol in sorted(np.flatnonzero((before == 0) & (after >= LEAST_NEW)).tolist(), key=lambda each: -after[each]):
        path = states.paths[symbol]
        if path is not None and states.states[symbol] in CHANGED and path not in noted and BENCHMARK.search(path):
            noted.add(path)
            name = comparison.symbols.names[symbol]
            yield Reason(ReasonCode.NEW_BENCHMARK, {"workload": comparison.workload, "file": path, "function": name})
    for symbol in np.flatnonzero(np.maximum(before, after) >= NEARLY_ALL).tolist():
        path = states.paths[symbol]
        outside = {one.state for one in functions.functions[1].get(path or "", ()) if one.function.kind == "module"}
        if path is not None and not CHANGED.isdisjoint({states.states[symbol], *outside}):
            name = comparison.symbols.names[symbol]
            yield Reason(ReasonCode.WORKLOAD_CHANGED, {"file": path, "function": name})
