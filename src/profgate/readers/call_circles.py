"""Functions that call each other in circles: the strongly connected parts of a call graph."""

import numpy as np

from profgate.model.arrays import IntArray


def circles_of(caller: IntArray, callee: IntArray, count: int) -> tuple[IntArray, IntArray]:
    """int64[function] the number of its circle, and int64[circle] how many functions it has; most have one.

    Tarjan, "Depth-first search and linear graph algorithms" (1972), with a list for a stack: call graphs are deep.
    """
    order = np.argsort(caller, kind="stable")
    called = callee[order].tolist()
    first = np.searchsorted(caller[order], np.arange(count + 1)).tolist()
    met, low, circle = [-1] * count, [0] * count, [-1] * count
    number, circles, waiting = 0, 0, list[int]()
    for start in range(count):
        walk = [(start, first[start])] if met[start] < 0 else []
        while walk:
            function, at = walk.pop()
            if met[function] < 0:
                met[function] = low[function] = number
                number += 1
                waiting.append(function)
            while at < first[function + 1] and met[called[at]] >= 0:
                if circle[called[at]] < 0:
                    low[function] = min(low[function], low[called[at]])
                at += 1
            if at < first[function + 1]:
                walk += [(function, at), (called[at], first[called[at]])]
            elif low[function] == met[function]:
                while circle[function] < 0:
                    circle[waiting.pop()] = circles
                circles += 1
    found = np.array(circle, dtype=np.int64)
    return found, np.bincount(found, minlength=circles).astype(np.int64)
