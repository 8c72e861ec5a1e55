"""The policy of a run: read at the baseline commit, made stricter by the inputs of this run, never looser."""

import os
import posixpath
from dataclasses import replace

from profgate import wiring
from profgate.action.job import Job
from profgate.adapters.files import read_text
from profgate.config_file import Catalogue, read_policy, tightened
from profgate.detect.registry import DEFAULTS
from profgate.errors import SettingsError
from profgate.model.policy import Policy, Rule


def policy_at(job: Job, commit: str | None) -> tuple[Policy, tuple[str, ...]]:
    """The policy at the baseline commit (of the checkout where None), and what was refused."""
    catalogue: Catalogue = {name: one.options for one in wiring.strategies() for name in (one.name, one.short)}
    settings, warnings = job.settings, []
    name = settings.config
    here = _config_here(job)
    if commit is None:
        policy = Policy() if here is None else read_policy(here, name, catalogue)
    else:
        data = job.client.file_at(name, commit)
        text = None if data is None else data.decode("utf-8-sig", "replace")
        policy = Policy() if text is None else read_policy(text, name, catalogue)
        if here is not None and here != text and job.context.event_name == "pull_request":
            warnings.append(f"{name} is changed by this pull request; the change counts after the merge")
    unknown = [one for one in settings.strategies if one not in catalogue]
    if unknown:
        raise SettingsError("strategies", f"{', '.join(unknown)} unknown; known are {', '.join(catalogue)}")
    policy, refused = tightened(policy, settings.gate_requests(), settings.strategies)
    if settings.strategies and not policy.rules:
        policy = replace(policy, rules=tuple(Rule(one) for one in (*DEFAULTS, *settings.strategies)))
    if settings.gate_without_history is not None:
        warnings.append("the input gate-without-history no longer has an effect; remove it")
    return policy, (*warnings, *refused)


def _config_here(job: Job) -> str | None:
    place = posixpath.join(job.context.workspace, job.settings.config)
    return read_text(place) if os.path.isfile(place) else None  # noqa: PTH113 - a question, not a path
