"""Built JavaScript in the action: the base job's build no longer exists when a pull request is compared."""

import json

from action_stage import Stage
from source_map_samples import MAP, SCRIPT, profile

URL = "file:///home/runner/work/shop/shop/lib/app.js"


def built(name: str, slow: int = 1) -> dict[str, bytes]:
    """Profiles of a build in which ``inlineText`` has this name, with the output of the build."""
    functions = [(name, 0, 10), ("O", 0, 37)]
    files = {}
    for run in range(5):
        samples = [2] * (100 * slow + run) + [3] * 900
        data = profile(URL, functions, samples=samples, timeDeltas=[1000] * len(samples), endTime=1000 * len(samples))
        files[f"main/run-{run}.cpuprofile"] = data
    return {**files, "../lib/app.js": SCRIPT.replace("Y", name).encode(), "../lib/app.js.map": MAP}


def test_names_of_sources_are_stored_with_a_baseline(stage: Stage) -> None:
    stage.push(built("Y"))
    stage.open_pull()
    stage.compare(built("X", slow=5))
    findings = json.loads(stage.file("report.json"))["workloads"][0]["metrics"][0]["findings"]
    places = [(one["location"]["name"], one["location"]["file"]) for one in findings]
    assert next(place for place in places if place[0] != "total") == ("inlineText", "src/Tokenizer.ts")
    assert "`inlineText`" in stage.comments[0]
    assert "`X`" not in stage.comments[0]


def test_baseline_without_sources_is_compared_by_the_names_of_scripts(stage: Stage) -> None:
    stage.push({name: data for name, data in built("Y").items() if name.startswith("main/")})
    stage.open_pull()
    stage.compare(built("Y", slow=5))
    assert "`Y`" in stage.comments[0]
    assert "inlineText" not in stage.comments[0]


def test_fork_comment_workflow_needs_no_build(stage: Stage) -> None:
    stage.push(built("Y"))
    stage.open_pull(fork=True)
    stage.inputs["mode"] = "record"
    stage.compare(built("X", slow=5))
    stage.inputs["mode"] = "auto"
    stage.fork_comment()
    assert "`inlineText`" in stage.comments[0]
