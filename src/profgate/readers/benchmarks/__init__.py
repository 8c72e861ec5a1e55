"""Formats of benchmark and test results. A module here with a specification adds a format."""

from importlib import import_module
from pkgutil import iter_modules

from profgate.readers.benchmarks.specification import ResultFormat

FORMATS = tuple(
    value
    for module in iter_modules(__path__, f"{__name__}.")
    for value in vars(import_module(module.name)).values()
    if isinstance(value, ResultFormat)
)
