"""Formats for benchmark and test results. Each module in this package that defines ``FORMAT`` adds a format."""

from importlib import import_module
from pkgutil import iter_modules

from profgate.readers.benchmarks.specification import ResultFormat

FORMATS: tuple[ResultFormat, ...] = ()
for _module in (import_module(info.name) for info in iter_modules(__path__, f"{__name__}.")):
    if isinstance(_format := getattr(_module, "FORMAT", None), ResultFormat):
        _format.__doc__ = _module.__doc__
        FORMATS += (_format,)
TEST_RESULTS = frozenset(result.name for result in FORMATS if not result.scenarios)  # all tests belong to one run
