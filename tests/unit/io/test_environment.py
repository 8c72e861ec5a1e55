"""Facts of the machine, from files and variables of several kinds of machines."""

from pathlib import Path

from profgate.io.environment import cpu_model, machine_facts

INTEL = "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R)  Xeon(R) CPU @ 2.20GHz\nflags\t: fpu\n"
ARM = "processor\t: 0\nBogoMIPS\t: 50.00\nCPU part\t: 0xd0c\n"


def test_the_processor_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cpuinfo"
    path.write_text(INTEL)
    assert cpu_model(str(path)) == "Intel(R) Xeon(R) CPU @ 2.20GHz"
    path.write_text(ARM)
    assert cpu_model(str(path)) == "0xd0c"


def test_the_runner_is_named_where_there_is_one(tmp_path: Path) -> None:
    path = tmp_path / "cpuinfo"
    path.write_text(INTEL)
    env = {"RUNNER_OS": "Linux", "ImageOS": "ubuntu24", "ImageVersion": "20261101.1"}
    facts = machine_facts(env, str(path))
    assert facts["image"] == "ubuntu24 20261101.1"
    assert (facts["os"], facts["cpu"]) == ("Linux", "Intel(R) Xeon(R) CPU @ 2.20GHz")
