"""One program under one input, with the runs of both sides."""

from dataclasses import dataclass, field

from profgate.model.profile import Configuration, Profile


@dataclass(frozen=True, slots=True, eq=False)
class Workload:
    """The runs of one configuration. ``noise_runs`` are base runs of other commits, used only to estimate the noise."""

    name: str
    configuration: Configuration
    baseline_runs: tuple[Profile, ...]
    target_runs: tuple[Profile, ...]
    noise_runs: tuple[Profile, ...] = field(default=())
