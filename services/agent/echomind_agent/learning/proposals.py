"""Changes that a model proposes: a list in JSON, each item of which is accepted or rejected as a whole."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, Protocol, TypeVar

import msgspec

from echomind_lib.llms.answer import UNDECODABLE
from echomind_lib.llms.schemas import Schema, array, struct, words

_MAX_OPERATIONS: Final = 20
_MAX_LISTED: Final = 4
"""Maximum number of messages and of targets of an operation in a schema."""
_LIST = re.compile(r'\A\s*(?:\{\s*"operations"\s*:\s*)?\[')
_BETWEEN = re.compile(r"[\s,]*")
_FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)
_TARGETS: Final[Mapping[str, Callable[[int], bool]]] = {
    "ADD": lambda number: number == 0,
    "UPDATE": lambda number: number == 1,
    "MERGE": lambda number: number >= 2,
    "DELETE": lambda number: number == 1,
}


DATE: Final[Schema] = {"type": "string", "format": "date"}
SHARE: Final[Schema] = {"type": "number"}
"""Schema of a number from 0 to 1."""


class NotJsonError(ValueError):
    """The model's output does not have the requested form."""


class Stored(Protocol):
    """A known fact."""

    @property
    def id(self) -> int:
        """Returns the id of its row."""


Known = TypeVar("Known", bound=Stored)
New = TypeVar("New")


class Proposal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One operation as written by a model."""

    op: Literal["ADD", "UPDATE", "MERGE", "DELETE"]
    messages: list[int]
    """Ids of the person's messages that it is based on."""
    targets: list[int] = []
    """Numbers of the shown facts that it refers to."""


Proposed = TypeVar("Proposed", bound=Proposal)


class _Proposals(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The complete output of a model."""

    operations: list[msgspec.Raw]


@dataclass(frozen=True, kw_only=True)
class Operation(Generic[Known, New]):
    """A valid operation."""

    targets: Sequence[Known] = ()
    """The known facts that it changes."""
    new: New | None = None
    """The new fact; None for a removal."""


@dataclass(frozen=True, kw_only=True)
class Shown(Generic[Known]):
    """The contents of the prompt."""

    session_id: int
    messages: Mapping[int, str]
    """The person's messages, by id."""
    candidates: Sequence[Known]
    """Known facts that they may refer to, numbered from 1."""
    may_add: int = 5
    """Remaining number of additions from the session."""

    def quoted(self, proposal: Proposal) -> str:
        """Returns the messages of a proposal; empty if one of them was not shown."""
        found = [self.messages[each] for each in proposal.messages if each in self.messages]
        return "\n".join(found) if len(found) == len(proposal.messages) else ""

    def targets(self, proposal: Proposal) -> list[Known] | None:
        """Returns a proposal's targets; None if one was not shown, or their number does not match the operation."""
        numbers = set(proposal.targets)
        if any(not 1 <= number <= len(self.candidates) for number in numbers) or len(numbers) < len(proposal.targets):
            return None
        return [self.candidates[each - 1] for each in proposal.targets] if _TARGETS[proposal.op](len(numbers)) else None


def list_schema(shown: "Shown[Any]", operations: Sequence[str], **properties: Schema) -> Schema:
    """Returns the schema of an answer that can only refer to shown messages and targets.

    Args:
        shown: The contents of the prompt.
        operations: The allowed operations.
        properties: Further properties of an item, besides operation, messages and targets.
    """
    numbers = list(range(1, len(shown.candidates) + 1))
    op = words(*operations) if numbers else words("ADD")
    targets: Schema = {"type": "integer", "enum": numbers} if numbers else {"type": "integer"}
    item = struct(
        op=op,
        messages=array({"type": "integer", "enum": list(shown.messages)}, 1, min(len(shown.messages), _MAX_LISTED)),
        **properties,
        targets=array(targets, 0, min(len(numbers), _MAX_LISTED)),
    )
    return struct(operations=array(item, 0, _MAX_OPERATIONS))


def read_json(written: str, kind: Any) -> Any:
    """Returns the parsed output of a model, which may be a code block.

    Raises:
        NotJsonError: It is not JSON of this type.
    """
    fenced = _FENCE.match(written)
    try:
        return msgspec.json.decode(fenced[1] if fenced else written.strip(), type=kind)
    except UNDECODABLE as error:
        raise NotJsonError(str(error)) from error


def _items(written: str) -> list[msgspec.Raw]:
    """Returns the raw operations; of a truncated list, the complete ones.

    Raises:
        NotJsonError: There is no list.
    """
    try:
        answer: _Proposals | list[msgspec.Raw] = read_json(written, _Proposals | list[msgspec.Raw])
    except NotJsonError:
        if whole := list(_whole_items(written)):
            return whole
        raise
    return answer if isinstance(answer, list) else answer.operations


def _whole_items(written: str) -> Iterator[msgspec.Raw]:
    began = _LIST.match(written)
    if began is None:
        return
    decoder, position = json.JSONDecoder(), began.end()
    while (between := _BETWEEN.match(written, position)) is not None:
        try:
            _, end = decoder.raw_decode(written, between.end())
        except (ValueError, RecursionError):
            return
        yield msgspec.Raw(written[between.end() : end].encode())
        position = end


def read_list(
    written: str, kind: type[Proposed], check: Callable[[Proposed], Operation[Known, New] | None], max_new: int
) -> tuple[list[Operation[Known, New]], int]:
    """Returns the valid operations, and the number of dropped ones.

    An operation is dropped if any part of it is invalid, including unknown fields, or if an earlier one has the same
    target.

    Args:
        written: Output of the model.
        kind: The type of an item.
        check: Returns the operation of an item; None if it is not valid.
        max_new: Maximum number of operations that add a fact.

    Raises:
        NotJsonError: It is neither a list of operations nor an object that contains one.
    """
    listed = _items(written)
    found: list[Operation[Known, New]] = []
    used: set[int] = set()
    new = 0
    for raw in listed[:_MAX_OPERATIONS]:
        try:
            operation = check(msgspec.json.decode(raw, type=kind))
        except UNDECODABLE:  # includes type mismatches
            continue
        if operation is None:
            continue
        targets = {target.id for target in operation.targets}
        is_new = operation.new is not None and not targets
        if targets & used or (is_new and new >= max_new):
            continue
        used |= targets
        new += is_new
        found.append(operation)
    return found, len(listed) - len(found)
