from profgate.track.jump_pages import in_turns


def test_metrics_take_turns() -> None:
    assert in_turns(["time", "time", "calls", "time", "calls", "bytes"], "calls") == [2, 0, 5, 4, 1, 3]
    assert in_turns([], "calls") == []
