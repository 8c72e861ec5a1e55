from profgate.measuring.track.measuring import coarse_to_fine


def test_bisection_order_has_every_version_once() -> None:
    assert coarse_to_fine(9) == [8, 0, 4, 2, 6, 1, 3, 5, 7]
    for count in range(40):
        assert sorted(coarse_to_fine(count)) == list(range(count))
