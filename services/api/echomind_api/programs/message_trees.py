"""Trees of imported messages: questions and answers in turn, whatever lies between them in an export."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from echomind_api.programs.imported_ratings import ImportedRating
from echomind_lib.text import normalized

_BETWEEN: Final = "\n\n"
_NO_TEXT: Final = "…"
"""A question that is only a picture or a file, and the one before an answer that answers none."""


@dataclass(slots=True, kw_only=True)
class Node:
    """A message of an export, or something that is between messages: then it has no role."""

    id: str
    parent: str
    """Empty for none."""
    raw_time: object = None
    """As the export has it."""
    role: str = ""
    text: str = ""
    omitted: int = 0
    """Number of its parts that are not text."""
    model: str = ""
    time: datetime | None = None
    trace: Mapping[str, Any] | None = None
    """How the question was answered, as the export has it."""
    rating: ImportedRating | None = None

    def add(self, role: str, content: object) -> None:
        """Sets role and text from a text or a list of parts: texts, or objects with a `text`."""
        self.role = role
        parts: Sequence[Any] = content if isinstance(content, list) else [content]
        texts = [_text_of(part) for part in parts]
        self.omitted += sum(text is None for text in texts)
        self.text = _BETWEEN.join(text.strip() for text in texts if text and text.strip())

    @property
    def is_message(self) -> bool:
        """Returns whether it is an answer with text, or a question with anything."""
        return bool(self.text.strip() or (self.role == "user" and self.omitted)) if self.role else False


@dataclass(slots=True, kw_only=True)
class ImportedMessage:
    """A question or an answer."""

    parent: int | None
    """Position of the message before it."""
    is_question: bool
    content: str
    created_at: datetime
    is_missing: bool = False
    """Whether it takes the place of an answer that was never given."""
    trace: Mapping[str, Any] | None = None
    rating: ImportedRating | None = None
    """The rating of an answer; of one that was several messages, the last one."""


class _Tree:
    """The messages so far, and what follows each of them."""

    def __init__(self) -> None:
        self.messages: list[ImportedMessage] = []
        self.below: dict[int, list[int]] = {}

    def add(
        self, parent: int | None, content: str, created_at: datetime, *, is_question: bool, is_missing: bool = False
    ) -> int:
        """Adds a message; returns its position."""
        position = len(self.messages)
        self.messages.append(
            ImportedMessage(
                parent=parent, is_question=is_question, content=content, created_at=created_at, is_missing=is_missing
            )
        )
        if parent is not None:
            self.below.setdefault(parent, []).append(position)
        return position


@dataclass(frozen=True, slots=True)
class _Placed:
    """A node that is a message, in an order in which each follows those above it."""

    node: Node
    above: str | None
    """Id of the nearest node above it that is a message."""
    time: datetime


def message_tree(nodes: Sequence[Node], current: str, began: datetime) -> tuple[list[ImportedMessage], int]:
    """Returns the messages, each after its parent, and the position of the last one of the shown branch.

    What is no message is left out, and what follows it follows the message before it. Several messages of the same
    role in a row become one. A question without an answer gets an empty one, and an answer without a question a
    question, as every conversation here has them in turn.

    Args:
        nodes: The export's nodes, with different ids. A parent may be missing, or be the node itself.
        current: Id of the newest node of the shown branch; empty or unknown means the newest answer.
        began: The time of messages before the first that has a time.
    """
    placed, nearest = _in_order({node.id: node for node in nodes}, began)
    followers = Counter(each.above for each in placed)
    tree, positions = _Tree(), dict[str, int]()
    for each in placed:
        above = None if each.above is None else positions[each.above]
        positions[each.node.id] = position = _add(tree, each, above, is_only=followers[each.above] == 1)
        if each.node.trace is not None and tree.messages[position].is_question:
            tree.messages[position].trace = each.node.trace
        if each.node.rating is not None and not tree.messages[position].is_question:
            tree.messages[position].rating = each.node.rating
    shown = nearest.get(current)
    head = _last_below(tree, positions[shown] if shown is not None else None)
    for position, message in enumerate(list(tree.messages)):
        if message.is_question and position not in tree.below:
            answer = tree.add(position, "", message.created_at, is_question=False, is_missing=True)
            head = answer if head == position else head
    return tree.messages, head


def _in_order(by_id: Mapping[str, Node], began: datetime) -> tuple[list[_Placed], dict[str, str | None]]:
    """Returns the nodes that are messages, parents first, and for each node the nearest message from it upwards."""
    below: dict[str, list[Node]] = {}
    for node in by_id.values():
        if node.parent in by_id and node.parent != node.id:
            below.setdefault(node.parent, []).append(node)
    roots = [node for node in by_id.values() if node.parent not in by_id or node.parent == node.id]
    placed: list[_Placed] = []
    nearest: dict[str, str | None] = {}
    # Nodes in a circle have no root: the first one of each circle is taken for it.
    for root in [*roots, *by_id.values()]:
        waiting: list[tuple[Node, str | None, datetime]] = [(root, None, began)]
        while waiting:
            node, above, before = waiting.pop()
            if node.id in nearest:
                continue
            time = node.time or before
            if node.is_message:
                placed.append(_Placed(node, above, time))
            nearest[node.id] = own = node.id if node.is_message else above
            waiting += [(child, own, time) for child in reversed(below.get(node.id, ()))]
    return placed, nearest


def _add(tree: _Tree, placed: _Placed, above: int | None, *, is_only: bool) -> int:
    """Adds a message; returns its position, or that of the message that it continues.

    Args:
        tree: The messages so far.
        placed: The message.
        above: Position of the message above it.
        is_only: Whether that is followed by no other message.
    """
    is_question = placed.node.role == "user"
    text = placed.node.text.strip() or _NO_TEXT
    if above is None:
        if not is_question:
            above = tree.add(None, _NO_TEXT, placed.time, is_question=True)
        return tree.add(above, text, placed.time, is_question=is_question)
    before = tree.messages[above]
    if before.is_question != is_question:
        return tree.add(above, text, placed.time, is_question=is_question)
    content = f"{before.content}{_BETWEEN}{text}"
    if is_only:
        before.content = content
        return above
    # Each continuation of the same beginning is a branch of its own.
    return tree.add(before.parent, content, placed.time, is_question=is_question)


def _last_below(tree: _Tree, position: int | None) -> int:
    """Returns the end of the newest branch below a message, or of all if it is None."""
    if position is None:
        ends = [number for number in range(len(tree.messages)) if number not in tree.below]
        return max(ends, key=lambda number: (tree.messages[number].created_at, number), default=0)
    while position in tree.below:
        position = tree.below[position][-1]
    return position


def _text_of(part: object) -> str | None:
    """Returns the text of a part; None if it is none."""
    if isinstance(part, str):
        return normalized(part)
    if isinstance(part, dict) and part.get("type") not in ("think", "reasoning"):
        text = part.get("text")
        text = text.get("value") if isinstance(text, dict) else text
        return normalized(text) if isinstance(text, str) else None
    return "" if part is None else None
