"""Options that several commands share: a parameter whose type is a dataclass becomes the fields of that dataclass.

typer reads only the parameters of functions, so that otherwise each command would repeat its options.
"""

import inspect
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from typing import Annotated, Any, ClassVar, get_args, get_origin, get_type_hints

import typer

from echomind_lib.models import public
from echomind_lib.models.public import words
from echomind_lib.models.public.field_help import FIELD_HELP


class FieldOptions:
    """A dataclass of options with the names of fields of a message of the contract; None: not given.

    What the help says of such a field, and its bounds, come from the contract, unless its `typer.Option` has a `help`.

    Attributes:
        message: Name of the message, `Llm`.
    """

    message: ClassVar[str]

    def __init_subclass__(cls, message: str = "") -> None:
        """Sets the message of the options; those of a subclass are of the same one."""
        if message:
            cls.message = message

    def given_fields(self) -> dict[str, Any]:
        """Returns the given values of the contract's fields; lists without repetitions and empty texts."""
        values = {name: getattr(self, name) for name in _names(self) if f"{self.message}.{name}" in FIELD_HELP}
        return {name: in_contract(value) for name, value in values.items() if value is not None and value != []}


def word_of(member: Any) -> str:
    """Returns what the command line calls a member of an enum of the contract; its own word if it has no other."""
    known = getattr(words, type(member).__name__).__members__.get(member.name)
    return str(member.word if known is None else known)


def _names(options: Any) -> list[str]:
    return [field.name for field in fields(options)]


def in_contract(value: Any) -> Any:
    """Returns the value of an option as the contract has it: the member of its enum for a word."""
    if isinstance(value, list):
        return [in_contract(each) for each in dict.fromkeys(value) if each != ""]
    if isinstance(value, StrEnum):
        return getattr(public, type(value).__name__)[value.name]
    return value


def _described(annotation: Any, message: str, name: str) -> Any:
    """Returns the type of an option with what the contract says of the field that it has the name of."""
    if (known := FIELD_HELP.get(f"{message}.{name}")) is None:
        return annotation
    kind, option = get_args(annotation) if get_origin(annotation) is Annotated else (annotation, typer.Option())
    text, least, largest = known
    option = copy(option)
    if option.help is None:
        is_list = any(get_origin(each) is list for each in (kind, *get_args(kind)))
        option.help = f"{text.removesuffix('.')}; repeatable." if is_list else text
    option.min, option.max = (
        bound if own is None else own for own, bound in ((option.min, least), (option.max, largest))
    )
    return Annotated[kind, option]


def expand(parameters: Iterable[inspect.Parameter]) -> list[inspect.Parameter]:
    """Returns the parameters with the fields of a dataclass in the place of each that has one as its type.

    Types of fields are `Annotated` with a `typer.Option`, or those of `FieldOptions`, and each field has a default.
    """
    expanded: list[inspect.Parameter] = []
    for parameter in parameters:
        if not _is_group(parameter):
            expanded.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        hints = get_type_hints(parameter.annotation, include_extras=True)
        for field in fields(parameter.annotation):
            assert field.default is not MISSING, f"{field.name} has no default"
            annotation = hints[field.name]
            if issubclass(parameter.annotation, FieldOptions):
                annotation = _described(annotation, parameter.annotation.message, field.name)
            expanded.append(
                inspect.Parameter(
                    field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=annotation
                )
            )
    return expanded


def gather(parameters: Sequence[inspect.Parameter], values: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments of a function, with the values of fields put together to their dataclasses again.

    Args:
        parameters: The function's own parameters, as they were given to `expand`.
        values: Values by the names of the expanded ones.
    """
    arguments: dict[str, Any] = {}
    for parameter in parameters:
        if _is_group(parameter):
            names = _names(parameter.annotation)
            arguments[parameter.name] = parameter.annotation(**{name: values[name] for name in names})
        else:
            arguments[parameter.name] = values[parameter.name]
    return arguments


class Switch(StrEnum):
    """Whether something is on."""

    ON = "on"
    OFF = "off"


def given(**values: Any) -> dict[str, Any]:
    """Returns the values that are not None, which an option is that was not given."""
    return {name: value for name, value in values.items() if value is not None}


def _is_group(parameter: inspect.Parameter) -> bool:
    return isinstance(parameter.annotation, type) and is_dataclass(parameter.annotation)
