"""The strongly connected components of a call graph: functions that call each other in circles."""

import numpy as np

from profgate.model.arrays import IntArray


def components_of(caller: IntArray, callee: IntArray, count: int) -> tuple[IntArray, IntArray]:
    """int64[function] the number of its component, and int64[component] how many functions it has.

    Tarjan, "Depth-first search and linear graph algorithms" (1972), with a list for a stack: call graphs are deep.
    """
    order = np.argsort(caller, kind="stable")
    called = callee[order].tolist()
    first = np.searchsorted(caller[order], np.arange(count + 1)).tolist()
    index, low, component = [-1] * count, [0] * count, [-1] * count
    number, components, waiting = 0, 0, list[int]()
    for start in range(count):
        walk = [(start, first[start])] if index[start] < 0 else []
        while walk:
            function, at = walk.pop()
            if index[function] < 0:
                index[function] = low[function] = number
                number += 1
                waiting.append(function)
            while at < first[function + 1] and index[called[at]] >= 0:
                if component[called[at]] < 0:
                    low[function] = min(low[function], low[called[at]])
                at += 1
            if at < first[function + 1]:
                walk += [(function, at), (called[at], first[called[at]])]
            elif low[function] == index[function]:
                while component[function] < 0:
                    component[waiting.pop()] = components
                components += 1
    found = np.array(component, dtype=np.int64)
    return found, np.bincount(found, minlength=components).astype(np.int64)
