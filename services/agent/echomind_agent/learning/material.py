"""Conversations as material for learning: without secrets, truncated to the token limit."""

from collections.abc import Sequence
from typing import Final

from echomind_agent.evidence.citations import without_markers
from echomind_agent.text.delimiting import delimited, harmless
from echomind_agent.text.shortening import shorten
from echomind_lib.learned.sessions import SessionMessage
from echomind_lib.llms.tokens import TokenCounter
from echomind_lib.secret_text import redacted

_MESSAGE_TOKENS: Final = 1_500
_TAGS_TOKENS: Final = 24


def messages_part(messages: Sequence[SessionMessage], room: int, count: TokenCounter) -> tuple[str, int]:
    """Returns the first messages that fit into `room` tokens, at least one, as one text, and their number."""
    texts: list[str] = []
    tokens = 0
    for message in messages:
        text = shorten(harmless(clean(message.content)), min(room - _TAGS_TOKENS, _MESSAGE_TOKENS), count)
        if message.is_owners:
            day = message.creation_date.strftime("%Y-%m-%d")
            text = delimited("person", text, id=message.id if not message.was_read else None, date=day)
        else:
            text = delimited("assistant" if message.role == "assistant" else "somebody_else", text)
        tokens += count(text) + 1
        if texts and tokens > room:
            break
        texts.append(text)
    return "\n".join(texts), len(texts)


def clean(text: str) -> str:
    """Returns a text without secrets, which are not sent to models, and without citation markers."""
    return redacted(without_markers(text))
