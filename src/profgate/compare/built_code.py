"""Names the functions of built scripts by their sources, if the source maps of all runs are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from profgate.model.frame_names import CLAIMED, file_key

if TYPE_CHECKING:
    from profgate.model.profile import FrameList, Profile


def named_by_sources(profiles: Sequence[Profile]) -> list[Profile]:
    """Replace the names, files and lines of frames with those in the sources.

    A script keeps its own names if it also occurs in a run without its sources: otherwise, each of its functions would
    have two names.
    """
    if not any(profile.frames.sources for profile in profiles):
        return list(profiles)
    with_sources = [{source.script for source in profile.frames.sources.values()} for profile in profiles]
    scripts = _by_last_part(set().union(*with_sources))
    without = set[str]()
    for profile, own in zip(profiles, with_sources, strict=True):
        known = {file_key(script) for script in own}
        without |= {script for file in set(profile.frames.files) for script in _scripts_of(file, scripts)} - known
    return [replace(profile, frames=_named(profile.frames, without)) for profile in profiles]


def _by_last_part(scripts: set[str]) -> dict[str, set[str]]:
    """Return the normalised paths of scripts by their file names."""
    found: dict[str, set[str]] = {}
    for script in scripts:
        path = file_key(script)
        found.setdefault(path.rpartition("/")[2], set()).add(path)
    return found


def _scripts_of(file: str | None, scripts: Mapping[str, set[str]]) -> set[str]:
    """Return the scripts that a recorded path may refer to."""
    path = file_key(file or "")
    namesakes = scripts.get(path.rpartition("/")[2], set())
    return {script for script in namesakes if f"/{path}".endswith(f"/{script}")}


def _named(frames: FrameList, without: set[str]) -> FrameList:
    names, files, lines = list(frames.names), list(frames.files), list(frames.lines)
    for number, source in frames.sources.items():
        if file_key(source.script) not in without:
            names[number], files[number], lines[number] = source.name, f"{CLAIMED}{source.file}", source.line
    return frames._replace(names=names, files=files, lines=lines, sources={})
