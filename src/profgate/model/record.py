"""The base class of immutable data. A dataclass would do the same, but the interpreter takes 30 times as long for one.

Commands import more than a hundred of these classes, so this is a large part of their start.
"""

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, dataclass_transform

from msgspec import Struct, field, to_builtins
from msgspec.structs import asdict, fields, force_setattr, replace

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, TypeAdapter
    from pydantic_core import CoreSchema

__all__ = ("Limit", "Record", "Struct", "adapter_of", "asdict", "field", "force_setattr", "replace", "to_builtins")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Record(Struct, frozen=True):
    """An immutable object with the fields that a class declares. pydantic reads it from an object of JSON."""

    @classmethod
    def __get_pydantic_core_schema__(cls, _: object, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        """Return the schema of a dictionary that is converted to an object. Unknown keys are ignored."""
        from pydantic_core.core_schema import no_info_after_validator_function

        return no_info_after_validator_function(lambda found: cls(**found), handler.generate_schema(_dictionary(cls)))


class Limit(Struct, frozen=True, eq=False):
    """A constraint that pydantic checks: the name of a class in annotated_types, and its arguments.

    That package consists of dataclasses, so it is imported only to read data.
    """

    kind: str
    arguments: dict[str, Any]

    def __get_pydantic_core_schema__(self, kind: Any, handler: "GetCoreSchemaHandler") -> "CoreSchema":  # noqa: ANN401
        """Return the schema of a type with this constraint."""
        import annotated_types

        return handler.generate_schema(Annotated[kind, getattr(annotated_types, self.kind)(**self.arguments)])


@cache
def adapter_of(kind: Any) -> "TypeAdapter[Any]":  # noqa: ANN401 - any type is allowed
    """Return pydantic's validator of a type. It is imported late because few commands read such data."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


@cache  # pydantic recognizes a class that contains itself by the identity of its type
def _dictionary(record: type[Record]) -> object:
    from typing import NotRequired

    from typing_extensions import TypedDict

    return TypedDict(  # type: ignore[operator] # mypy accepts literal fields only
        record.__name__,
        {part.name: part.type if part.required else NotRequired[part.type] for part in fields(record)},
    )
