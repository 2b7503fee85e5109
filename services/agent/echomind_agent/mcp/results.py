"""Formats a server's response for a model: delimited, so that its text is treated as data."""

import json
from collections.abc import Iterable
from typing import Any

from mcp_types import (
    AudioContent,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from echomind_agent.mcp.server import Server
from echomind_agent.text.delimiting import delimited
from echomind_lib.text import normalized

RESULT_CHARACTERS = 40_000
"""Maximum length of a result; longer ones are truncated with a note."""


def render(server: Server, tool: str, result: CallToolResult) -> str:
    """Returns a result as text for a model. Images, sound and files are only mentioned."""
    texts = [_block(block) for block in result.content]
    if result.structured_content is not None and not _contains(texts, result.structured_content):
        texts.append(json.dumps(result.structured_content, ensure_ascii=False))
    return reply(server, tool, "\n".join(text for text in texts if text) or "(nothing)")


def reply(server: Server, tool: str | None, text: str) -> str:
    """Returns a server's text for a model: without the server's secrets, and truncated."""
    text = server.masked(normalized(text))
    if len(text) > RESULT_CHARACTERS:
        text = f"{text[:RESULT_CHARACTERS]}\n[{len(text) - RESULT_CHARACTERS} more characters are left out]"
    return delimited("result", text, server=server.name, tool=tool)


def _block(block: ContentBlock) -> str:
    if isinstance(block, TextContent):
        return block.text
    if isinstance(block, ImageContent | AudioContent):
        return f"[{block.type}, {block.mime_type}, {_size(block.data)}, not shown]"
    if isinstance(block, ResourceLink):
        about = " ".join(part for part in (block.title or block.name, block.description) if part)
        return f"[resource {block.uri}: {about}]"
    assert isinstance(block, EmbeddedResource)
    if isinstance(block.resource, TextResourceContents):
        return f"[resource {block.resource.uri}]\n{block.resource.text}"
    kind = block.resource.mime_type or "binary"
    return f"[resource {block.resource.uri}, {kind}, {_size(block.resource.blob)}, not shown]"


def _size(base64: str) -> str:
    return f"{len(base64) * 3 // 4} bytes"


def _contains(texts: Iterable[str], structured: Any) -> bool:
    """Returns whether a text contains the structured result, as servers send both for clients without support."""
    for text in texts:
        if structured == {"result": text}:
            return True
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if structured in (value, {"result": value}):
            return True
    return False
