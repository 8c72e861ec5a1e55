from profgate.track.jump_pages import in_turns, page_path
from profgate.track.versions import Version


def test_metrics_take_turns() -> None:
    assert in_turns(["time", "time", "calls", "time", "calls", "bytes"], "calls") == [2, 0, 5, 4, 1, 3]
    assert in_turns([], "calls") == []


def test_file_name_of_a_page_fits_and_stays_in_its_folder() -> None:
    versions = Version("../" + "v" * 300, "a" * 40), Version("..", "b" * 40)
    folder, _, name = page_path("../b" * 100, "::" + "m" * 300, versions).rpartition("/")
    assert folder == "jumps"
    assert len(name) <= 255
    assert name != page_path("../b" * 100, "::" + "m" * 300, versions[::-1])
