import pytest

from profgate.errors import SettingsError
from profgate.settings.inputs import SETTINGS, Settings, settings_from

DEFAULT = Settings.model_validate({})


def test_empty_inputs_are_the_documented_defaults() -> None:
    assert settings_from({}) == settings_from({spec.name: "" for spec in SETTINGS}) == DEFAULT


def test_documented_defaults_are_accepted_and_change_nothing() -> None:
    raw = {spec.name: spec.default for spec in SETTINGS if spec.name != "token"}
    assert settings_from(raw) == DEFAULT


def test_values_are_read() -> None:
    settings = settings_from(
        {
            "token": "t0ps3cret",
            "profiles": "a/**,\nb/{x,y}.folded",
            "key": "api-cpu",
            "mode": "merge",
            "shards-result": "success",
        }
    )
    assert settings.profiles == ("a/**", "b/{x,y}.folded")
    assert settings.artifact == "profgate-api-cpu"
    assert (settings.mode, settings.shards_result) == ("merge", ("success",))


def test_the_token_is_never_shown() -> None:
    assert "t0ps3cret" not in repr(settings_from({"token": "t0ps3cret"}))
    with pytest.raises(SettingsError) as caught:
        settings_from({"token": "t0ps3cret\nsecond"})
    assert "t0ps3cret" not in str(caught.value)


def test_all_mistakes_are_reported_at_once() -> None:
    raw = {
        "mode": "sometimes",
        "key": "A--b",
        "coment": "never",
        "status": "perhaps",
        "baseline-workflow": "profile",
        "output-dir": "a\nb",
    }
    with pytest.raises(SettingsError) as caught:
        settings_from(raw)
    lines = str(caught.value).splitlines()
    assert {line.split(":")[0] for line in lines} == set(raw)
    assert len(lines) == len(raw)
    assert "did you mean comment?" in str(caught.value)
    assert "known are auto, record, compare, shard, merge, report" in str(caught.value)


@pytest.mark.parametrize("key", ["a/b", "-->", "a--b", "", " ", "x" * 61, "É"])
def test_a_key_fits_into_a_marker_and_a_file_name(key: str) -> None:
    if key.strip():
        with pytest.raises(SettingsError):
            settings_from({"key": key})
    else:
        assert settings_from({"key": key}).key == "default"
