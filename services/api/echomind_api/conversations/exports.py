"""Conversations as files: Markdown for people, JSON for programs."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from echomind_lib.models.public import (
    ChatMessage,
    ChatSession,
    Citation,
    ExportChatSessionResponse,
    ExportFormat,
    MessageRole,
)

_NAME_CHARACTERS: Final = 60
_NOT_IN_NAMES: Final = re.compile(r"[^\w]+")
"""What stands in no file name: anything but letters, digits and the underscore."""


def export(
    session: ChatSession, messages: Sequence[ChatMessage], export_format: ExportFormat
) -> ExportChatSessionResponse:
    """Returns a conversation as a file.

    Args:
        session: The conversation.
        messages: The messages of its shown branch, as its reader may see them.
        export_format: The form of the file.
    """
    name = _NOT_IN_NAMES.sub("-", session.title)[:_NAME_CHARACTERS].strip("-") or f"conversation-{session.id}"
    if export_format is ExportFormat.JSON:
        content = {
            "chatSession": session.model_dump(mode="json"),
            "messages": [message.model_dump(mode="json") for message in messages],
        }
        text = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
        return ExportChatSessionResponse(file_name=f"{name}.json", media_type="application/json", content=text)
    text = "\n\n".join(_blocks(session, messages)) + "\n"
    return ExportChatSessionResponse(file_name=f"{name}.md", media_type="text/markdown", content=text)


def _blocks(session: ChatSession, messages: Sequence[ChatMessage]) -> Iterator[str]:
    yield f"# {' '.join(session.title.split())}"
    for message in messages:
        if message.role is MessageRole.USER:
            yield "## Question"
            yield "\n".join(f"> {line}".rstrip() for line in message.content.splitlines())
        elif message.content or message.error:
            yield "## Answer"
            yield message.content or f"*{message.error}*"
            if sources := "\n".join(_sources(message.citations)):
                yield f"**Sources**\n\n{sources}"


def _sources(citations: Sequence[Citation]) -> Iterator[str]:
    """Lists each source once, by its number."""
    titles: dict[int, str] = {}
    for citation in citations:
        place = f", page {citation.page}" if citation.page else ""
        titles.setdefault(citation.number, f"{citation.title}{place}" if citation.title else "a source you cannot open")
    for number, title in sorted(titles.items()):
        yield f"{number}. {title}"
