import gzip
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from hypothesis import given
from hypothesis import strategies as st

from profgate.errors import ProfileError
from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.model.units import MetricKind
from profgate.readers.pprof import PprofReader
from profgate.readers.protobuf_wire import repeated_varints
from stack_rows import paths_of

DATA = Path(__file__).parents[2] / "data" / "pprof"
Stack = tuple[str, ...]

# the public schema: message, then name, number and type of its fields; * is repeated, *? repeated and not packed
SCHEMA = {
    "ValueType": "type=1 int64, unit=2 int64",
    "Sample": "location_id=1 *uint64, value=2 *int64, label=3 *Label",
    "LooseSample": "location_id=1 *?uint64, value=2 *?int64, label=3 *Label",
    "Label": "key=1 int64, str=2 int64, num=3 int64, num_unit=4 int64",
    "Mapping": "id=1 uint64, memory_start=2 uint64, memory_limit=3 uint64, file_offset=4 uint64, filename=5 int64",
    "Location": "id=1 uint64, mapping_id=2 uint64, address=3 uint64, line=4 *Line, is_folded=5 bool",
    "Line": "function_id=1 uint64, line=2 int64, column=3 int64",
    "Function": "id=1 uint64, name=2 int64, system_name=3 int64, filename=4 int64, start_line=5 int64",
    "Profile": "sample_type=1 *ValueType, sample=2 *Sample, mapping=3 *Mapping, location=4 *Location,"
    " function=5 *Function, string_table=6 *string, drop_frames=7 int64, keep_frames=8 int64, time_nanos=9 int64,"
    " duration_nanos=10 int64, period_type=11 ValueType, period=12 int64, comment=13 *int64,"
    " default_sample_type=14 int64, unheard_of=999 string, fixed=998 fixed32, wide=997 fixed64",
    "LooseProfile": "sample_type=1 *ValueType, sample=2 *LooseSample, location=4 *Location, string_table=6 *string",
}


