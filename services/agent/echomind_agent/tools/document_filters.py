"""Filters that a model gives to the search in documents: checked, and resolved for the person who asks."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal

import asyncpg
from sqlalchemy import select

from echomind_agent.toolset.registry import ToolError
from echomind_lib.access import Principal, connectors_of_scopes
from echomind_lib.db.models import Connector
from echomind_lib.db.statements import Query, columns
from echomind_lib.retrieval.documents import DocumentFilter

Kind = Literal["pdf", "word", "spreadsheet", "presentation", "email", "web_page", "text", "image"]
"""Kinds of files that a model may name."""
NO_DOCUMENTS: Final = (
    "No document that this person may read matches the filters, so that nothing was searched: search again with other "
    "filters or without them."
)
"""The result of a search whose filters match nothing."""
_NAMED: Final = 30
"""Maximum number of connectors that an error names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    id: int
    name: str


_rule = connectors_of_scopes()
_CONNECTORS: Final = Query(
    select(*columns(_Named, Connector))
    .where(Connector.deleted_date.is_(None), _rule.where(Connector))
    .order_by(Connector.name, Connector.id),
    _Named,
)


async def connector_ids(pool: asyncpg.Pool, asker: Principal, names: Sequence[str]) -> list[int]:
    """Returns the connectors with these names or ids, of those that the asker searches.

    Raises:
        ToolError: There is none with a name; the message names those that there are.
    """
    if not names:
        return []
    known = await _CONNECTORS.fetch_all(pool, **_rule.values(asker))
    found: list[int] = []
    for name in names:
        folded = name.strip().casefold()
        ids = [each.id for each in known if folded in (each.name.casefold(), str(each.id))]
        if not ids:
            listed = ", ".join(f"“{each.name}”" for each in known[:_NAMED]) or "none"
            raise ToolError(f"There is no connector “{name}” that this person may read; there are: {listed}.")
        found += ids
    return found


def document_filter(
    types: Sequence[Kind], language: str, folder: str, added_from: str, added_before: str
) -> DocumentFilter:
    """Returns the filter of a search.

    Raises:
        ToolError: A day does not exist, or the first is not before the last.
    """
    start, end = _day(added_from, "added_from"), _day(added_before, "added_before")
    if start is not None and end is not None and start >= end:
        raise ToolError("added_from: must be before added_before.")
    return DocumentFilter(
        kinds=types,
        languages=[language] if language else [],
        folder=folder.strip().strip("/"),
        created_from=start,
        created_before=end,
    )


def _day(given: str, field: str) -> datetime | None:
    """Returns the beginning of a day in UTC; None for an empty one."""
    if not given:
        return None
    try:
        return datetime.strptime(given, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise ToolError(f"{field}: {given} is no day; give it as 2026-01-31.") from None
