"""Manifest of a set of profiles: the commit, run and machine, and the format and digest of each file."""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Annotated, Any

from profgate.errors import ProfileError
from profgate.model.profile import Facts
from profgate.model.record import Limit, Record, adapter_of, replace, to_builtins
from profgate.model.source import MANIFEST_NAME, RECORDING_NAME

SCHEMA = "profgate.manifest/2"
MOST_BYTES = 128 << 20
_Text = Annotated[str, Limit("MaxLen", {"max_length": 1000})]
LongText = Annotated[str, Limit("MaxLen", {"max_length": 20_000})]
Whole = Annotated[int, Limit("Interval", {"ge": 0, "lt": 2**63})]
Rate = Annotated[float, Limit("Interval", {"ge": 0, "lt": 1e15})]
RECORDED = ("cpu_model", "image", "kernel", "c_library", "compiler", "runtime")
FACTS = ("os", "architecture", *RECORDED, "environment")
_LONGEST_TEXT, _LONGEST_ENVIRONMENT, _LONGEST_NUMBER = 1000, 20_000, 10
Digest = Annotated[str, Limit("Predicate", {"func": re.compile(r"[0-9a-f]{64}").fullmatch})]


class ManifestFile(Record):
    """One stored profile. ``path`` is relative to the manifest. Unknown values are None."""

    path: _Text
    sha256: Digest
    format: _Text = ""
    configuration: _Text = ""
    profiler: _Text | None = None
    profiler_version: _Text | None = None
    rate: Rate | None = None
    truncated: bool | None = None


class Manifest(Record):
    """A stored set of profiles. Unknown values are empty strings. The ``environment`` is described in `Facts`.

    ``folder`` contained the files in the workspace of their job.
    """

    commit: _Text = ""
    ref: _Text = ""
    event: _Text = ""
    run_id: Whole = 0
    attempt: Whole = 0
    job: _Text = ""
    os: _Text = ""
    architecture: _Text = ""
    cpu_model: _Text = ""
    image: _Text = ""
    kernel: _Text = ""
    c_library: _Text = ""
    compiler: _Text = ""
    runtime: _Text = ""
    environment: LongText = ""
    folder: _Text = ""
    profgate_version: _Text = ""
    files: tuple[ManifestFile, ...] = ()

    def recorded(self, facts: Mapping[str, str]) -> "Manifest":
        """Return the manifest with facts that the recording step stated."""
        return replace(self, **facts)

    def facts_of(self, path: str, facts: Facts) -> Facts:
        """Return the facts about a file. Facts that the file does not contain are taken from the manifest."""
        entry = next((file for file in self.files if file.path == path), None)
        job = f"{self.run_id}/{self.attempt}/{self.job}" if self.run_id else None
        known: dict[str, Any] = {name: getattr(self, name) or None for name in FACTS}
        known["job"] = job
        if entry is not None:
            known |= {name: getattr(entry, name) for name in ("profiler", "profiler_version", "rate", "truncated")}
        return replace(facts, **{name: value for name, value in known.items() if getattr(facts, name) is None})


def recording_facts(data: bytes, where: str = RECORDING_NAME) -> dict[str, str]:
    """Return the facts in a file that the recording step wrote, which are fields of a manifest.

    Each line is ``name=value``. In ``env.NAME=LENGTH``, a variable of the recorded program's environment has a value of
    this length; the values themselves are not stored. Raises ProfileError with the line of the first mistake.
    """
    facts, variables = dict[str, str](), dict[str, int]()
    for number, line in enumerate(data.decode(errors="replace").splitlines(), start=1):
        name, _, value = line.strip().partition("=")
        if name.startswith("env.") and value.isdecimal() and len(value) < _LONGEST_NUMBER:
            variables[name.removeprefix("env.")] = int(value)
        elif name in RECORDED and len(value) <= _LONGEST_TEXT:
            facts[name] = value.strip()
        elif line.strip():
            expected = f"expected one of {', '.join(RECORDED)} or env.NAME=LENGTH, found {line[:60]!r}"
            raise ProfileError(f"{where}:{number}", expected)
    if variables:
        # as the kernel lays it out: NAME=VALUE, a zero byte and a pointer
        size = sum(len(name) + 1 + length + 1 + 8 for name, length in variables.items())
        facts["environment"] = f"{size} bytes: {' '.join(sorted(variables))}"[:_LONGEST_ENVIRONMENT]
    return facts


def manifest_to_json(manifest: Manifest) -> str:
    """Return the manifest as JSON text in the format `profgate.manifest/2`."""
    return json.dumps({"schema": SCHEMA, **to_builtins(manifest)}, indent=1, allow_nan=False) + "\n"


def manifest_from_json(data: bytes) -> Manifest:
    """Parse a manifest from untrusted bytes. Raises `ProfileError` unless it is one of a known version."""
    from pydantic import ValidationError  # imported late because few commands read a manifest

    if len(data) > MOST_BYTES:
        raise ProfileError(MANIFEST_NAME, f"is larger than {MOST_BYTES:,} bytes; record the baseline again")
    try:
        content = json.loads(data)
        if isinstance(content, dict) and content.get("schema") == SCHEMA:
            found: Manifest = adapter_of(Manifest).validate_json(data, strict=True)
            return found
        what = f"its schema is not {SCHEMA}"
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        what = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    except (ValueError, RecursionError) as error:
        what = str(error)
    raise ProfileError(MANIFEST_NAME, f"does not have profgate's format ({what}); record the baseline again")


def check_files(manifest: Manifest, files: Mapping[str, bytes]) -> None:
    """Raise `ProfileError` unless these are exactly the files that the manifest lists, with the same digests."""
    listed = {file.path: file.sha256 for file in manifest.files}
    if len(listed) != len(manifest.files):
        raise ProfileError(MANIFEST_NAME, "lists a file twice; store the profiles again")
    if set(listed) != set(files):
        raise ProfileError(MANIFEST_NAME, "lists other files than the artifact contains; store the profiles again")
    for path, digest in listed.items():
        if hashlib.sha256(files[path]).hexdigest() != digest:
            raise ProfileError(path, "its bytes differ from the manifest; store the profiles again")
