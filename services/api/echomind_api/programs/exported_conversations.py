"""Conversations in the exports of other programs, read as one form: ChatGPT, Open WebUI, LibreChat.

What the command line reads of tables and databases (Onyx, AnythingLLM, traces) has a list of messages with parents.

An export is made by anybody: every value may have another type than the program writes.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal, TypeAlias

from echomind_api.programs.imported_ratings import librechat_rating, listed_rating, open_webui_rating
from echomind_api.programs.imported_traces import ImportedTrace, read_trace, with_session
from echomind_api.programs.message_trees import ImportedMessage, Node, message_tree
from echomind_lib.errors import ValidationFailedError
from echomind_lib.text import TITLE_CHARACTERS, normalized, single_line, storable_json

Source: TypeAlias = Literal["chatgpt", "open-webui", "librechat", "onyx", "anythingllm", "traces"]

_LISTED: Final[Mapping[str, Source]] = {"onyx": "onyx", "anythingllm": "anythingllm", "traces": "traces"}

_ID_CHARACTERS: Final = 150
_MODEL_CHARACTERS: Final = 200
# ChatGPT writes citations of its searches between code points of the private use area.
_CITED: Final = re.compile("\ue200[^\ue201]{0,2000}\ue201")
_DETAILS: Final = re.compile(r"<details\b[^>]*>.*?</details>\s*", re.DOTALL | re.IGNORECASE)
"""How Open WebUI shows reasoning and calls of tools in a text."""
_ROOT: Final = "00000000-0000-0000-0000-000000000000"
"""The parent of LibreChat's first messages."""
_DETAIL_CHARACTERS: Final = 500
"""Maximum of a value of metadata."""
_MAX_OMITTED: Final = 1_000
_EARLIEST: Final = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedConversation:
    """A conversation of another program."""

    source: Source
    id: str
    """Its id there; derived from its content if it has none."""
    title: str
    created_at: datetime
    messages: list[ImportedMessage]
    """Each after its parent."""
    head: int
    """Position of the last message of the shown branch."""
    model: str
    """The model that has answered, as the program calls it; empty if unknown."""
    is_archived: bool
    is_pinned: bool
    omitted_parts: int
    omitted_ratings: int
    """Number of ratings that no message here can have."""
    traces: Mapping[int, ImportedTrace]
    """How questions were answered, by their position."""
    details: str
    """What else the program has stored of it, as JSON; empty for nothing, or if it is too long for metadata."""

    @property
    def external_id(self) -> str:
        """Returns the id of its session, which is unique among those of one person."""
        return f"import:{self.source}:{self.id}"


def read_conversation(content: str, now: datetime) -> ImportedConversation:
    """Returns the conversation of an export.

    Args:
        content: The JSON object of one conversation.
        now: The latest time that a message may have.

    Raises:
        ValidationFailedError: It is none of the known programs', or has no text.
    """
    try:
        # NaN and the like are no JSON, but programs write them.
        value = json.loads(content, parse_constant=str)
    except (ValueError, RecursionError) as error:
        raise ValidationFailedError("The conversation is not valid JSON.", content="must be valid JSON") from error
    if isinstance(value, dict):
        if isinstance(value.get("mapping"), dict):
            return _Reader("chatgpt", value, now).conversation(_chatgpt(value), _text(value.get("current_node")))
        if isinstance(value.get("chat"), dict):
            chat = value["chat"]
            history = _object(chat.get("history"))
            return _Reader("open-webui", value, now).conversation(_open_webui(chat), _text(history.get("currentId")))
        if isinstance(value.get("messages"), list) and "conversationId" in value:
            return _Reader("librechat", value, now).conversation(_librechat(value["messages"]), "")
        if (source := _LISTED.get(_text(value.get("source")))) and isinstance(value.get("messages"), list):
            return _Reader(source, value, now).conversation(_listed(value["messages"]), "")
    raise ValidationFailedError(
        "This is not a conversation of ChatGPT, Open WebUI or LibreChat. Give one conversation of an export, as it is.",
        content="must be a conversation of ChatGPT, Open WebUI or LibreChat",
    )