def schema() -> dict[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(name="profile.proto", package="p", syntax="proto3")
    types = descriptor_pb2.FieldDescriptorProto
    for name, text in SCHEMA.items():
        message = file.message_type.add(name=name)
        for part in text.split(","):
            label, kind = part.strip().split(" ")
            field_name, number = label.split("=")
            item = message.field.add(name=field_name, number=int(number))
            item.label = types.LABEL_REPEATED if kind.startswith("*") else types.LABEL_OPTIONAL
            if kind.startswith("*?"):
                item.options.packed = False
            kind = kind.lstrip("*?")
            if kind in SCHEMA:
                item.type, item.type_name = types.TYPE_MESSAGE, f".p.{kind}"
            else:
                item.type = types.Type.Value(f"TYPE_{kind.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"p.{name}")) for name in SCHEMA}


CLASSES = schema()


class Builder:
    """A profile message by names instead of numbers."""

    def __init__(self, *types: tuple[str, str]) -> None:
        self.message = CLASSES["Profile"](string_table=[""])
        for name, unit in types:
            self.message.sample_type.add(type=self.string(name), unit=self.string(unit))

    def string(self, text: str) -> int:
        if text not in self.message.string_table:
            self.message.string_table.append(text)
        return list(self.message.string_table).index(text)

    def function(self, number: int, name: str, system: str = "", file: str = "", start: int = 0) -> None:
        self.message.function.add(
            id=number,
            name=self.string(name),
            system_name=self.string(system),
            filename=self.string(file),
            start_line=start,
        )

    def location(self, number: int, *lines: tuple[int, int], address: int = 0, mapping: int = 0) -> None:
        found = self.message.location.add(id=number, address=address, mapping_id=mapping)
        for function, line in lines:
            found.line.add(function_id=function, line=line)

    def sample(self, locations: list[int], *values: int) -> None:
        self.message.sample.add(location_id=locations, value=values)

    def bytes(self) -> bytes:
        data: bytes = self.message.SerializeToString()
        return data


def small() -> Builder:
    built = Builder(("samples", "count"), ("cpu", "nanoseconds"))
    built.function(1, "main.main", file="main.go", start=3)
    built.function(2, "main.work", file="main.go", start=10)
    built.function(3, "main.add", file="add.go")
    built.location(1, (1, 5))
    built.location(2, (3, 8), (2, 12))
    built.sample([2, 1], 3, 30)
    built.sample([1], 1, 10)
    built.message.period = 10
    built.message.period_type.type = built.string("cpu")
    built.message.period_type.unit = built.string("nanoseconds")
    return built


def read(data: bytes) -> Profile:
    return PprofReader().read(source_of("cpu.pb.gz", data))


def stacks_of(profile: Profile) -> Counter[tuple[Stack, tuple[int, ...]]]:
    """Each stack with its values, as often as it stands."""
    return Counter((path, tuple(values)) for path, values in paths_of(profile.stacks, profile.frames.names))


PREEMPTED = ("runtime.asyncPreempt", "runtime.asyncPreempt2")  # how Go's profiler interrupts a function


def judged(data: bytes) -> Counter[tuple[Stack, tuple[int, ...]]]:
    """The same by the protobuf library, one sample at a time."""
    message = CLASSES["Profile"].FromString(data)
    names = {
        item.id: message.string_table[item.name] or message.string_table[item.system_name] for item in message.function
    }
    locations = {
        place.id: [names[line.function_id] for line in place.line] or [f"[{place.address:#x}]"]
        for place in message.location
    }
    found: Counter[tuple[Stack, tuple[int, ...]]] = Counter()
    for sample in message.sample:
        path = [name for location in sample.location_id for name in locations[location] if name not in PREEMPTED]
        if path:
            found[tuple(reversed(path)), tuple(sample.value)] += 1
    return found


def test_a_minimal_profile_has_inlined_frames_metrics_and_periods() -> None:
    found = read(small().bytes())
    assert stacks_of(found) == {(("main.main", "main.work", "main.add"), (3, 30)): 1, (("main.main",), (1, 10)): 1}
    assert [(metric.name, metric.unit, metric.kind) for metric in found.metrics] == [
        ("samples", "count", MetricKind.SAMPLED),
        ("cpu", "nanoseconds", MetricKind.SAMPLED),
    ]
    assert found.periods == (1, 10)
    assert found.facts.rate == pytest.approx(1e8)
    rows = dict(zip(found.frames.names, zip(found.frames.files, found.frames.lines, strict=True), strict=True))
    assert rows == {"main.main": ("main.go", 3), "main.work": ("main.go", 10), "main.add": ("add.go", 8)}


# the threads of Go have no names
@pytest.mark.parametrize("path", sorted(DATA.glob("*[!e].pb.gz")), ids=lambda path: path.name)
def test_recorded_profiles_hold_what_the_protobuf_library_sees(path: Path) -> None:
    data = path.read_bytes()
    assert stacks_of(read(data)) == judged(gzip.decompress(data))
    assert sum(stacks_of(read(data)).values()) > 1


@pytest.mark.parametrize("name", ["goroutine", "threadcreate"])
def test_goroutines_and_threads_are_counted(name: str) -> None:
    found = read((DATA / f"go-1.26.8-{name}.pb.gz").read_bytes())
    assert (found.metrics[0].kind, found.periods) == (MetricKind.COUNTED, (None,))


def test_samples_of_a_heap_are_bytes_over_the_period() -> None:
    found = read((DATA / "go-1.26.8-heap.pb.gz").read_bytes())
    assert found.stacks is not None
    objects, space, *_ = found.stacks.values.sum(axis=1).tolist()
    assert found.periods[1] == found.periods[3] == 4096
    assert found.periods[0] == round(objects * 4096 / space)
    assert {metric.kind for metric in found.metrics} == {MetricKind.SAMPLED}


def random_profile(samples: int) -> bytes:
    chance = random.Random(samples)
    built = Builder(("samples", "count"), ("alloc_space", "bytes"))
    for number in range(1, 40):
        built.function(number, f"f{number}", file=f"f{number % 3}.c")
    ids = [chance.randrange(1, 1 << 64) for _ in range(60)]
    for number in ids:
        lines = [(chance.randrange(1, 40), chance.randrange(1, 99)) for _ in range(chance.randrange(3))]
        built.location(number, *lines, address=number >> 1)
    for _ in range(samples):
        path = [chance.choice(ids) for _ in range(chance.randrange(1, 30))]
        built.sample(path, chance.randrange(1, 1 << chance.randrange(1, 40)), chance.randrange(1 << 45))
        if chance.random() < 0.2:
            built.message.sample[-1].label.add(key=1, num=chance.randrange(-5, 1 << 60))
    return built.bytes()


@pytest.mark.parametrize("samples", [1, 30, 9000])
def test_many_samples_hold_what_the_protobuf_library_sees(samples: int) -> None:
    data = random_profile(samples)
    assert stacks_of(read(data)) == judged(data)


def test_unpacked_numbers_are_the_same_as_packed_ones() -> None:
    packed = random_profile(300)
    loose = CLASSES["LooseProfile"].FromString(packed).SerializeToString()
    assert len(loose) != len(packed)
    assert stacks_of(read(loose)) == judged(packed)


def test_locations_without_lines_are_addresses_of_their_binary() -> None:
    built = Builder(("samples", "count"))
    built.message.mapping.add(id=7, filename=built.string("/usr/lib/libc.so.6"))
    built.location(1, address=0x7F00, mapping=7)
    built.sample([1], 2)
    found = read(built.bytes())
    assert found.frames.names == ["[0x7f00]"]
    assert found.frames.modules == ["/usr/lib/libc.so.6"]


def test_a_function_without_name_has_its_linker_name() -> None:
    built = Builder(("samples", "count"))
    built.function(1, "", system="_ZN3fooE")
    built.function(2, "", file="x.c")
    built.location(1, (1, 4), address=16)
    built.location(2, (2, 9), address=32)
    built.sample([2, 1], 1)
    assert stacks_of(read(built.bytes())) == {(("_ZN3fooE", "[0x20]"), (1,)): 1}


def test_samples_without_locations_weigh_on_the_root() -> None:
    built = small()
    built.sample([], 4, 40)
    found = read(built.bytes())
    assert found.stacks is not None
    assert found.stacks.root_values.tolist() == [4, 40]


def test_inlined_calls_cannot_outgrow_the_memory() -> None:
    built = Builder(("samples", "count"))
    built.function(1, "f")
    built.location(1, *[(1, 1)] * 20_000)
    for _ in range(30):
        built.sample([1] * 200, 1)
    with pytest.raises(ProfileError, match="120,000,000 frames"):
        read(built.bytes())


def test_of_a_number_written_twice_the_last_counts() -> None:
    twice = small()
    for number in range(4, 40):
        twice.function(number, f"f{number}", file="a.go", start=number)
        twice.location(number, (number, 1))
    twice.sample(list(range(4, 40)), 1, 10)
    data = twice.bytes()
    for message in [*twice.message.function, *twice.message.location]:
        once = message.SerializeToString()
        # the same message after another number of its own, and before text in a field that holds a number
        wrong = bytes((8, 99)) + once + bytes((0x12, 2, 8, 98))
        data = data.replace(bytes((len(once),)) + once, bytes((len(wrong),)) + wrong)
    assert len(data) > len(twice.bytes())
    assert stacks_of(read(data)) == stacks_of(read(twice.bytes()))
    assert read(data).frames.lines == read(twice.bytes()).frames.lines


def without_types(built: Builder) -> None:
    del built.message.sample_type[:]


def without_empty_text(built: Builder) -> None:
    built.message.string_table[0] = "x"


def with_unknown_name(built: Builder) -> None:
    built.message.function[0].name = 1000


def with_large_sum(built: Builder) -> None:
    built.sample([1], 1 << 62, 1)
    built.sample([1], 1 << 62, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda built: built.sample([1], -3, 5), r"byte \d+: a value is negative"),
        (lambda built: built.sample([1], 3), r"byte \d+: a sample does not have 2 values"),
        (lambda built: built.sample([99], 1, 1), r"byte \d+: location 99 does not exist"),
        (lambda built: built.location(9, (77, 1)), r"byte \d+: function 77 does not exist"),
        (with_unknown_name, r"byte \d+: string 1000 does not exist"),
        (lambda built: built.location(1, (1, 1)), "location 1 occurs twice"),
        (without_types, "no sample type"),
        (without_empty_text, "string table is missing"),
        (with_large_sum, r"add up to more than 2\^63"),
    ],
)
def test_what_does_not_fit_together_is_refused(change: Callable[[Builder], None], message: str) -> None:
    built = small()
    change(built)
    with pytest.raises(ProfileError, match=message):
        read(built.bytes())


@given(st.binary(max_size=12))
def test_damaged_messages_are_refused_by_both_loops(body: bytes) -> None:
    """Forty equal messages take the vectorised way, one takes the plain one."""
    outcomes: list[tuple[list[int], list[object]]] = []
    for count in (1, 40):
        ends = np.arange(1, count + 1, dtype=np.int64) * len(body)
        try:
            counts, values = repeated_varints(body * count, ends - len(body), ends, (1,), "x")[1]
            outcomes.append((counts[:1].tolist(), values[: int(counts[0])].tolist()))
        except ProfileError:
            outcomes.append(([], ["refused"]))
    assert outcomes[0] == outcomes[1]


def test_executed_lines_are_separate_frames_of_one_function() -> None:
    built = small()
    built.location(3, (2, 14))
    built.location(4, (3, 6))
    built.sample([3, 1], 1, 10)
    built.sample([4, 1], 1, 10)
    frames = read(built.bytes()).frames
    rows = set(zip(frames.names, frames.lines, frames.executed or (), strict=True))
    assert rows == {
        ("main.main", 3, 5),
        ("main.work", 10, 12),
        ("main.work", 10, 14),
        ("main.add", 6, 8),  # the start of this function is unknown
        ("main.add", 6, 6),
    }
