from profgate.model.change import Location
from profgate.report.rows import finding_key


def test_finding_key_is_short_and_stable() -> None:
    assert finding_key(Location("parse", "a.py", 7)) == finding_key(Location("parse", "a.py", 99))
    assert finding_key(Location("parse")) == "0f4a53d2d2d0cbce"


def test_functions_of_one_name_have_their_own_keys() -> None:
    places = [Location("f"), Location("f", "a.py"), Location("f", "b.py"), Location("f", "a.py", context=("m", "f"))]
    assert len({finding_key(place) for place in places}) == 4


def test_half_a_surrogate_pair_has_a_key_too() -> None:
    assert len(finding_key(Location("\ud800"))) == 16
