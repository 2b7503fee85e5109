"""Renders a conversation of Teams as one document: its first message with its replies, as HTML.

Each message is a section with an id, so that citations can refer to it. Deleted and system messages ("Ada has joined")
are omitted. Files are not copied, as they are in SharePoint with separate permissions, but linked.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from html import escape, unescape
from typing import Any, Final

from echomind_ingestor.connectors.vendor_client import Json

_TITLE_CHARACTERS: Final = 120
_TAG: Final = re.compile(r"<[^>]*>")
_SPACE: Final = re.compile(r"\s+")
_CHANGED: Final = ("lastEditedDateTime", "deletedDateTime", "createdDateTime")


def is_shown(message: Json) -> bool:
    """Returns whether a message was written by a person and is not deleted."""
    return message.get("messageType", "message") == "message" and not message.get("deletedDateTime")


def title_of(message: Json, channel_name: str) -> str:
    """Returns the title of a conversation: its subject, or its beginning.

    Args:
        message: Its first message.
        channel_name: The name of its channel or chat.
    """
    text = message.get("subject") or _plain(_body(message))
    text = _SPACE.sub(" ", text).strip()[:_TITLE_CHARACTERS]
    return f"{channel_name}: {text}" if text else f"{channel_name}: conversation"


def version_of(messages: Iterable[Json]) -> str:
    """Returns a value that changes with a conversation's text, but unlike `lastModifiedDateTime` not with reactions."""
    digest = hashlib.sha256()
    for message in messages:
        parts = [message["id"], *(str(message.get(name) or "") for name in _CHANGED)]
        parts += [str(attachment.get("id") or "") for attachment in message.get("attachments") or ()]
        digest.update("\0".join([*parts, ""]).encode())
    return digest.hexdigest()


def render(title: str, messages: Sequence[Json]) -> bytes:
    """Returns a conversation as an HTML page."""
    sections = "\n".join(_section(message) for message in messages if is_shown(message))
    page = f'<!doctype html><html><head><meta charset="utf-8"><title>{escape(title)}</title></head>'
    return f"{page}<body><h1>{escape(title)}</h1>\n{sections}</body></html>\n".encode()


def _section(message: Json) -> str:
    time = str(message.get("createdDateTime") or "")[:16].replace("T", " ")
    subject = f"<h3>{escape(message['subject'])}</h3>" if message.get("subject") else ""
    body = message.get("body") or {}
    content = str(body.get("content") or "")
    if body.get("contentType") != "html":
        content = f"<p>{escape(content)}</p>".replace("\n", "<br>")
    files = "".join(
        f'<p><a href="{escape(attachment["contentUrl"])}">{escape(attachment.get("name") or "File")}</a></p>'
        for attachment in message.get("attachments") or ()
        if attachment.get("contentType") == "reference" and attachment.get("contentUrl")
    )
    return (
        f'<section id="m{escape(message["id"])}"><h2>{escape(_author(message))}, {escape(time)}</h2>'
        f"{subject}{content}{files}</section>"
    )


def _author(message: Json) -> str:
    sender: dict[str, Any] = message.get("from") or {}
    for kind in ("user", "application", "device"):
        if name := (sender.get(kind) or {}).get("displayName"):
            return str(name)
    return "Somebody"


def _body(message: Json) -> str:
    return str((message.get("body") or {}).get("content") or "")


def _plain(html: str) -> str:
    return unescape(_TAG.sub(" ", html))
