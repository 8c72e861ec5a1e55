from profgate.compare.recordings import read_recordings
from profgate.model.profile import Configuration, Facts, FrameList, Profile
from profgate.model.source import source_of


def test_files_of_a_base_run_are_of_one_job() -> None:
    noise = [[source_of(name, b"") for name in names] for names in (["a", "b"], ["stated"], ["c"])]
    read = []
    for name in ("a", "b", "stated", "c"):
        facts = Facts(job="7") if name == "stated" else Facts()
        read.append(Profile(name, Configuration(), (), FrameList.of_names([]), facts=facts))
    _, _, *jobs = read_recordings([[], [], *noise], read).profiles
    assert [[profile.facts.job for profile in job] for job in jobs] == [
        ["base run 1", "base run 1"],
        ["7"],
        ["base run 3"],
    ]
