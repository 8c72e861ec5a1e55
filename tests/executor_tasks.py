"""Tasks for executors, and results that an executor must not accept. Workers import this module."""

import os
import time
from pathlib import Path


def square(number: int, seconds: float = 0.0, notes: str = "") -> int:
    """Return the square after some time. The process writes its number to ``notes`` before."""
    if notes:
        Path(notes, f"{os.getpid()}-{number}").touch()
    time.sleep(seconds)
    return number * number


def not_data(_number: int) -> object:
    return Path("x")
