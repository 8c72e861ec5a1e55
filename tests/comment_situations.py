"""Eleven situations of a pull request, in which the action writes its comment from recorded profiles."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from action_stage import ARTIFACT, Stage

Costs = dict[str, float]
LINES = {
    "<module>": "shop/app.py:1",
    "serve": "shop/app.py:14",
    "find_duplicates": "shop/orders.py:28",
    "load_orders": "shop/orders.py:8",
    "dedupe": "shop/tables.py:5",
    "same": "shop/tables.py:14",
    "<lambda>": "shop/tables.py:21",
    "neighbors": "shop/graph.py:4",
    "render": "shop/view.py:4",
}
LOAD, DUPLICATES, NEIGHBORS = "prepare;load_orders", "serve;checkout;find_duplicates", "serve;search;neighbors"
DEDUPE, RENDER = "serve;checkout;dedupe", "serve;render"
COSTS: Costs = {
    LOAD: 900,
    DUPLICATES: 140,
    DEDUPE: 260,
    NEIGHBORS: 160,
    RENDER: 700,
    **{f"serve;step_{number}": 100 + 20 * number for number in range(1, 11)},
}
ORDERS = "def load_orders():\n    return []\n\n\n" + "#\n" * 23 + "def find_duplicates(orders):\n    return {0}\n"
TABLES = "\n\n\n\ndef dedupe(rows):\n    return {0}\n"
SAME = "\n\n\n\n\n\n\ndef same(one, other):\n    return one == other\n"
SOURCES = {
    "shop/orders.py": ORDERS.format("set(orders)").encode(),
    "shop/tables.py": TABLES.format("set(rows)").encode(),
}
SLOW_ORDERS = {"shop/orders.py": ORDERS.format("[one for one in orders if orders.count(one) > 1]").encode()}
SLOW_TABLES = {"shop/tables.py": (TABLES.format("[row for row in rows if same(row, rows[0])]") + SAME).encode()}


def recorded(costs: Costs, seed: int, factor: float = 1.0) -> dict[str, bytes]:
    """Five runs in the format of py-spy; the counts scatter as sampling does."""
    files = {}
    for run in range(5):
        chance = random.Random(100 * seed + run)
        lines = []
        for path, cost in costs.items():
            count = max(1, round(chance.gauss(factor * cost, (factor * cost) ** 0.5)))
            frames = ("<module>", *path.split(";"))
            stack = ";".join(f"{name} ({LINES.get(name, 'shop/steps.py:9')})" for name in frames)
            lines.append(f"{stack} {count}\n")
        files[f"orders/run-{run + 1}.folded"] = "".join(lines).encode()
    return files


@dataclass(frozen=True)
class Situation:
    """A name, and a function that brings the repository into the situation and returns the text of the comment."""

    name: str
    title: str
    play: Callable[[Stage], str]


def interleaved(target: Costs, files: Mapping[str, bytes] | None = None, share: float = 1.0) -> Callable[[Stage], str]:
    """One job measures both sides in turn."""

    def play(stage: Stage) -> str:
        open_pull(stage, files)
        stage.inputs |= {"profiles": "profiles/head/**", "baseline-profiles": "profiles/base/**", "interleaved": "true"}
        both = {f"base/{name}": data for name, data in recorded(COSTS, 1, share).items()}
        both |= {f"head/{name}": data for name, data in recorded(COSTS | target, 2, share).items()}
        stage.compare(both)
        return stage.comments[-1]

    return play


def against_jobs(target: Costs, jobs: int, files: Mapping[str, bytes], factor: float = 1.0) -> Callable[[Stage], str]:
    """The pull request is compared with the profiles that jobs of the base branch have stored."""

    def play(stage: Stage) -> str:
        after_jobs(stage, jobs, files)
        stage.compare(recorded(COSTS | target, 77, factor))
        return stage.comments[-1]

    return play


def open_pull(stage: Stage, files: Mapping[str, bytes] | None = None, *, fork: bool = False) -> None:
    stage.inputs |= {"comment": "always"}
    stage.base = stage.fake.add_commit(parents=[stage.base], branch="main", files=SOURCES)
    stage.open_pull(files=files, fork=fork)


def after_jobs(stage: Stage, jobs: int, files: Mapping[str, bytes], *, fork: bool = False) -> None:
    stage.inputs |= {"comment": "always"}
    stage.base = stage.fake.add_commit(parents=[stage.base], branch="main", files=SOURCES)
    for seed in range(jobs):
        stage.push(recorded(COSTS, 10 + seed))
    stage.open_pull(files=files, fork=fork)


def expired(stage: Stage) -> str:
    run = stage.fake.add_run(stage.base)
    stage.fake.add_artifact(run, ARTIFACT, recorded(COSTS, 1), expired=True)
    open_pull(stage)
    stage.compare(recorded(COSTS, 2))
    return stage.comments[-1]


def first_run(stage: Stage) -> str:
    open_pull(stage)
    stage.compare(recorded(COSTS, 2))
    return stage.comments[-1]


def from_fork(stage: Stage) -> str:
    """The job of the fork cannot comment; the workflow that follows it can."""
    after_jobs(stage, 5, SLOW_ORDERS, fork=True)
    permissions = stage.fake.state.permissions
    stage.fake.read_only()
    stage.compare(recorded(COSTS | {DUPLICATES: 1030}, 77))
    stage.fake.state.permissions = permissions
    stage.fork_comment()
    return stage.comments[-1]


FOUND: Costs = {DUPLICATES: 1030, RENDER: 560}
COMPARED: Costs = {DEDUPE: 380, f"{DEDUPE};same": 2900, f"{DEDUPE};same;<lambda>": 400}
SITUATIONS = (
    Situation("red", "A function became slower", interleaved(FOUND, SLOW_ORDERS)),
    Situation("new-function", "A new function takes most of the run", interleaved(COMPARED, SLOW_TABLES)),
    Situation("offset", "A regression is offset elsewhere", interleaved({DUPLICATES: 540, LOAD: 500}, SLOW_ORDERS)),
    Situation("possible", "Too few base jobs to be certain", against_jobs({DUPLICATES: 230}, 2, SLOW_ORDERS)),
    Situation("improved", "The program is faster", interleaved({LOAD: 60, NEIGHBORS: 400})),
    Situation("unchanged", "Nothing changed", interleaved({})),
    Situation("inconclusive", "Too few samples", interleaved({}, share=0.03)),
    Situation("not-compared", "The baseline has expired", expired),
    Situation("first-run", "The base branch has stored nothing yet", first_run),
    Situation("fork", "The pull request comes from a fork", from_fork),
    Situation("everything-slower", "A slower machine", against_jobs({}, 8, {}, factor=1.2)),
)
