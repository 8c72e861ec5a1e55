"""Records test durations in files for ``profgate ranks check`` and ``profgate ranks history``."""

import hashlib
import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from glob import has_magic
from pathlib import Path

from profgate.errors import ProfgateError
from profgate.io.files import sources_under, write_text
from profgate.io.processes import filled, run_command, variables
from profgate.model.durations import DurationRun, durations_to_json
from profgate.ranks.rank_inputs import run_at
from profgate.report.numbers import counted


@dataclass(frozen=True, slots=True)
class Recording:
    """Options for recording test runs.

    ``results`` contains patterns that match the result files of the program. By default, all files below PROFGATE_OUT
    are read.
    """

    label: str
    commit: str
    output_dir: str
    results: tuple[str, ...] = ()
    keep_failed: bool = False
    timeout: float = 7200.0

    def store_files(self, files: Iterable[str]) -> str:
        """Store the results of one run and return a message. Raises ProfgateError if there are no results."""
        moment = _now()
        return self._store(run_at(files, self.label or moment, self.commit, moment))

    def store_repetition(self, program: Sequence[str], number: int, count: int) -> str:
        """Run the program, store its results and return a message. Raises ProfgateError if the program fails."""
        moment = _now()
        label = f"{self.label or moment} ({number} of {count})"
        with tempfile.TemporaryDirectory(prefix="profgate-ranks-") as scratch:
            out = Path(scratch, "results")
            out.mkdir()
            before = _written(place for place in self.results if Path(place).exists() or has_magic(place))
            values = {"out": str(out)}
            outcome = run_command(
                filled(program, values),
                folder=".",
                environment=os.environ | variables(values),
                log=str(Path(scratch, "log")),
                timeout=self.timeout,
            )
            if outcome.problem and not self.keep_failed:
                what = f"{outcome.problem}; fix it, or add --keep-failed to store such a run too"
                raise ProfgateError("COMMAND", what)
            if not self.results and not sources_under(str(out)):
                what = "wrote no results below $PROFGATE_OUT; change COMMAND, or name the results with --results"
                raise ProfgateError("COMMAND", what)
            for path, written in _written(self.results).items():
                if before.get(path) == written:
                    raise ProfgateError(path, "is older than this run of COMMAND; remove it, or name other files")
            return self._store(run_at(self.results or [str(out)], label, self.commit, moment))

    def _store(self, run: DurationRun) -> str:
        text = durations_to_json(run)
        stamp = run.recorded.translate({ord("-"): None, ord(":"): None}).partition(".")[0]
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        place = str(Path(self.output_dir, "-".join(filter(None, [stamp, run.commit[:8], digest[:6]])) + ".json"))
        write_text(place, text)
        return f"stored {counted(len(run.values), 'duration')} in {place}"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _written(places: Iterable[str]) -> dict[str, int]:
    """Return the modification time of each file in nanoseconds."""
    found = (source.path for place in places for source in sources_under(place))
    return {path: Path(path).stat().st_mtime_ns for path in found if path is not None}
