"""Tools over the reader's documents."""

import asyncio
from functools import partial
from typing import Annotated

from pydantic import Field

from echomind_agent.evidence.sources import found_event, render
from echomind_agent.text.shortening import one_line
from echomind_agent.tools.document_filters import NO_DOCUMENTS, Kind, connector_ids, document_filter
from echomind_agent.toolset.registry import RetryableToolError, Tool, ToolContext, ToolError, ToolResult, tool
from echomind_lib.errors import DocumentNotReadyError, NotFoundError
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.retrieval import Hits, Retriever

SEARCH = "search_documents"
"""Name of the tool whose queries are stored with the message."""
NOTHING_FOUND = "No passage in the documents that this person may read fits the query."
"""The result of a search without evidence."""

_READ_LENGTH = 12_000
_SHARE_OF_OTHERS = 4
"""This fraction (1/n) of the passages is reserved for documents that are not attached."""


def search_documents(retriever: Retriever) -> Tool:
    """Returns the tool that searches passages."""

    @tool(
        progress=lambda given: f"Searching documents for “{one_line(given.query, 120)}”",
        expect=lambda given: retriever.expect(given.query),
        untrusted=True,
        of_sources=True,
        delimits=True,
    )
    async def search_documents(
        context: ToolContext,
        query: Annotated[
            str,
            Field(
                min_length=1,
                max_length=1000,
                description="What to look for: a question or the words that the passage would use, in the documents' "
                "language.",
            ),
        ],
        limit: Annotated[int, Field(ge=1, le=20, description="How many passages at most.")] = 8,
        connectors: Annotated[
            list[Annotated[str, Field(min_length=1, max_length=255)]],
            Field(max_length=10, description="Only in these connectors, by name."),
        ] = [],  # noqa: B006 - Pydantic copies it
        types: Annotated[list[Kind], Field(max_length=8, description="Only in files of these kinds.")] = [],  # noqa: B006 - Pydantic copies it
        language: Annotated[
            str, Field(pattern="^([a-z]{2})?$", description="Only in documents in this language, such as de.")
        ] = "",
        folder: Annotated[
            str, Field(max_length=500, description="Only in this folder and those in it, such as Contracts/2026.")
        ] = "",
        added_from: Annotated[
            str, Field(max_length=10, description="Only in documents added on this day or later, such as 2026-01-31.")
        ] = "",
        added_before: Annotated[str, Field(max_length=10, description="Only in documents added before this day.")] = "",
    ) -> ToolResult:
        """Finds passages in the documents that the person may read.

        Use it before you answer any question about facts, and again with other words when the first passages do not
        answer it. Narrow it only if the question is about certain documents. Returns numbered sources.
        """
        documents = document_filter(types, language, folder, added_from, added_before)
        if connectors or not documents.is_empty:
            ids = await connector_ids(context.log.pool, context.principal, connectors)
            found_hits = await retriever.search(
                context.principal, query, limit=limit, connector_ids=ids, documents=documents, notebook=context.notebook
            )
            hits = Hits((hit for hit in found_hits if hit.is_evidence), found_hits.missing, found_hits.unranked)
            if found_hits.no_documents:
                return ToolResult(NO_DOCUMENTS)
        else:
            hits = await _search(retriever, context, query, limit)
        if not hits:
            if hits.missing:
                # What is there may say it in other words: that nothing was found must not be an answer.
                raise RetryableToolError(hits.missing)
            return ToolResult(NOTHING_FOUND)
        hits = await retriever.with_neighbours(hits)
        found = context.sources.add(hits)
        event = SessionEvent(
            kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS,
            text=f"Found {len(found)} passage{'s' if len(found) > 1 else ''}",
            sources=found_event(query, found),
        )
        return ToolResult("\n\n".join(filter(None, (render(found), hits.missing, hits.unranked))), [event])

    return search_documents


async def _search(retriever: Retriever, context: ToolContext, query: str, limit: int) -> Hits:
    """Returns the passages about a query: first those of attached documents, with some reserved for others.

    A passage of an attached document counts even without evidence, as the user refers to it: "Summarize this" shares no
    words with any text.
    """
    search = partial(retriever.search, context.principal, query, notebook=context.notebook)
    attached = Hits()
    if context.document_ids:
        own_limit = limit - limit // _SHARE_OF_OTHERS
        attached, others = await asyncio.gather(
            search(limit=own_limit, document_ids=context.document_ids), search(limit=limit)
        )
    else:
        others = await search(limit=limit)
    known = {hit.chunk_id for hit in attached}
    evidence = [*attached, *(hit for hit in others if hit.is_evidence and hit.chunk_id not in known)]
    return Hits(evidence[:limit], others.missing, others.unranked)


def read_document(retriever: Retriever) -> Tool:
    """Returns the tool that reads the text around a found passage."""

    @tool(
        progress=lambda given: f"Reading around source {given.source}", untrusted=True, of_sources=True, delimits=True
    )
    async def read_document(
        context: ToolContext,
        source: Annotated[
            int,
            Field(ge=1, description="The number of a source that was found, whose document is to be read around it."),
        ],
        characters: Annotated[
            int,
            Field(ge=500, le=_READ_LENGTH, description="How much to read, in characters, the source in the middle."),
        ] = 6000,
    ) -> ToolResult:
        """Reads the text around a source that was found, when a passage alone is too short to answer from."""
        found_source = context.sources.get(source)
        if found_source is None:
            raise ToolError(f"There is no source {source}. Search first, then read around a found source.")
        if found_source.url:
            raise ToolError(f"Source {source} is a web page: call fetch_web_page with {found_source.url} to read it.")
        middle = found_source.start + len(found_source.text) // 2
        start = max(0, middle - characters // 2)
        try:
            passage = await retriever.read(
                context.principal,
                found_source.document_id,
                start,
                start + characters,
                notebook_id=context.notebook.id if context.notebook else None,
            )
        except (NotFoundError, DocumentNotReadyError) as error:
            raise ToolError("That document cannot be read any more.") from error
        found = context.sources.add([passage])
        event = SessionEvent(
            kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS,
            text=f"Read {found_source.title}",
            sources=found_event("", found),
        )
        return ToolResult(render(found), [event])

    return read_document
