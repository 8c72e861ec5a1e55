"""Study how often claims are proven: ./run bench claims FOLDER... [--studies 100] [--runs 40] [--joined 1].

Each FOLDER contains the recorded runs of one unchanged program. A study makes 20 attempts to prove that the largest
function became 10 % faster. For each attempt, two machines measure: the runs of both sides are drawn with replacement
from the recorded ones, so the noise is that of the recordings. An edit removes a part of the samples of the function at
random from the runs of the target: none, so many that the function takes 3 % less, or 10 % less.

A short recording has fewer samples than a run of `confirm`: with --joined 4, each run is the sum of four drawn ones. An
attempt is judged as by `profgate confirm` on two machines, by the level of its number. The effect of placement is the
smallest that two machines can find. The table shows the studies in which any attempt proves the claim, which is wrong
without an edit and for -3 %, and the first attempts that prove it.
"""

import argparse
from pathlib import Path

import numpy as np

from profgate import pipeline
from profgate.decide.detect.claims import with_results
from profgate.decide.judge.claims import with_claims
from profgate.decide.judge.machines import placement_of
from profgate.loading import profiles_at
from profgate.model.arrays import read_only
from profgate.model.claim import Claim
from profgate.model.comparison import Comparison, Runs, Sampling
from profgate.model.measurement import Measurement
from profgate.model.policy import Policy
from profgate.model.reason import Side
from profgate.model.record import replace
from profgate.model.report import Report, Verdict
from profgate.pipeline import PipelineInput

ATTEMPTS, CLAIMED = 20, -0.1
EDITS = (0.0, -0.03, -0.1)


class Recorded:
    """The recorded runs of one program, and its largest function by self cost."""

    def __init__(self, folder: Path, joined: int) -> None:
        self.joined = joined
        files = profiles_at(str(folder))[0]
        comparisons = pipeline.overlays(PipelineInput(files, files, pages=0))
        self.whole = max(comparisons, key=lambda comparison: comparison.run_totals.sum())
        self.runs = self.whole.runs.baseline
        own = self.whole.self_value[: self.runs].sum(axis=0)
        total = self.whole.total_value[: self.runs].sum(axis=0)
        # a function of nearly the whole run leaves nothing to compare with, and a claim names one function
        places = list(zip(self.whole.symbols.names, self.whole.symbols.files, strict=True))
        suits = (total < 0.9 * self.whole.run_totals[: self.runs].sum()) & [places.count(each) == 1 for each in places]
        self.function = int(np.argmax(np.where(suits, own, 0)))
        self.name = self.whole.symbols.names[self.function]
        self.share = float(total[self.function] / self.whole.run_totals[: self.runs].sum())

    def drawn(self, chance: np.random.Generator, runs: int, edit: float) -> Comparison:
        """Draw the runs of both sides, and remove samples of the function from those of the target."""
        rows, at = chance.integers(self.runs, size=(2 * runs, self.joined)), self.function
        own, total, active, totals = (
            values[rows].sum(axis=1)
            for values in (
                self.whole.self_value,
                self.whole.total_value,
                self.whole.active_total,
                self.whole.run_totals,
            )
        )
        part = np.minimum(1.0, -edit * total[runs:, at] / np.maximum(own[runs:, at], 1))
        gone = chance.binomial(own[runs:, at], part)
        for values in (own, total, active):
            values[runs:, at] -= gone
        totals[runs:] -= gone
        return replace(
            self.whole,
            self_value=read_only(own),
            total_value=read_only(total),
            active_total=read_only(active),
            run_totals=read_only(totals),
            runs=Runs(runs, runs, 0),
            sampling=Sampling(self.whole.sampling.period, np.ones(2 * runs)),
        )

    def state(self, chance: np.random.Generator, runs: int, edit: float, attempt: int) -> str:
        """Return the state of the claim after one attempt."""
        claim = Claim(self.name, CLAIMED, self.whole.symbols.files[self.function], attempt)
        results = []
        for machine in ("a", "b"):
            (measured,) = with_results([claim], [self.drawn(chance, runs, edit)])
            results += [replace(result, machine=machine) for result in measured.results]
        extent = Measurement(runs, 0.0, 0.0, machines=("a", "b"), placement=placement_of([(0.0, 0.0)] * 20))
        unjudged = Report(Side("base"), Side("head"), Verdict("pass", "green", ()), (), measurement=extent)
        (judged,) = with_claims(replace(unjudged, claims=(replace(claim, results=tuple(results)),)), Policy()).claims
        return judged.state


def main(arguments: list[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="bench claims", description=__doc__)
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--studies", type=int, default=100, help="of each edit (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=40, help="of each side and machine (default: %(default)s)")
    parser.add_argument("--joined", type=int, default=1, help="recorded runs in each run (default: %(default)s)")
    options = parser.parse_args(arguments)
    print("| program | function | share | no edit | −3 % | −10 %, first attempt | contradicted: no edit |")
    print("|---|---|--:|--:|--:|--:|--:|", flush=True)
    sums = np.zeros((4, 2), np.int64)
    for folder in options.folders:
        recorded, chance = Recorded(Path(folder), options.joined), np.random.default_rng(0)
        counts = []
        for edit in EDITS:
            attempts = range(1, ATTEMPTS + 1 if edit > CLAIMED else 2)
            studies = [
                [recorded.state(chance, options.runs, edit, attempt) for attempt in attempts]
                for _ in range(options.studies)
            ]
            counts.append(sum("proven" in states for states in studies))
            if edit == 0.0:
                refuted = sum(states[0] == "contradicted" for states in studies)
        counts.append(refuted)
        cells = [f"{count} of {options.studies}" for count in counts]
        print(f"| {folder} | `{recorded.name}` | {recorded.share:.0%} | {' | '.join(cells)} |", flush=True)
        sums += np.array([[count, options.studies] for count in counts])
    print(f"| all | | | {' | '.join(f'{count} of {of}' for count, of in sums.tolist())} |")
    return 0
