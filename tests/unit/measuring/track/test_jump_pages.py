from profgate.measuring.track.jump_pages import page_path
from profgate.measuring.track.versions import Version


def test_file_name_of_a_page_fits_and_stays_in_its_folder() -> None:
    versions = Version("../" + "v" * 300, "a" * 40), Version("..", "b" * 40)
    folder, _, name = page_path("../b" * 100, "::" + "m" * 300, versions).rpartition("/")
    assert folder == "jumps"
    assert len(name) <= 255
    assert name != page_path("../b" * 100, "::" + "m" * 300, versions[::-1])
