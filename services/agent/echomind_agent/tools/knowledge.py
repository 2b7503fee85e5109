"""The tool that searches knowledge, for runs whose user may read any."""

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import Field

from echomind_agent.text.delimiting import delimited
from echomind_agent.toolset.registry import Tool, ToolContext, ToolResult, tool
from echomind_lib.learned.knowledge.search import KnowledgeMatch, KnowledgeSearch
from echomind_lib.learned.knowledge.uses import note_found
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent

SEARCH_KNOWLEDGE: Final = "search_knowledge"
NOTHING_KNOWN: Final = "Nothing that is known fits the query."
"""The result of a search without a matching entity."""


def search_knowledge(search: KnowledgeSearch) -> Tool:
    """Returns the tool that searches entities."""

    @tool(
        name=SEARCH_KNOWLEDGE,
        progress=lambda given: f"Searching knowledge for “{given.query[:120]}”",
        untrusted=True,
        is_personal=True,
        delimits=True,
    )
    async def find(
        context: ToolContext,
        query: Annotated[
            str, Field(min_length=1, max_length=1000, description="What to look for, as a question or a statement.")
        ],
        limit: Annotated[int, Field(ge=1, le=10, description="How many entities at most.")] = 5,
    ) -> ToolResult:
        """Finds what the organization and the person know beyond documents.

        That is established rules, ways of working, preferences, and lessons from earlier failures. Use it before you
        decide how to do something, and beside the search of documents. When you rely on an entity, write its name
        behind the sentence, such as [K12].
        """
        matches = await search.search(context.principal, query, limit)
        if not matches:
            return ToolResult(NOTHING_KNOWN)
        await note_found(context.log.pool, context.lease.run_id, [match.found.id for match in matches])
        return ToolResult(_render(matches), [_event(query, matches)])

    return find


def _render(matches: Sequence[KnowledgeMatch]) -> str:
    return "\n".join(
        delimited(
            "knowledge",
            match.found.content,
            name=f"K{match.found.id}",
            title=match.found.title,
            category=match.found.category,
        )
        for match in matches
    )


def _event(query: str, matches: Sequence[KnowledgeMatch]) -> SessionEvent:
    event = SessionEvent(
        kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS,
        text=f"Found {len(matches)} {'entity' if len(matches) == 1 else 'entities'} of knowledge",
    )
    event.knowledge.query = query
    for match in matches:
        event.knowledge.entities.add(
            id=match.found.id, title=match.found.title, score=match.score, document_ids=match.found.document_ids
        )
    return event
