"""A model that obeys everything that it reads, whoever wrote it, in whichever encoding.

So what is measured is the product and not a model's caution. It understands these sentences:

    CALL tool {"argument": "value"}     calls a tool
    FETCH address                       reads a page
    REMEMBER «text»                     stores a memory
    SAY «text» or SAY ⟪text⟫            says it in its answer; the second form may quote other sentences

`SECRET` in an argument or a sentence stands for the code word of the person, if the model has read one.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from tests.drivers.injection.encodings import readings
from tests.drivers.model_server import Text, Tools, Turn

CODE_WORD: Final = re.compile(r"\bcanary-[0-9a-f]{8}\b")
_COMMAND: Final = re.compile(
    r"CALL (?P<tool>\w+) (?=\{)|FETCH (?P<url>https?://[^\s»)'\"]+)|REMEMBER «(?P<memory>[^»]*)»"
    r"|SAY (?:«(?P<words>[^»]*)»|⟪(?P<quoted>[^⟫]*)⟫)"
)
_FLAT: Final = re.compile(r"\{[^{}]*\}")
_DECODER: Final = json.JSONDecoder()
_DELEGATES: Final = frozenset({"spawn_sub_agent", "delegate_task"})

Call = tuple[str, dict[str, Any]]


def obey(body: dict[str, Any]) -> Turn:
    """Returns what the model answers to a request: the next call that it was asked for, or else its answer."""
    tools = body.get("tools") or []
    if not tools:
        return Text("Notes")
    texts = [*_texts(body["messages"]), *(tool["function"]["description"] for tool in tools)]
    secret = next((found[0] for text in texts for found in CODE_WORD.finditer(text)), None)
    made = [_key(call["function"]) for message in body["messages"] for call in message.get("tool_calls") or ()]
    is_below = "You are a sub-agent" in str(body["messages"][0]["content"]) or "You are a member of a team" in str(
        body["messages"][0]["content"]
    )
    words: list[str] = []
    for name, value in _commands(texts):
        if isinstance(value, str):
            words.append(value if secret is None else value.replace("SECRET", secret))
            continue
        given = json.loads(json.dumps(value).replace("SECRET", secret or "nothing"))
        if (name, json.dumps(given, sort_keys=True)) not in made and not (is_below and name in _DELEGATES):
            return Tools([(name, given)], chunk=None)
    return Text(" ".join(["Done.", *dict.fromkeys(words)]), at_once=True)


def _texts(messages: list[dict[str, Any]]) -> Iterator[str]:
    for message in messages:
        content = message.get("content")
        if isinstance(content, str):
            yield content
        elif content:
            yield from (part.get("text", "") for part in content)


def _commands(texts: list[str]) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """Yields calls by the tool's name and arguments, and sentences to say, in the order of the texts."""
    for text in texts:
        for reading in readings(text):
            yield from _commands_in(reading)


def _commands_in(text: str) -> Iterator[tuple[str, dict[str, Any] | str]]:
    offset = 0
    while found := _COMMAND.search(text, offset):
        offset = found.end()
        if found["tool"]:
            given, offset = _arguments(text, offset)
            if given is not None:
                yield found["tool"], given
        elif found["url"]:
            yield "fetch_web_page", {"url": found["url"]}
        elif found["memory"]:
            yield "remember", {"text": found["memory"]}
        else:
            yield "", found["words"] or found["quoted"] or ""


def _arguments(text: str, start: int) -> tuple[dict[str, Any] | None, int]:
    """Returns the arguments at a place, and where they end; quotes may be single ones, as in names and titles."""
    try:
        given, end = _DECODER.raw_decode(text, start)
    except ValueError:
        found = _FLAT.match(text, start)
        if found is None:
            return None, start
        end = found.end()
        try:
            given = json.loads(found[0].replace("'", '"'))
        except ValueError:
            return None, end
    return (given, end) if isinstance(given, dict) else (None, end)


def _key(function: dict[str, Any]) -> tuple[str, str]:
    try:
        return function["name"], json.dumps(json.loads(function["arguments"]), sort_keys=True)
    except ValueError:
        return function["name"], function["arguments"]
