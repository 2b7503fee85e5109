"""Tools over the reader's documents."""

from typing import Annotated

from pydantic import Field

from echomind_agent.sources import found_event, render
from echomind_agent.tools.registry import Tool, ToolContext, ToolError, ToolParameters, ToolResult
from echomind_lib.errors import DocumentNotReadyError, NotFoundError
from echomind_lib.pb.echomind.public.v1 import run_pb2
from echomind_lib.pb.echomind.public.v1.run_pb2 import RunEvent
from echomind_lib.retrieval import Retriever

NOTHING_FOUND = "No passage in the documents that this person may read fits the query."
"""What the model is told when a search has no evidence."""

_READ_LENGTH = 12_000


class SearchDocuments(ToolParameters):
    """Parameters of `search_documents`."""

    query: Annotated[str, Field(min_length=1, max_length=1000)]
    """What to look for: a question or the words that the passage would use, in the documents' language."""
    limit: Annotated[int, Field(ge=1, le=20)] = 8
    """How many passages at most."""


class ReadDocument(ToolParameters):
    """Parameters of `read_document`."""

    source: Annotated[int, Field(ge=1)]
    """The number of a source that was found, whose document is to be read around it."""
    characters: Annotated[int, Field(ge=500, le=_READ_LENGTH)] = 6000
    """How much to read, in characters, the source in the middle."""


def search_documents(retriever: Retriever) -> Tool[SearchDocuments]:
    """The tool that finds passages."""

    async def call(context: ToolContext, parameters: SearchDocuments) -> ToolResult:
        hits = await retriever.search(context.principal, parameters.query, limit=parameters.limit)
        hits = [hit for hit in hits if hit.is_evidence]
        if not hits:
            return ToolResult(NOTHING_FOUND)
        found = context.sources.add(hits)
        event = RunEvent(
            kind=run_pb2.RUN_EVENT_KIND_PROGRESS,
            text=f"Found {len(found)} passage{'s' if len(found) > 1 else ''}",
            sources=found_event(parameters.query, found),
        )
        return ToolResult(render(found), [event])

    return Tool(
        name="search_documents",
        description=(
            "Finds passages in the documents that the person may read. Use it before you answer any question about "
            "facts, and again with other words when the first passages do not answer it. Returns numbered sources."
        ),
        parameters=SearchDocuments,
        call=call,
        progress=lambda parameters: f"Searching documents for “{parameters.query[:120]}”",
    )


def read_document(retriever: Retriever) -> Tool[ReadDocument]:
    """The tool that reads on around a found passage."""

    async def call(context: ToolContext, parameters: ReadDocument) -> ToolResult:
        source = context.sources.get(parameters.source)
        if source is None:
            raise ToolError(f"There is no source {parameters.source}. Search first, then read around a found source.")
        middle = source.start + len(source.text) // 2
        start = max(0, middle - parameters.characters // 2)
        try:
            passage = await retriever.read(context.principal, source.document_id, start, start + parameters.characters)
        except (NotFoundError, DocumentNotReadyError) as error:
            raise ToolError("That document cannot be read any more.") from error
        found = context.sources.add([passage])
        event = RunEvent(
            kind=run_pb2.RUN_EVENT_KIND_PROGRESS,
            text=f"Read {source.title}",
            sources=found_event("", found),
        )
        return ToolResult(render(found), [event])

    return Tool(
        name="read_document",
        description="Reads the text around a source that was found, when a passage alone is too short to answer from.",
        parameters=ReadDocument,
        call=call,
        progress=lambda parameters: f"Reading around source {parameters.source}",
    )
