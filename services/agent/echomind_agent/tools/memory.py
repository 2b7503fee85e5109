"""Tools for the asker's memories."""

from typing import Annotated, Any, Final

from pydantic import Field

from echomind_agent.text.delimiting import delimited
from echomind_agent.text.memory_lines import memory_line
from echomind_agent.toolset.registry import Tool, ToolContext, ToolError, tool
from echomind_lib.db.words import MemoryTrust, MemoryType
from echomind_lib.learned.facts import FactVectors, index_soon
from echomind_lib.learned.memories import NewMemory, find_memories
from echomind_lib.learned.memories.changes import insert_memory, reinforce
from echomind_lib.learned.memories.erasure import erase_memories
from echomind_lib.learned.memories.recalled import draw_on_memories
from echomind_lib.learned.memories.rows import list_memories, read_memory
from echomind_lib.secret_text import secret_in
from echomind_lib.text import single_line

REMEMBER: Final = "remember"
SEARCH_MEMORY: Final = "search_memory"
NOTHING_REMEMBERED: Final = "Nothing is remembered about this."
"""The result of a search without a memory."""
FORGET: Final = "forget"
MEMORY_TOOLS: Final = frozenset({REMEMBER, SEARCH_MEMORY, FORGET})
"""The tools for users whose memory is on."""

_FOUND: Final = 8
_CHARACTERS: Final = 500
_RECENT: Final = 200
_MAX_ID: Final = 2**31 - 1


def _changes_after_untrusted(context: ToolContext, _: Any) -> bool:
    """Returns whether the person must approve it, as untrusted text may have caused it."""
    return context.untrusted


def remember() -> Tool:
    """Returns the tool that stores a memory."""

    @tool(name=REMEMBER, progress=lambda _: "Remembering", side_effect=_changes_after_untrusted, redacts=True)
    async def store(
        context: ToolContext,
        text: Annotated[
            str, Field(min_length=1, max_length=_CHARACTERS, description='One sentence about "the person".')
        ],
        kind: Annotated[
            MemoryType,
            Field(description="semantic: a fact or preference; episodic: an event; procedural: a way of working."),
        ] = "semantic",
    ) -> str:
        """Remembers something about the person for later conversations.

        Call it only when the person asks you to remember something. Never for passwords, keys or numbers of cards.
        """
        content = single_line(text, _CHARACTERS)
        if (secret := secret_in(content)) is not None:
            raise ToolError(f"This holds what looks like {secret}, and secrets are never remembered.")
        pool, user_id = context.log.pool, context.principal.user_id
        known = await list_memories(pool, context.principal, before=_MAX_ID, limit=_RECENT)
        same = next((memory for memory in known if memory.content.casefold() == content.casefold()), None)
        if same is not None:  # also if an interrupted attempt has stored it
            question = context.lease.run.question_id
            await reinforce(pool, user_id, same.id, message_ids=[question] if question else [])
            return "That is remembered already."
        trust: MemoryTrust = "user_confirmed" if context.untrusted else "user_said"
        memory = NewMemory(
            memory_type=kind,
            content=content,
            confidence=0.9,
            trust=trust,
            has_sources=True,  # whatever the session has read may be what the model remembers
            session_id=context.lease.session_id,
        )
        memory_id = await insert_memory(pool, user_id, memory)
        await index_soon(pool, context.log.bus)
        return f"Remembered, with the id {memory_id}."

    return store


def search_memory(facts: FactVectors) -> Tool:
    """Returns the tool that searches memories."""

    @tool(
        name=SEARCH_MEMORY,
        progress=lambda given: f"Recalling {given.query}",
        untrusted=True,
        is_personal=True,
        delimits=True,
    )
    async def find(
        context: ToolContext,
        query: Annotated[str, Field(min_length=1, max_length=_CHARACTERS, description="What they are about.")],
    ) -> str:
        """Finds what is remembered of the person from earlier conversations, beyond what you were given."""
        found = await find_memories(context.log.pool, facts, context.principal, query, _FOUND)
        if not found:
            return NOTHING_REMEMBERED
        if with_sources := [each.memory.id for each in found if each.memory.has_sources]:
            await draw_on_memories(context.log.pool, context.lease, with_sources)
        return delimited("memories", "\n".join(memory_line(each.memory) for each in found))

    return find


def forget() -> Tool:
    """Returns the tool that deletes a memory."""

    @tool(name=FORGET, progress=lambda _: "Forgetting", side_effect=_changes_after_untrusted)
    async def erase(
        context: ToolContext,
        memory_id: Annotated[int, Field(ge=1, le=_MAX_ID, description="The number in brackets before the memory.")],
    ) -> str:
        """Deletes one memory of the person permanently. Call it only when the person asks you to forget it."""
        pool = context.log.pool
        if await read_memory(pool, context.principal, memory_id) is None:
            return f"There is no memory {memory_id} any more."
        await erase_memories(pool, context.principal.user_id, [memory_id])
        await index_soon(pool, context.log.bus)
        return "Forgotten."

    return erase
