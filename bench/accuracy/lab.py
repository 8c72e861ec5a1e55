"""Simulates pull requests whose truth is known and writes docs/accuracy.md: ./run bench accuracy [--seed N] ..."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from bench.accuracy.cells import Cell, all_cells, run_cell
from bench.accuracy.page import page
from bench.accuracy.scoring import Result

ROOT = Path(__file__).resolve().parents[2]
RECORDINGS = Path(__file__).resolve().parent / "recordings.json"
CHUNK = 10  # cells between two lines of progress


def results_of(cells: Sequence[Cell], seed: int, processes: int) -> list[Result]:
    """A result for each cell, in their order; the number of processes changes nothing but the time."""
    done: list[Result] = []
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for result in pool.map(run_cell, cells, [seed] * len(cells)):
            done.append(result)
            if len(done) % CHUNK == 0 or len(done) == len(cells):
                print(f"accuracy: {len(done)} of {len(cells)} cells", file=sys.stderr, flush=True)
    return done


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 10:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of pull requests; give 10 or more")
    return int(text)


def main(arguments: Sequence[str]) -> int:
    """Write the page and the JSON."""
    parser = argparse.ArgumentParser(prog="bench accuracy", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of all random numbers")
    parser.add_argument("--unchanged", type=_count, default=300, metavar="N", help="unchanged pull requests a cell")
    parser.add_argument("--changed", type=_count, default=30, metavar="N", help="changed pull requests a cell")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "accuracy.md", metavar="FILE")
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "accuracy.json", metavar="FILE")
    chosen = parser.parse_args(arguments)
    cells = all_cells(chosen.unchanged, chosen.changed)
    results = [result.as_json() for result in results_of(cells, chosen.seed, max(1, chosen.processes))]
    recordings = json.loads(RECORDINGS.read_text(encoding="utf-8"))
    chosen.json.parent.mkdir(parents=True, exist_ok=True)
    chosen.json.write_text(json.dumps({"seed": chosen.seed, "cells": results}, indent=1) + "\n", encoding="utf-8")
    chosen.output.write_text(page(results, recordings, chosen.seed), encoding="utf-8")
    print(f"{chosen.output}\n{chosen.json}")
    return 0
