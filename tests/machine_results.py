"""Results of two machines that measure the commits of a pull request in turns, and the job that publishes them."""

import json
from collections.abc import Mapping, Sequence

from action_stage import Stage
from two_commits import Shares, confirmed_in

REPORTS = "first/report.json\nmachine-*/report.json"
WRITTEN: dict[tuple[bytes, str, tuple[str, ...]], bytes] = {}  # the result for a first report, costs and options


def on_another_machine(report: bytes) -> bytes:
    """The result of `profgate confirm` as another machine would write it."""
    found = json.loads(report)
    if "measurement" in found:
        found["measurement"]["machines"] = ["f00000000000"]
    for claim in found.get("claims", ()):
        for result in claim["results"]:
            result["machine"] = "f00000000000"
    return json.dumps(found).encode()


def measured_again(stage: Stage, *shares: Shares, words: Sequence[str] = ()) -> dict[str, bytes]:
    """What `profgate confirm` writes on two machines, on which the commits have these costs in the target."""
    first = stage.workspace / "profgate-report"
    files = {f"../first/{name}": (first / name).read_bytes() for name in ("report.json", "links.json")}
    for number, costs in enumerate(shares if len(shares) > 1 else shares * 2, 1):
        key = files["../first/report.json"], str(costs), tuple(words)
        if key not in WRITTEN:
            place = stage.folder / f"machine-{number}-{len(stage.fake.requests)}"
            WRITTEN[key] = (confirmed_in(place, first / "report.json", costs, *words) / "report.json").read_bytes()
        data = WRITTEN[key]
        files[f"../machine-{number}/report.json"] = data if number == 1 else on_another_machine(data)
    stage.capsys.readouterr()
    return files


def publish(stage: Stage, files: Mapping[str, bytes], report: str = REPORTS, **inputs: str) -> int:
    before = len(stage.fake.requests)
    code = stage.step(files, mode="report", report=report, **inputs)
    stage.requests = [one for one in stage.fake.requests[before:] if "/twirp/" not in one.path]
    return code
