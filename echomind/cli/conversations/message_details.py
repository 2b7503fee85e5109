"""Formats how an answer was found: the query, the passages, the tools."""

import json

from echomind.cli.api import Api
from echomind.cli.rendering import one_line
from echomind_lib.models import public


def show_details(api: Api, message: "public.ChatMessage") -> None:
    """Prints how an answer was found; nothing for a question."""
    if message.rephrased_query:
        api.terminal.line(f"Searched for: {one_line(message.rephrased_query, 120)}")
    for passage in message.retrieval_context:
        cited = f"[{passage.number}]" if passage.number else "not cited"
        title = passage.title or "a document that you may not read, or that was removed"
        found = passage.url or f"score {passage.score:.2f}"
        api.terminal.line(f"Found: {title} ({cited}, {found})")
    for called in message.tool_calls:
        given = one_line(json.dumps(called.parameters, ensure_ascii=False), 120)
        api.terminal.line(f"Called: {called.tool_name} {given}")
