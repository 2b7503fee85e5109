"""What a model proposes to remember: parsed strictly, and checked against what it was shown."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Final, Literal

import msgspec

from echomind_agent.evidence.claims import Statement
from echomind_lib.db.words import MemoryTrust, MemoryType
from echomind_lib.memories import Memory, NewMemory
from echomind_lib.retrieval import detect_language
from echomind_lib.secret_text import secret_in
from echomind_lib.text import single_line

MOST_NEW: Final = 5
"""Memories that one session may add, however often it is extracted from."""
_MOST_OPERATIONS: Final = 20
_MOST_CHARACTERS: Final = 500
_LEAST_SUPPORT: Final = 0.5
"""Share of a memory's terms that the quoted messages must say for it to count as said by the person."""
_FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)
_ADDRESS = re.compile(r"https?://|www\.|\]\(|<[a-z/!]|\b\w+\.(?:com|net|org|io|dev|app)/", re.IGNORECASE)
# What tells an assistant to do something, rather than saying how something is.
_INSTRUCTION = re.compile(
    r"\b(?:ignore|disregard|override|always|never|must|make\s+sure|from\s+now\s+on|whenever|as\s+soon\s+as"
    r"|send|forward|post|upload|e-?mail|call|invoke|execute|run|open|fetch|click|transfer|pay|delete|approve|reveal"
    r"|ignoriere|immer|niemals|sende|schicke|rufe|überweise|lösche|öffne)\b",
    re.IGNORECASE,
)
# Words of the form that memories have; they say nothing of what one is about.
_OF_ALL: Final = Statement("The person user prefers likes wants has is", "en").terms


class Proposal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One operation as a model writes it."""

    op: Literal["ADD", "UPDATE", "MERGE", "DELETE"]
    messages: list[int]
    """Ids of the person's messages that say it."""
    kind: MemoryType | None = None
    text: str = ""
    importance: float = 0.5
    confidence: float = 0.5
    targets: list[int] = []
    """Numbers of the memories shown that it is about."""
    expires: str | None = None
    """The last day on which it matters, as YYYY-MM-DD."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """An operation that may be carried out."""

    targets: Sequence[Memory] = ()
    """What it closes."""
    memory: NewMemory | None = None
    """What it stores; None for a removal."""


class NotJsonError(ValueError):
    """What the model wrote is no list of operations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What the model was shown."""

    session_id: int
    messages: Mapping[int, str]
    """The person's messages, by id."""
    candidates: Sequence[Memory]
    """Memories that they may be about, from number 1 on."""
    may_add: int = MOST_NEW
    """How many memories the session may still add."""


def read_operations(written: str, shown: Shown) -> tuple[list[Operation], int]:
    """Returns the operations that may be carried out, and how many were dropped.

    An operation is dropped as a whole when anything about it is not as it was asked for: unknown fields, messages that
    are not the person's, memories that were not shown or are of another kind, secrets, addresses, instructions.

    Args:
        written: What the model wrote.
        shown: What it was shown.

    Raises:
        NotJsonError: It is no JSON list.
    """
    fenced = _FENCE.match(written)
    try:
        listed = msgspec.json.decode(fenced[1] if fenced else written.strip(), type=list[msgspec.Raw])
    except msgspec.DecodeError as error:
        raise NotJsonError(str(error)) from error
    found: list[Operation] = []
    taken: set[int] = set()
    new = 0
    for raw in listed[:_MOST_OPERATIONS]:
        try:
            proposal = msgspec.json.decode(raw, type=Proposal)
        except msgspec.DecodeError:  # a mismatch of types among them
            continue
        operation = _checked(proposal, shown)
        if operation is None:
            continue
        targets = {target.id for target in operation.targets}
        is_new = operation.memory is not None and not targets
        if targets & taken or (is_new and new >= shown.may_add):
            continue
        taken |= targets
        new += is_new
        found.append(operation)
    return found, len(listed) - len(found)


def _checked(proposal: Proposal, shown: Shown) -> Operation | None:
    """Returns the operation that a proposal stands for; None when it may not be carried out."""
    quoted = [shown.messages[each] for each in proposal.messages if each in shown.messages]
    if not quoted or len(quoted) < len(proposal.messages):
        return None
    numbers = set(proposal.targets)
    if any(not 1 <= number <= len(shown.candidates) for number in numbers) or len(numbers) < len(proposal.targets):
        return None
    targets = [shown.candidates[number - 1] for number in proposal.targets]
    if not _count_fits(proposal.op, len(targets)):
        return None
    said = " ".join(quoted)
    if proposal.op == "DELETE":
        return Operation(targets=targets) if _shares_terms(said, targets[0].content) else None
    memory = _memory(proposal, shown, said)
    if memory is None or not all(_may_replace(memory, target, merges=len(targets) > 1) for target in targets):
        return None
    return Operation(targets=targets, memory=memory)


def _count_fits(op: str, targets: int) -> bool:
    return {"ADD": targets == 0, "UPDATE": targets == 1, "DELETE": targets == 1, "MERGE": targets >= 2}[op]


def _memory(proposal: Proposal, shown: Shown, said: str) -> NewMemory | None:
    text = single_line(proposal.text, _MOST_CHARACTERS + 1).strip()
    if not text or len(text) > _MOST_CHARACTERS or proposal.kind is None:
        return None
    if not (0 <= proposal.importance <= 1 and 0 <= proposal.confidence <= 1):
        return None
    if secret_in(text) or _ADDRESS.search(text):
        return None
    trust = _trust(text, said)
    if trust == "derived" and _INSTRUCTION.search(text):
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


def _trust(text: str, said: str) -> MemoryTrust:
    """Returns whether the person said it, or it is at least in part from elsewhere: an answer, a document."""
    language = detect_language(text)
    memory, message = Statement(text, language), Statement(said, language)
    terms = memory.terms - _OF_ALL
    is_said = len(terms & message.terms) >= _LEAST_SUPPORT * len(terms) and memory.figures <= message.figures | _dates(
        text
    )
    return "user_said" if is_said else "derived"


def _dates(text: str) -> frozenset[str]:
    """Returns the figures of dates in a text: a relative date was made absolute."""
    found = re.findall(r"\b\d{4}-\d{2}(?:-\d{2})?\b|\b\d{1,2}\.? \w+ \d{4}\b|\b(?:19|20)\d{2}\b", text)
    return frozenset().union(*(Statement(each, "en").figures for each in found))


def _may_replace(memory: NewMemory, target: Memory, *, merges: bool) -> bool:
    """Returns whether a memory is about the same as another one, and loses nothing of it where they are merged."""
    if memory.memory_type != target.memory_type or not _shares_terms(memory.content, target.content):
        return False
    if not merges:
        return True
    language = detect_language(target.content)
    new, old = Statement(memory.content, language), Statement(target.content, language)
    return old.figures <= new.figures and old.names <= new.terms


def _shares_terms(one: str, other: str) -> bool:
    language = detect_language(other)
    return bool((Statement(one, language).terms & Statement(other, language).terms) - _OF_ALL)


def _end_of(day: str | None) -> datetime | None:
    if not day:
        return None
    return datetime.combine(datetime.strptime(day, "%Y-%m-%d").date(), time.max, UTC)  # noqa: DTZ007 - a day
