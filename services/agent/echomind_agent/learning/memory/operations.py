"""Operations on memories that a model proposes: parsed strictly, and checked against its prompt."""

from datetime import UTC, datetime, time
from functools import partial
from typing import Final, TypeAlias

from echomind_agent.learning import proposals
from echomind_agent.learning.checks import (
    is_instruction,
    is_stated,
    keeps_details,
    may_be_kept,
    names_host,
    shares_terms,
)
from echomind_agent.learning.proposals import DATE, SHARE, list_schema, read_list
from echomind_agent.learning.repetition import without_repetition
from echomind_lib.db.words import MemoryTrust, MemoryType
from echomind_lib.learned.memories import Memory, NewMemory
from echomind_lib.llms.schemas import Schema, or_null, text_schema, words
from echomind_lib.text import single_line

MAX_NEW: Final = 5
"""Maximum number of memories from one session, over all extractions."""
_MAX_CHARACTERS: Final = 500
_USUAL_CHARACTERS: Final = 240
"""Longest memory of a model that is held to a form: one sentence."""

Operation: TypeAlias = proposals.Operation[Memory, NewMemory]
Shown: TypeAlias = proposals.Shown[Memory]


class Proposal(proposals.Proposal, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One operation as written by a model."""

    kind: MemoryType | None = None
    text: str = ""
    importance: float = 0.5
    confidence: float = 0.5
    expires: str | None = None
    """The last day on which it matters, as YYYY-MM-DD."""


def answer_schema(shown: Shown) -> Schema:
    """Returns the schema of a model's answer, for servers with constrained output."""
    return list_schema(
        shown,
        ("ADD", "UPDATE", "MERGE", "DELETE"),
        kind=words("semantic", "episodic", "procedural"),
        text=text_schema(_USUAL_CHARACTERS),
        importance=SHARE,
        confidence=SHARE,
        expires=or_null(DATE),
    )


def read_operations(written: str, shown: Shown) -> tuple[list[Operation], int]:
    """Returns the valid operations, and the number of dropped ones.

    An operation is dropped if any part of it is invalid: unknown fields, messages that are not the person's, memories
    that were not shown or are of another type, secrets, addresses, instructions.

    Args:
        written: Output of the model.
        shown: The contents of the prompt.

    Raises:
        NotJsonError: It is not a list of operations.
    """
    return read_list(written, Proposal, partial(_checked, shown), shown.may_add)


def _checked(shown: Shown, proposal: Proposal) -> Operation | None:
    """Returns the operation of a proposal; None if it is not valid."""
    quoted, targets = shown.quoted(proposal), shown.targets(proposal)
    if not quoted or targets is None:
        return None
    if proposal.op == "DELETE":
        return Operation(targets=targets) if shares_terms(quoted, targets[0].content) else None
    memory = _memory(proposal, shown, quoted)
    if memory is None or not all(_may_replace(memory, target, merges=len(targets) > 1) for target in targets):
        return None
    return Operation(targets=targets, new=memory)


def _memory(proposal: Proposal, shown: Shown, quoted: str) -> NewMemory | None:
    text = without_repetition(single_line(proposal.text, _MAX_CHARACTERS + 1).strip())
    if not text or len(text) > _MAX_CHARACTERS or proposal.kind is None:
        return None
    if not (0 <= proposal.importance <= 1 and 0 <= proposal.confidence <= 1):
        return None
    trust: MemoryTrust = "user_said" if is_stated(text, quoted) else "derived"
    if not may_be_kept(text) or (trust == "derived" and (is_instruction(text) or names_host(text))):
        return None
    try:
        expires_at = _end_of(proposal.expires)
    except ValueError:
        return None
    return NewMemory(
        memory_type=proposal.kind,
        content=text,
        importance=round(proposal.importance, 2),
        confidence=round(proposal.confidence, 2),
        trust=trust,
        session_id=shown.session_id,
        message_ids=sorted(set(proposal.messages)),
        expires_at=expires_at,
    )


def _may_replace(memory: NewMemory, target: Memory, *, merges: bool) -> bool:
    """Returns whether a memory has the same subject as another one, and, for a merge, loses none of its details."""
    if memory.memory_type != target.memory_type or not shares_terms(memory.content, target.content):
        return False
    return not merges or keeps_details(memory.content, target.content)


def _end_of(day: str | None) -> datetime | None:
    if not day:
        return None
    return datetime.combine(datetime.strptime(day, "%Y-%m-%d").date(), time.max, UTC)  # noqa: DTZ007 - a day
