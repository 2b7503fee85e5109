"""Lists in OpenAI's form: pages after an id."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

from pydantic import Field

from echomind_api.transports.openai.chat_request import Body
from echomind_api.transports.openai.errors import OpenAiError

Json = dict[str, Any]
FILE = "file-"
"""Prefix of a document's id."""
STORE = "vs_"
"""Prefix of a connector's id."""
_DIGITS = 18
T = TypeVar("T")


class Listing(Body):
    """The query of a list."""

    after: str = ""
    before: Literal[""] = ""
    limit: int = Field(default=20, ge=1, le=100)
    order: Literal["asc", "desc"] = "desc"


class FileListing(Listing):
    """The query of a list of files."""

    limit: int = Field(default=1_000, ge=1, le=10_000)
    purpose: str = ""


class StoreFileListing(Listing):
    """The query of a list of a store's files."""

    filter: Literal["", "in_progress", "completed", "failed", "cancelled"] = ""


def number_of(prefix: str, text: str, param: str | None = None) -> int:
    """Returns the number in an id.

    Args:
        prefix: `FILE` or `STORE`.
        text: The id.
        param: The field of the request that has it; None for the address.

    Raises:
        OpenAiError: It is no such id.
    """
    digits = text.removeprefix(prefix)
    if text.startswith(prefix) and digits.isascii() and digits.isdecimal() and len(digits) <= _DIGITS and int(digits):
        return int(digits)
    raise OpenAiError(
        f"There is no {text[:100]!r}: ids are {prefix} and a number, such as {prefix}12.",
        status=404,
        code="not_found",
        param=param,
    )


def page(rows: Sequence[T], limit: int, form: Callable[[T], Json]) -> Json:
    """Returns a page.

    Args:
        rows: Its rows, and one more if the list continues.
        limit: Maximum number of its rows.
        form: Returns a row in OpenAI's form.
    """
    data = [form(row) for row in rows[:limit]]
    return {
        "object": "list",
        "data": data,
        "first_id": data[0]["id"] if data else None,
        "last_id": data[-1]["id"] if data else None,
        "has_more": len(rows) > limit,
    }
