"""What a reader of benchmark results found, by benchmark and metric."""

from profgate.model.profile import Profile


def values(profile: Profile, name: str, metric: str = "time") -> list[float]:
    """The runs of one benchmark in their order, in the metric's base unit."""
    body = profile.measurements
    assert body is not None
    assert body.metric is not None
    found = {
        int(order): float(amount)
        for frame, place, order, amount in zip(body.frame, body.metric, body.order, body.amount, strict=True)
        if (profile.frames.names[frame], profile.metrics[place].name) == (name, metric)
    }
    assert sorted(found) == list(range(len(found)))
    return [found[order] for order in sorted(found)]


def means(profile: Profile, metric: str = "time") -> dict[str, float]:
    """The mean of the runs of each benchmark that has such a metric."""
    by_name = {name: values(profile, name, metric) for name in profile.frames.names}
    return {name: sum(runs) / len(runs) for name, runs in by_name.items() if runs}