class _Reader:
    """Reads the parts that conversations of all programs have."""

    def __init__(self, source: Source, value: Mapping[str, Any], now: datetime) -> None:
        self._source: Source = source
        self._value = value
        self._now = now

    def conversation(self, nodes: Iterator[Node], current: str) -> ImportedConversation:
        """Returns the conversation.

        Args:
            nodes: Its messages and what else is between them.
            current: Id of the newest one of the shown branch; empty if unknown.

        Raises:
            ValidationFailedError: It has no text.
        """
        value, found = self._value, list(nodes)
        began = self._first_time(value.get("create_time"), value.get("created_at"), value.get("createdAt"))
        created_at = began or self._now
        for node in found:
            node.time = self._time(node.raw_time)
        messages, head = message_tree(found, current, created_at)
        if not messages:
            raise ValidationFailedError("The conversation has no text.", content="must have a message with text")
        if began is None:
            created_at = min(message.created_at for message in messages)
        traces = {
            position: read_trace(message.trace, self._time)
            for position, message in enumerate(messages)
            if message.trace is not None
        }
        details = self._details()
        is_long = len(details) > _DETAIL_CHARACTERS
        first = min(traces, default=None)
        if is_long and first is not None:
            traces[first] = with_session(traces[first], value.get("metadata"), details)
        title = _text(value.get("title")) or _text(_object(value.get("chat")).get("title")) or messages[0].content
        return ImportedConversation(
            source=self._source,
            id=self._id(),
            title=single_line(title, TITLE_CHARACTERS),
            created_at=created_at,
            messages=messages,
            head=head,
            model=single_line(self._model(found), _MODEL_CHARACTERS),
            is_archived=any(value.get(name) is True for name in ("archived", "is_archived", "isArchived")),
            is_pinned=value.get("pinned") is True or value.get("is_starred") is True,
            omitted_parts=sum(node.omitted for node in found) + (is_long and first is None),
            omitted_ratings=sum(node.rating is not None for node in found)
            - sum(message.rating is not None for message in messages),
            details="" if is_long else details,
            traces=traces,
        )

    def _id(self) -> str:
        names = ("conversation_id", "conversationId", "id")
        found = next(filter(None, (_text(self._value.get(name)) for name in names)), "")
        given = single_line(found, None)
        if given and given == found and len(given) <= _ID_CHARACTERS:
            return given
        content = json.dumps(self._value, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(content.encode()).hexdigest()

    def _details(self) -> str:
        given = self._value.get("metadata") if self._source in _LISTED.values() else None
        return storable_json(json.dumps(given, ensure_ascii=True)) if given else ""

    def _model(self, nodes: list[Node]) -> str:
        options, chat = _object(self._value.get("options")), _object(self._value.get("chat"))
        models = chat.get("models")
        stated = _text(options.get("model")) or (_text(models[0]) if isinstance(models, list) and models else "")
        stated = stated or _text(self._value.get("model"))
        return next((node.model for node in reversed(nodes) if node.model), "") or stated

    def _first_time(self, *values: object) -> datetime | None:
        return next(filter(None, map(self._time, values)), None)

    def _time(self, value: object) -> datetime | None:
        """Returns a time in seconds or milliseconds since 1970, or as ISO 8601; None if it cannot be right."""
        try:
            if isinstance(value, int | float) and not isinstance(value, bool):
                found = datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
            elif isinstance(value, str) and value:
                found = datetime.fromisoformat(value)
                found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
            else:
                return None
        except (ValueError, OverflowError, OSError):
            return None
        return found if _EARLIEST <= found <= self._now else None


def _chatgpt(value: Mapping[str, Any]) -> Iterator[Node]:
    for name, entry in value["mapping"].items():
        if not isinstance(entry, dict):
            continue
        message = _object(entry.get("message"))
        node = Node(id=name, parent=_text(entry.get("parent")), raw_time=message.get("create_time"))
        metadata = _object(message.get("metadata"))
        role = _text(_object(message.get("author")).get("role"))
        is_for_all = message.get("recipient", "all") in ("all", None)
        if role in ("user", "assistant") and is_for_all and not metadata.get("is_visually_hidden_from_conversation"):
            node.model = _text(metadata.get("model_slug")) if role == "assistant" else ""
            content = _object(message.get("content"))
            if content.get("content_type") in ("text", "multimodal_text") and isinstance(content.get("parts"), list):
                node.add(role, content["parts"])
                node.text = _CITED.sub("", node.text)
            elif content:
                node.omitted = 1
        elif role == "tool" or not is_for_all:
            node.omitted = 1
        yield node


def _open_webui(chat: Mapping[str, Any]) -> Iterator[Node]:
    history = _object(_object(chat.get("history")).get("messages"))
    listed = _list(chat.get("messages"))
    entries = list(history.items()) if history else [(str(number), entry) for number, entry in enumerate(listed)]
    previous = ""
    for name, entry in entries:
        if not isinstance(entry, dict):
            continue
        parent = _text(entry.get("parentId")) if history else previous
        node = Node(id=name, parent=parent, raw_time=entry.get("timestamp"), model=_text(entry.get("model")))
        role = _text(entry.get("role"))
        if role in ("user", "assistant"):
            output = entry.get("output")
            typed = output if isinstance(output, list) else []
            answers = [each for each in typed if isinstance(each, dict) and each.get("type") == "message"]
            if answers:
                node.add(role, [part for each in answers for part in _list(each.get("content"))])
                node.omitted += len(typed) - len(answers)
            else:
                node.add(role, entry.get("content"))
                node.text, details = _DETAILS.subn("", node.text)
                node.omitted += details
            node.omitted += len(_list(entry.get("files")))
            node.rating = open_webui_rating(entry)
        yield node
        previous = name


def _librechat(messages: list[Any]) -> Iterator[Node]:
    waiting = [(entry, "") for entry in reversed(messages)]
    seen: set[str] = set()
    while waiting:
        entry, parent = waiting.pop()
        if not isinstance(entry, dict):
            continue
        name = _text(entry.get("messageId"))
        if not name or name in seen:
            name = f"{name}#{len(seen)}"
        seen.add(name)
        stated = _text(entry.get("parentMessageId"))
        role = "user" if entry.get("isCreatedByUser") is True else "assistant"
        node = Node(id=name, parent=parent or ("" if stated == _ROOT else stated), raw_time=entry.get("createdAt"))
        node.model = _text(entry.get("model")) if role == "assistant" else ""
        node.add(role, entry.get("text") or entry.get("content"))
        node.omitted += len(_list(entry.get("files")))
        node.rating = librechat_rating(entry)
        yield node
        waiting += [(child, name) for child in reversed(_list(entry.get("children")))]


def _listed(messages: list[Any]) -> Iterator[Node]:
    for number, entry in enumerate(messages):
        if not isinstance(entry, dict):
            continue
        name = _text(entry.get("id")) or f"#{number}"
        node = Node(id=name, parent=_text(entry.get("parent_id")), raw_time=entry.get("created_at"))
        node.add("user" if entry.get("role") == "user" else "assistant", entry.get("content"))
        omitted, trace = entry.get("omitted"), entry.get("trace")
        node.omitted += min(omitted, _MAX_OMITTED) if isinstance(omitted, int) and omitted > 0 else 0
        node.trace = trace if isinstance(trace, dict) else None
        node.rating = listed_rating(entry)
        yield node


def _text(value: object) -> str:
    return normalized(value) if isinstance(value, str) else ""


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
