"""Options that several commands share: a parameter whose type is a dataclass becomes the fields of that dataclass.

typer reads only the parameters of functions, so that otherwise each command would repeat its options.
"""

import inspect
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_type_hints


def expand(parameters: Iterable[inspect.Parameter]) -> list[inspect.Parameter]:
    """Returns the parameters with the fields of a dataclass in the place of each that has one as its type.

    Types of fields are `Annotated` with a `typer.Option`, and each field has a default.
    """
    expanded: list[inspect.Parameter] = []
    for parameter in parameters:
        if not _is_group(parameter):
            expanded.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        hints = get_type_hints(parameter.annotation, include_extras=True)
        for field in fields(parameter.annotation):
            assert field.default is not MISSING, f"{field.name} has no default"
            expanded.append(
                inspect.Parameter(
                    field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
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
            names = [field.name for field in fields(parameter.annotation)]
            arguments[parameter.name] = parameter.annotation(**{name: values[name] for name in names})
        else:
            arguments[parameter.name] = values[parameter.name]
    return arguments


def given(**values: Any) -> dict[str, Any]:
    """Returns the values that are not None, which an option is that was not given."""
    return {name: value for name, value in values.items() if value is not None}


def _is_group(parameter: inspect.Parameter) -> bool:
    return isinstance(parameter.annotation, type) and is_dataclass(parameter.annotation)
