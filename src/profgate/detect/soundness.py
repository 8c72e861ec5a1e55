"""Whether a strategy's columns fit together: it may come from outside, and the judge relies on them."""

from collections.abc import Iterator

import numpy as np

from profgate.detect.base import MODULE, Strategy
from profgate.model.change import Detection
from profgate.model.comparison import Comparison
from profgate.model.kinds import Kind


def faults(word: object, strategy: Strategy, comparison: Comparison) -> Iterator[str]:
    """What is wrong with a word, the first thing first; nothing where it fits. Raises whatever odd columns raise."""
    if not isinstance(word, Detection):
        yield f"it gave a {type(word).__name__} instead of a Detection"
        return
    if (word.strategy, word.family) != (strategy.name, strategy.family):
        yield f"it spoke as {word.strategy} of family {word.family}"
    rows = len(word.symbol)
    lengths = {name: len(column) for name, column in (word.statistics | {"kind": word.kind}).items()}
    lengths |= {"from_value": len(word.from_value), "to_value": len(word.to_value)}
    lengths |= {"confidence": len(word.confidence), "confidence_types": len(word.confidence_types)}
    lengths |= {name: len(texts) for name, texts in word.words.items()}
    uneven = ((name, length) for name, length in lengths.items() if length != rows)
    yield from (f"its column {name} has {length} rows, symbol has {rows}" for name, length in uneven)
    if rows and not MODULE <= word.symbol.min() <= word.symbol.max() < len(comparison.symbols):
        yield "a row names a symbol that does not exist"
    yield from (f"{code} is the code of no kind" for code in np.unique(word.kind).tolist() if code not in set(Kind))
    if word.node is not None:
        nodes = 0 if comparison.tree is None else len(comparison.tree.parent)
        ends = [*word.node.tolist(), *word.moved.values()]
        if len(word.node) != rows or any(not 0 < node < nodes for node in ends):
            yield "a row names a calling context that does not exist"
