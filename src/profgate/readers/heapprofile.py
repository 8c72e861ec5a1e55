"""Reader for V8's sampled heap profiles (Node.js, Chrome): a call tree with the bytes that are still in use."""

import numpy as np

from profgate.model.profile import Profile
from profgate.model.source import SourceFile
from profgate.model.units import Metric
from profgate.readers.cpuprofile import CallNodes, notes_in, without_envelope
from profgate.readers.json_text import document_of, is_integer, listing, mapping, wrong
from profgate.readers.quantities import sum_of
from profgate.readers.reader import BuiltInReader


class HeapprofileReader(BuiltInReader):
    """Reader for V8's .heapprofile files (`node --heap-prof`, Chrome): stacks of the sampled memory that is in use."""

    name = "heapprofile"
    looks = "JSON with the keys head, callFrame and selfSize"
    record = "node --heap-prof --heap-prof-interval=16384 --heap-prof-dir=profiles bench.js"
    keys = ("head", "callFrame", "selfSize")

    def read(self, source: SourceFile) -> Profile:
        """Return a profile of bytes. The period is the mean size of a sample, if the file contains its samples."""
        where = source.name
        document = without_envelope(document_of(source))
        nodes, own = [], []
        waiting = [mapping(document.get("head"), where, "'head'")]
        while waiting:
            node = waiting.pop()
            below = [
                mapping(child, where, "a child") for child in listing(node.get("children", []), where, "'children'")
            ]
            nodes.append({**node, "children": [child.get("id") for child in below]})
            waiting += below
            size = node.get("selfSize", 0)
            if not is_integer(size):
                raise wrong(where, f"has {str(size)[:40]!r} for 'selfSize'")
            own.append(size)
        tree = CallNodes(where)
        tree.add_all(nodes)
        values = np.array(own, np.int64)
        total = sum_of(values, where)
        samples = len(listing(document.get("samples", []), where, "'samples'"))
        period = max(1, total // samples) if samples else None
        return tree.profile(tree.stacks(values), Metric("live memory", "bytes"), period, self.name, notes_in(document))
