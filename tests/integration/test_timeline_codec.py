"""The page's own script reads the timelines that Python wrote, and reduces the tree to parts of them."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comparisons import overlaid
from profgate.flamegraph.page import build_page
from profgate.flamegraph.page_input import page_input
from profgate.model.comparison import DiffTree
from profgate.model.source import source_of
from profgate.model.timeline import MOST_BINS, Timeline
from profgate.readers.registry import read_profile

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")
ROOT = Path(__file__).parents[1]
FILES = ["cpuprofile/node-20.20.cpuprofile", "speedscope/py-spy-0.4.3.speedscope.json", "trace-events/node-20.20.json"]
FILES += [*(f"python-sampling/python-3.15.2-{name}.bin" for name in ("cpu", "gil")), "gecko/by-hand-30.json"]
WHOLE = {"timeBefore": "", "timeAfter": "", "threadsBefore": "", "threadsAfter": ""}


def page_of(name: str) -> tuple[DiffTree, dict[str, str]]:
    """The tree of a recording compared with itself, and the data in its page by the ids of the elements."""
    path = ROOT / "data" / name
    profile = read_profile(source_of(path.name, path.read_bytes()))
    tree, header = page_input(overlaid([profile], [profile, profile]))
    return tree.tree, dict(
        re.findall(r'<script type="[^"]*" id="(header|data|times)">(.*?)</script>', build_page(tree, header))
    )


def decoded(parts: dict[str, str], states: list[dict[str, str]]) -> Any:
    assert NODE is not None
    given = {**parts, "header": json.loads(parts["header"]), "states": states}
    script = ROOT / "js" / "decode_timelines.mjs"
    run = subprocess.run([NODE, script], input=json.dumps(given).encode(), capture_output=True, check=True, timeout=60)
    return json.loads(run.stdout), given["header"]


def sums_of(side: Timeline, chosen: Any, rows: int) -> list[int]:
    sums = np.zeros(rows, np.int64)
    np.add.at(sums, side.row[chosen], side.values[0][chosen])
    return [int(value) for value in sums]


@pytest.mark.parametrize("name", FILES)
def test_the_page_reads_the_bins_of_a_recording(name: str) -> None:
    tree, parts = page_of(name)
    timed = [side for side in tree.timelines if side is not None]
    assert len(timed) == 2
    width = 2 ** timed[1].scale / 1e9
    half = timed[1].bins // 2
    states = [WHOLE, {**WHOLE, "timeAfter": f"0-{half * width:.9f}"}, {**WHOLE, "threadsBefore": timed[0].threads[-1]}]
    found, header = decoded(parts, states)
    for side, given, coarse in zip(found["sides"], timed, header["timelines"]["sides"], strict=True):
        assert (side["bins"], side["span"], side["width"]) == (given.bins, given.span, 2**given.scale)
        assert coarse["entries"] == len(given.row)
    whole, early, single = [[[round(value * header["g"]) for value in own] for own in sides] for sides in found["own"]]
    assert whole == [tree.baseline_self.tolist(), tree.target_self.tolist()]
    assert early == [whole[0], sums_of(timed[1], timed[1].cell % MOST_BINS < half, len(tree))]
    last = len(timed[0].threads) - 1
    if len(set(timed[0].threads)) == len(timed[0].threads):
        assert single == [sums_of(timed[0], timed[0].cell // MOST_BINS == last, len(tree)), whole[1]]
    assert 0 < sum(early[1]) < sum(whole[1])
