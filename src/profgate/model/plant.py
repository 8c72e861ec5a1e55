"""Work that was planted in a function to prove that a gate reports it."""

from typing import Annotated

from profgate.errors import ProfgateError
from profgate.model.record import Limit, Record

PLANT_NAME = "canary.json"
Text = Annotated[str, Limit("Len", {"min_length": 1, "max_length": 1000})]


class Plant(Record):
    """A planted change: a function as profiles name it, its file in the repository, and the added share of the run.

    ``workloads`` are those of the baseline, once for each shard. ``caught`` is the date (YYYY-MM-DD) on which the check
    of a pull request reported the change, or "".
    """

    function: Text
    file: Text
    size: Annotated[float, Limit("Interval", {"ge": 0.001, "le": 10.0})]
    workloads: tuple[Text, ...] = ()
    caught: Annotated[str, Limit("Len", {"min_length": 0, "max_length": 100})] = ""


def plant_from_json(text: str, where: str) -> Plant:
    """Parse a planted change from untrusted text. Raises ProfgateError if it is invalid."""
    from pydantic import TypeAdapter, ValidationError  # imported late because few commands read one

    try:
        return TypeAdapter(Plant).validate_json(text.encode("utf-8", "replace"), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise ProfgateError(where, f"{'.'.join(map(str, first['loc']))}: {first['msg']}; plant again") from None
