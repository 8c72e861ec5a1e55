"""Write the log lines, annotations, outputs and summary of a step. Untrusted text cannot inject commands."""

import os
import re
import uuid
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from profgate.model.visible_text import visible, without_commands

SUMMARY_LIMIT = 1024 * 1024  # in bytes; the runner does not show a larger step summary
TITLE = "profgate"
SEPARATORS = str.maketrans({":": "%3A", ",": "%2C"})  # of the properties of an annotation


class WorkflowCommands:
    """Access to the log and to the runner's files for outputs and the summary.

    Nothing is written to a file with an empty path. For each file that cannot be written, there is only one warning.
    """

    def __init__(self, stream: TextIO, *, output_path: str = "", summary_path: str = "") -> None:
        self._stream = stream
        self._output_path = output_path
        self._summary_path = summary_path
        self._annotations: Counter[str] = Counter()
        self._unwritable: set[str] = set()

    def log(self, text: str) -> None:
        """Write one line to the log. ``text`` cannot inject a workflow command."""
        self._write(harmless(text))

    def notice(self, message: str, *, title: str = TITLE) -> None:
        """Write an annotation at notice level."""
        self._annotate("notice", message, title)

    def warning(self, message: str, *, title: str = TITLE) -> None:
        """Write an annotation at warning level."""
        self._annotate("warning", message, title)

    def error(self, message: str, *, title: str = TITLE, file: str = "", line: int | None = None) -> None:
        """Write an annotation at error level."""
        self._annotate("error", message, title, file, line)

    def mask(self, secret: str) -> None:
        """Hide a secret in the log. Each line is masked separately, because the runner masks only single lines."""
        for line in secret.splitlines():
            if line.strip():
                self._write(f"::add-mask::{_escaped(line)}")

    def set_output(self, name: str, value: str) -> None:
        """Set an output of the step. The value cannot inject another output, because the delimiter is random."""
        delimiter = f"profgate-{uuid.uuid4()}"
        self._put(self._output_path, f"{name}<<{delimiter}\n{value}\n{delimiter}\n".encode("utf-8", "replace"))

    def add_summary(self, markdown: str) -> None:
        """Append text to the step summary. If the summary would exceed the limit, the text is cut at a line break."""
        data = markdown.rstrip("\n").encode("utf-8", "replace") + b"\n"
        left = SUMMARY_LIMIT - _size(self._summary_path)
        if len(data) > left:
            note = b"\n\n*The summary was cut; the report holds the rest.*\n"
            data = data[: max(0, left - len(note))]
            data = data[: data.rfind(b"\n") + 1] + note if left >= len(note) else b""
        self._put(self._summary_path, data)

    def replace_summary(self, markdown: str) -> None:
        """Replace this step's summary."""
        self._put(self._summary_path, b"", "wb")
        self.add_summary(markdown)

    def _put(self, path: str, data: bytes, how: str = "ab") -> None:
        """Write all of the data. If that fails, write none of the data and log a warning."""
        if not path:
            return
        size = 0 if how == "wb" else _size(path)
        try:
            with Path(path).open(how) as stream:
                stream.write(data)
        except OSError as error:
            with suppress(OSError):
                os.truncate(path, size)
            if path not in self._unwritable:
                self._unwritable.add(path)
                self.warning(
                    f"{path}: {error.strerror}; without this file, the step's summary or outputs are incomplete"
                )

    def _annotate(self, level: str, message: str, title: str, file: str = "", line: int | None = None) -> None:
        self._annotations[level] += 1
        # the runner drops further annotations of a level and step
        if self._annotations[level] > 10:
            self.log(f"{level}: {message}")
            return
        given = {"title": title, "file": file, "line": "" if line is None else str(line)}
        properties = ",".join(
            f"{key}={_escaped(_without_controls(value)).translate(SEPARATORS)}" for key, value in given.items() if value
        )
        shown = _escaped(_without_controls(message)[:4096])
        self._write(f"::{level} {properties}::{shown}" if properties else f"::{level}::{shown}")

    def _write(self, line: str) -> None:
        # The encoding of the container may be ASCII, so characters outside that encoding must not cause an error.
        encoding = self._stream.encoding or "utf-8"
        self._stream.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        self._stream.flush()


def harmless(text: str) -> str:
    """Return the text as one line that contains neither invisible characters nor workflow commands."""
    return without_commands(visible(text))


def _without_controls(text: str) -> str:
    return re.sub(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]", " ", text)


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _size(path: str) -> int:
    """Return the size of a file, or 0 if it does not exist or cannot be read."""
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0
