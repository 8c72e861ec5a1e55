"""Splits files of benchmark results into one workload per benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import starmap

import numpy as np

from profgate.model.arrays import IntArray, read_only
from profgate.model.profile import FAILED_RUNS, FrameList, Measurements, Profile, counted_warning
from profgate.model.reason import Reason, ReasonCode, without_repeats
from profgate.model.record import replace


def taken_apart(profiles: Iterable[Profile]) -> list[Profile]:
    """Split each profile of several benchmarks into one profile per benchmark, with its name in the configuration.

    Warnings about a whole file are not copied to the new profiles; `warnings_of` returns them.
    """
    return [part for profile in profiles for part in _parts(profile)]


def warnings_of(profiles: Iterable[Profile]) -> tuple[Reason, ...]:
    """Return the warnings about whole benchmark files."""
    found: list[Reason] = []
    for profile in profiles:
        if profile.measurements is None or not profile.measurements.scenarios:
            continue
        texts = [*profile.warnings, *starmap(counted_warning, profile.warning_counts.items())]
        for text in texts:
            code = ReasonCode.FAILED_RUNS if text.startswith(FAILED_RUNS) else ReasonCode.PROFILE_WARNING
            found.append(Reason(code, {"file": profile.name, "text": text}))
    return without_repeats(found)


def scenario_of(profile: Profile) -> str | None:
    """Return the name of the benchmark in a profile from `taken_apart`, or None for the profile of a program."""
    return profile.configuration.workload if profile.measurements and profile.measurements.scenarios else None


def _parts(profile: Profile) -> Iterator[Profile]:
    body = profile.measurements
    if profile.beside is not None:
        facts = replace(profile.facts, format=profile.beside.facts.format)  # those of the manifest are of the file
        yield from _parts(replace(profile.beside, facts=facts))
    if body is None or not body.scenarios:
        yield profile
        return
    order = np.argsort(body.frame, kind="stable")
    starts = np.searchsorted(body.frame[order], np.arange(len(profile.frames.names) + 1))
    for number in range(len(profile.frames.names)):
        yield _part(profile, body, number, np.sort(order[starts[number] : starts[number + 1]]))


def _part(profile: Profile, body: Measurements, number: int, records: IntArray) -> Profile:
    frames, configuration = profile.frames, profile.configuration
    metric = np.zeros(len(records), np.int64) if body.metric is None else body.metric[records]
    places, metric = np.unique(metric, return_inverse=True)
    return replace(
        profile,
        configuration=replace(configuration, workload=frames.names[number]),
        metrics=tuple(profile.metrics[place] for place in places.tolist()),
        frames=FrameList(
            *([column[number]] for column in (frames.names, frames.files, frames.lines, frames.modules))  # type: ignore[arg-type]
        ),
        measurements=Measurements(
            frame=read_only(np.zeros(len(records), np.int64)),
            amount=read_only(body.amount[records]),
            size=read_only(body.size[records]),
            exclusive=read_only(body.exclusive[records]),
            subtypes=[body.subtypes[record] for record in records.tolist()],
            order=read_only(body.order[records]),
            metric=read_only(metric.reshape(-1)),
            scenarios=True,
        ),
        periods=(None,) * len(places),
        warnings=(),
        warning_counts={},
    )
