"""Manifest of a set of profiles: the commit, run and machine, and the format and digest of each file."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Interval, MaxLen, Predicate

from profgate.errors import ProfileError
from profgate.model.profile import Facts

if TYPE_CHECKING:
    from pydantic import TypeAdapter

MANIFEST_NAME = "profgate-manifest.json"
SCHEMA = "profgate.manifest/1"
MOST_BYTES = 128 << 20
Text = Annotated[str, MaxLen(1000)]
Whole = Annotated[int, Interval(ge=0, lt=2**63)]
Rate = Annotated[float, Interval(ge=0, lt=1e15)]
Digest = Annotated[str, Predicate(re.compile(r"[0-9a-f]{64}").fullmatch)]


@dataclass(frozen=True, slots=True)
class ManifestFile:
    """One stored profile. ``path`` is relative to the manifest. Unknown values are None."""

    path: Text
    sha256: Digest
    format: Text = ""
    configuration: Text = ""
    profiler: Text | None = None
    profiler_version: Text | None = None
    rate: Rate | None = None
    truncated: bool | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """A stored set of profiles. Unknown values are empty strings."""

    commit: Text = ""
    ref: Text = ""
    event: Text = ""
    run_id: Whole = 0
    attempt: Whole = 0
    job: Text = ""
    os: Text = ""
    architecture: Text = ""
    cpu_model: Text = ""
    runner_image: Text = ""
    profgate_version: Text = ""
    files: tuple[ManifestFile, ...] = ()

    def facts_of(self, path: str, facts: Facts) -> Facts:
        """Return the facts about a file. Facts that the file does not contain are taken from the manifest."""
        entry = next((file for file in self.files if file.path == path), None)
        job = f"{self.run_id}/{self.attempt}/{self.job}" if self.run_id else None
        known: dict[str, Any] = {name: getattr(self, name) or None for name in ("os", "architecture", "cpu_model")}
        known["job"] = job
        if entry is not None:
            known |= {name: getattr(entry, name) for name in ("profiler", "profiler_version", "rate", "truncated")}
        return replace(facts, **{name: value for name, value in known.items() if getattr(facts, name) is None})


def manifest_to_json(manifest: Manifest) -> str:
    """Return the manifest as JSON text in the format `profgate.manifest/1`."""
    return json.dumps({"schema": SCHEMA, **asdict(manifest)}, indent=1, allow_nan=False) + "\n"


def manifest_from_json(data: bytes) -> Manifest:
    """Parse a manifest from untrusted bytes and ignore unknown keys.

    Raises `ProfileError` if the bytes are not a manifest of a known version.
    """
    from pydantic import ValidationError  # imported late because few commands read a manifest

    if len(data) > MOST_BYTES:
        raise ProfileError(MANIFEST_NAME, f"is larger than {MOST_BYTES:,} bytes; record the baseline again")
    try:
        content = json.loads(data)
        if isinstance(content, dict) and content.get("schema") == SCHEMA:
            return _adapter().validate_json(data, strict=True)
        what = f"its schema is not {SCHEMA}"
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        what = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    except (ValueError, RecursionError) as error:
        what = str(error)
    raise ProfileError(MANIFEST_NAME, f"does not have profgate's format ({what}); record the baseline again")


@cache
def _adapter() -> "TypeAdapter[Manifest]":
    from pydantic import TypeAdapter

    return TypeAdapter(Manifest)


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
