from collections.abc import Sequence

from profgate.compare.recordings import read_recordings
from profgate.errors import ProfileError
from profgate.model.profile import Configuration, Facts, FrameList, Profile
from profgate.model.source import SourceFile, source_of


def read(sources: Sequence[SourceFile]) -> list[Profile | ProfileError]:
    facts = {"stated": Facts(job="7")}
    return [
        Profile(source.name, Configuration(), (), FrameList.of_names([]), facts=facts.get(source.name, Facts()))
        for source in sources
    ]


def test_files_of_a_base_run_are_of_one_job() -> None:
    noise = [[source_of(name, b"") for name in names] for names in (["a", "b"], ["stated"], ["c"])]
    jobs = [[profile.facts.job for profile in files] for files in read_recordings(([], []), noise, read).noise]
    assert jobs == [["base run 1", "base run 1"], ["7"], ["base run 3"]]
