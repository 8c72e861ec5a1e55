import json
import re
from pathlib import Path
from typing import Any

import pytest

from profgate.errors import ProfileError
from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.heapprofile import HeapprofileReader
from stack_rows import own_values, rows

RECORDED = sorted((Path(__file__).parents[2] / "data" / "heapprofile").iterdir())


def node(number: int, name: str, size: Any = 0, *children: Any, line: int = 0) -> dict[str, Any]:
    call = {"functionName": name, "url": "" if name == "(root)" else "file:///app/a.js", "lineNumber": line}
    return {"callFrame": call, "selfSize": size, "id": number, "children": list(children)}


def read(head: Any, **more: Any) -> Profile:
    return HeapprofileReader().read(source_of("a.heapprofile", json.dumps({"head": head, **more}).encode()))


@pytest.mark.parametrize("path", RECORDED, ids=[path.name for path in RECORDED])
def test_recorded_sizes_are_those_of_the_nodes(path: Path) -> None:
    text = path.read_text()
    found = HeapprofileReader().read(source_of(path.name, path.read_bytes()))
    sizes = own_values(found)
    assert sum(sizes.values()) == sum(map(int, re.findall(r'"selfSize":(\d+)', text)))
    assert found.periods == (sum(sizes.values()) // text.count('"ordinal"'),)
    assert 0.25 < sizes["alloc300"] / (sizes["alloc300"] + sizes["alloc600"]) < 0.4  # shop.js allocates 1 : 2
    assert found.metrics[0].unit == "bytes"


def test_each_node_has_its_own_bytes() -> None:
    head = node(1, "(root)", 5, node(2, "main", 0, node(3, "parse", 70, line=4), node(4, "", 30, line=9)))
    found = read(head, samples=[{"size": 35, "nodeId": 3, "ordinal": 1}] * 2)
    assert sorted(rows(found)) == [("main;(anonymous)", [30]), ("main;parse", [70])]
    assert found.stacks is not None
    assert (found.stacks.root_values.tolist(), found.periods) == ([5], (52,))
    assert found.frames.lines[found.frames.names.index("parse")] == 5
    assert read(head).periods == (None,)


def test_answer_of_the_protocol_is_read() -> None:
    data = json.dumps({"profile": {"head": node(1, "main", 7), "samples": []}}).encode()
    assert rows(HeapprofileReader().read(source_of("a", data))) == [("main", [7])]


@pytest.mark.parametrize(
    ("head", "message"),
    [
        (None, "'head' is not a JSON object"),
        (node(1, "a", -1), "'-1' for 'selfSize'"),
        (node(1, "a", 0.5), "'0.5' for 'selfSize'"),
        (node(1, "a", 2**62, node(2, "b", 2**62), node(3, "c", 2**62)), "add up to more than"),
        (node(1, "a", 1, node(1, "b")), "has the id 1 of another node"),
        (node(1, "a", 1, 7), "a child is not a JSON object"),
    ],
)
def test_other_content_is_refused(head: Any, message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        read(head)
