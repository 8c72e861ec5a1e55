"""Notes that a change edits the code that runs a workload, so that both sides may do different work."""

from collections.abc import Iterator

import numpy as np

from profgate.attribution.call_links import shares
from profgate.attribution.change_sources import CHANGED, WHOLE
from profgate.attribution.function_changes import FunctionChanges
from profgate.model.attribution import SourceStates
from profgate.model.comparison import Comparison
from profgate.model.reason import Reason, ReasonCode


def changed_workloads(comparison: Comparison, states: SourceStates, functions: FunctionChanges) -> Iterator[Reason]:
    """Yield a reason for each file with a function that contains the whole run, if the change may alter the work.

    This is the case if the function changed, or the code outside the functions of its file, such as a constant.
    """
    whole = np.flatnonzero(np.maximum(*shares(comparison, comparison.total_value)) >= WHOLE)
    for symbol in whole.tolist():
        path = states.paths[symbol]
        outside = {one.state for one in functions.functions[1].get(path or "", ()) if one.function.kind == "module"}
        if path is not None and not CHANGED.isdisjoint({states.states[symbol], *outside}):
            name = comparison.symbols.names[symbol]
            yield Reason(ReasonCode.WORKLOAD_CHANGED, {"file": path, "function": name})
