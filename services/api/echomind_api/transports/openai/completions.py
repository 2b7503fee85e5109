"""The form of chat completions and of their chunks, for answers of assistants and of plain models alike."""

import time
from collections.abc import Sequence
from typing import Any

from echomind_api.transports.openai.models import NamedModel
from echomind_api.transports.openai.stream import OpenAiStream

Json = dict[str, Any]


class ChunkWriter:
    """Sends a completion as chunks, as they are written."""

    def __init__(self, stream: OpenAiStream, completion_id: str, model: NamedModel, *, with_usage: bool) -> None:
        """Initializes the writer without sending anything.

        Args:
            stream: Where the chunks go.
            completion_id: Id of the completion.
            model: The model that was asked for.
            with_usage: Whether a chunk at the end says how many tokens were used.
        """
        self._stream, self._with_usage = stream, with_usage
        self._head = _head("chat.completion.chunk", completion_id, model) | ({"usage": None} if with_usage else {})
        self.has_begun = False

    async def begin(self) -> None:
        """Sends the role of the message, once. Not earlier than something is known: a refusal is an HTTP status."""
        if not self.has_begun:
            self.has_begun = True
            await self.delta(role="assistant", content="")

    async def delta(self, finish_reason: str | None = None, **delta: Any) -> None:
        """Sends a piece of the message, such as `content`, or why it ends."""
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        await self._stream.data(self._head | {"choices": [choice]})

    async def end(self, calls: Sequence[Json], finish_reason: str | None, usage: Json) -> None:
        """Sends the calls of tools, each in a chunk, why the message ends, and what it took."""
        for number, call in enumerate(calls):
            await self.delta(tool_calls=[{"index": number} | call])
        await self.delta(finish_reason)
        if self._with_usage:
            await self._stream.data(self._head | {"choices": [], "usage": usage})


def completion(
    completion_id: str,
    model: NamedModel,
    text: str,
    calls: Sequence[Json],
    finish_reason: str | None,
    usage: Json,
    annotations: Sequence[Json] = (),
) -> Json:
    """Returns a whole completion.

    Args:
        completion_id: Its id.
        model: The model that was asked for.
        text: The text of the message; may be empty.
        calls: Calls of tools, as `function_call` returns them.
        finish_reason: Why the message ends.
        usage: The tokens, as `usage_of` returns them.
        annotations: Citations of the message.
    """
    message: Json = {"role": "assistant", "content": text or None, "refusal": None}
    if annotations:
        message["annotations"] = list(annotations)
    if calls:
        message["tool_calls"] = list(calls)
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish_reason}
    return _head("chat.completion", completion_id, model) | {"choices": [choice], "usage": usage}


def function_call(call_id: str, name: str, arguments: str) -> Json:
    """Returns a call of a tool; the arguments are JSON."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def usage_of(prompt_tokens: int, completion_tokens: int) -> Json:
    """Returns the tokens of a completion."""
    return {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "total_tokens": prompt_tokens + completion_tokens,
    }


def _head(kind: str, completion_id: str, model: NamedModel) -> Json:
    return {"id": completion_id, "object": kind, "created": int(time.time()), "model": model.id}
