"""Shared code of the mappers."""

from collections.abc import Iterable, Mapping
from typing import Any

from echomind_lib.contract import ProtoModel
from echomind_lib.contract.behavior import set_by_server
from echomind_lib.errors import ValidationFailedError


def pick(model: type[ProtoModel], columns: Mapping[str, Any], fields: Iterable[str]) -> dict[str, Any]:
    """Returns the columns of the given fields, without those that the server sets.

    Args:
        model: The resource whose fields they are.
        columns: All columns that can be written, by field name.
        fields: Names of the fields that are present.

    Raises:
        ValidationFailedError: A field can be read but not written here.
    """
    ignored = set_by_server(model.__proto__.DESCRIPTOR)
    present = [field for field in fields if field not in ignored]
    refused = [field for field in present if field not in columns]
    if refused:
        raise ValidationFailedError(
            f"{', '.join(refused)} cannot be changed here; {', '.join(columns)} can.",
            **dict.fromkeys(refused, "cannot be changed here"),
        )
    return {field: columns[field] for field in present}


class WithoutKey:
    """A row without its encrypted key, which no message has."""

    api_key = None

    def __init__(self, row: Any) -> None:
        """Hides the key of a row."""
        self._row = row

    def __getattr__(self, name: str) -> Any:
        return getattr(self._row, name)
