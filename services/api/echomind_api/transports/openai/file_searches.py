"""Searches of a run as items `file_search_call` of its response, for requests that include their results."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import asyncpg
from sqlalchemy import ARRAY, BigInteger, Uuid, any_, bindparam, func, or_, select
from sqlalchemy import Text as SqlText

from echomind_api.transports.openai.listings import FILE
from echomind_lib.access import Principal
from echomind_lib.access.documents import documents_cited
from echomind_lib.db.models.content import Connector, Document
from echomind_lib.db.models.runs import Step, ToolCall
from echomind_lib.db.statements import Query
from echomind_lib.documents.names import FILE_NAME
from echomind_lib.retrieval.rendered import parse_sources

RESULTS: Final = "file_search_call.results"
"""What a request includes to get the searches."""
SEARCH: Final = "fs_"
"""Prefix of the id of a search's item."""
SEARCH_TOOL: Final = "search_documents"
Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    call_id: str
    query: str
    result: str
    sources: Any | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    id: int
    title: str
    file_name: str


_call_id = bindparam("call_id", type_=SqlText)
_SEARCHES: Final = Query(
    select(
        ToolCall.tool_call_id.label("call_id"),
        func.coalesce(ToolCall.parameters["query"].astext, "").label("query"),
        func.coalesce(ToolCall.result, "").label("result"),
        ToolCall.sources,
    )
    .join(Step, Step.id == ToolCall.step_id)
    .where(
        Step.run_id == bindparam("run_id", type_=Uuid),
        ToolCall.tool_name == SEARCH_TOOL,
        ToolCall.status == "completed",
        or_(_call_id == "", ToolCall.tool_call_id == _call_id),
    )
    .order_by(ToolCall.id),
    _Search,
)
_NAMES: Final = Query(
    select(Document.id, Document.title, FILE_NAME)
    .join(Connector, Connector.id == Document.connector_id)
    .where(
        Document.id == any_(bindparam("document_ids", type_=ARRAY(BigInteger))),
        Document.deleted_date.is_(None),
        Connector.deleted_date.is_(None),
        documents_cited().where(),
    ),
    _Named,
)


async def searches_of(pool: asyncpg.Pool, reader: Principal, run_id: UUID, call_id: str = "") -> list[Json]:
    """Returns the searches of a run as items, with the passages whose documents the reader may still read.

    Args:
        pool: The database.
        reader: The person whose run it is, which the caller has checked.
        run_id: The run.
        call_id: The only call to return; empty for all.
    """
    searches = await _SEARCHES.fetch_all(pool, run_id=run_id, call_id=call_id)
    ids = {int(source.get("documentId", 0)) for search in searches for source in search.sources or ()}
    found = await _NAMES.fetch_all(pool, document_ids=list(ids), **documents_cited().values(reader)) if ids else []
    names = {each.id: each.file_name or each.title for each in found}
    return [_item(run_id, search, names) for search in searches]


def item_begun(item_id: str) -> Json:
    """Returns the item of a search that has begun."""
    return {"id": item_id, "type": "file_search_call", "status": "in_progress", "queries": [], "results": None}


def _item(run_id: UUID, search: _Search, names: dict[int, str]) -> Json:
    texts = {source.number: source.text for source in parse_sources(search.result)}
    item = item_begun(f"{SEARCH}{run_id.hex}_{search.call_id}")
    results = _results(search.sources or (), texts, names)
    return item | {"status": "completed", "queries": [search.query], "results": results}


def _results(sources: Sequence[Json], texts: dict[int, str], names: dict[int, str]) -> list[Json]:
    return [
        {
            "file_id": f"{FILE}{document_id}",
            "filename": names[document_id],
            "score": source.get("score", 0.0),
            "attributes": {},
            "text": texts.get(source["number"], ""),
        }
        for source in sources
        if (document_id := int(source.get("documentId", 0))) in names
    ]
