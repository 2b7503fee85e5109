"""The Anthropic messages format."""

import re
from typing import Any

import msgspec

from echomind_lib.llms.answer import (
    UNDECODABLE,
    Answer,
    ChatDelta,
    ProtocolError,
    ServerReportedError,
    arguments_object,
    make_tool_call,
)
from echomind_lib.llms.config import LlmConfig
from echomind_lib.llms.schemas import without_keywords
from echomind_lib.llms.types import ChatRequest, FinishReason, Message, ToolSpec, Usage

VERSION = "2023-06-01"
# The API requires a limit; every model accepts this one.
DEFAULT_MAX_TOKENS = 4096
# Parameters that change a request little; omitted for a model that rejects them.
DISPENSABLE = ("temperature", "output_config")

FINISH_REASONS: dict[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}
_TOOL_CHOICES = {"auto": "auto", "none": "none", "required": "any"}
_REFUSED_IN_SCHEMAS = frozenset({"minItems", "maxItems", "maxLength"})
"""Keywords of JSON schemas that the API refuses."""
_NOT_IN_IDS = re.compile(r"[^a-zA-Z0-9_-]")


class _Usage(msgspec.Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _Block(msgspec.Struct, omit_defaults=True):
    """A content block: text, thinking, redacted_thinking or tool_use; blocks of other types are skipped."""

    type: str
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None
    id: str | None = None
    name: str | None = None
    input: Any = None


class _Delta(msgspec.Struct):
    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    partial_json: str | None = None
    stop_reason: str | None = None


class _Message(msgspec.Struct):
    model: str | None = None
    usage: _Usage | None = None
    content: list[_Block] = []
    stop_reason: str | None = None


class _Event(_Message):
    """An event of the stream, or a whole message: `type` says which."""

    type: str | None = None
    index: int = 0
    message: _Message | None = None
    content_block: _Block | None = None
    delta: _Delta | None = None
    error: Any = None


class _State(msgspec.Struct):
    """The content blocks of an assistant message, to be sent back unchanged, as its thinking is signed."""

    anthropic: list[dict[str, Any]]


_decode_event = msgspec.json.Decoder(_Event).decode
_decode_state = msgspec.json.Decoder(_State).decode


class AnthropicFormat:
    """Requests in the messages format."""

    path = "/messages"
    dispensable = DISPENSABLE

    def __init__(self, config: LlmConfig) -> None:
        self._config = config

    def headers(self) -> dict[str, str]:
        """Returns the headers for authentication and the API version."""
        headers = {"anthropic-version": VERSION}
        if self._config.api_key:
            headers["x-api-key"] = self._config.api_key
        return headers

    def body(self, request: ChatRequest, refused: frozenset[str]) -> dict[str, Any]:
        """Returns the request as JSON, without the parameters that this model rejects."""
        config = self._config
        body: dict[str, Any] = {
            **config.extra,
            "model": config.model_id,
            "max_tokens": request.max_tokens or config.max_tokens or DEFAULT_MAX_TOKENS,
            "messages": _messages(request.messages),
            "stream": True,
        }
        if system := "\n\n".join(m.content for m in request.messages if m.role == "system" and m.content):
            body["system"] = system
        temperature = config.temperature if request.temperature is None else request.temperature
        if temperature is not None:
            body["temperature"] = min(temperature, 1.0)  # the API's own range ends at 1
        if request.tools:
            body["tools"] = [_tool(tool) for tool in request.tools]
            choice: dict[str, Any] = {"type": _TOOL_CHOICES[request.tool_choice]}
            if not request.parallel_tool_calls and request.tool_choice != "none":
                choice["disable_parallel_tool_use"] = True
            body["tool_choice"] = choice
        if request.answer_schema:
            form = {"type": "json_schema", "schema": without_keywords(request.answer_schema, _REFUSED_IN_SCHEMAS)}
            body["output_config"] = body.get("output_config", {}) | {"format": form}
        for parameter in refused:
            body.pop(parameter, None)
        return body

    def decoder(self) -> "AnthropicDecoder":
        """Returns a decoder for one answer."""
        return AnthropicDecoder()


def _messages(messages: list[Message]) -> list[dict[str, Any]]:
    """Returns the conversation without system messages; consecutive messages of one role are merged.

    The API requires all results of an answer's tool calls in the one user message after it, before any text.
    """
    merged: list[dict[str, Any]] = []
    for message in messages:
        blocks = _blocks(message)
        if not blocks:
            continue
        role = "assistant" if message.role == "assistant" else "user"
        if merged and merged[-1]["role"] == role:
            merged[-1]["content"] += blocks
        else:
            merged.append({"role": role, "content": blocks})
    return merged


def _blocks(message: Message) -> list[dict[str, Any]]:
    if message.role == "system":
        return []
    if message.role == "tool":
        result = {"type": "tool_result", "tool_use_id": _tool_use_id(message.tool_call_id or "")}
        return [{**result, "content": message.content} if message.content else result]
    calls = {_tool_use_id(call.id): call for call in message.tool_calls}
    uses = {
        use_id: {"type": "tool_use", "id": use_id, "name": call.name, "input": arguments_object(call.arguments)}
        for use_id, call in calls.items()
    }
    blocks = _state_blocks(message.provider_state)
    if blocks is None:
        blocks = [{"type": "text", "text": message.content}] if message.content.strip() else []
    # The message's own calls decide: the caller may have removed some, and each call that is sent needs a result.
    kept = [uses.pop(block["id"], None) if block["type"] == "tool_use" else block for block in blocks]
    return [block for block in kept if block is not None] + list(uses.values())


def _state_blocks(state: str) -> list[dict[str, Any]] | None:
    """Returns the content blocks as received, or None when the state is of another wire format or there is none."""
    if not state:
        return None
    try:
        return _decode_state(state).anthropic
    except UNDECODABLE:
        return None


def _tool_use_id(call_id: str) -> str:
    """Returns an id with the characters that the API allows; other servers' ids may contain others."""
    return _NOT_IN_IDS.sub("_", call_id)


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}


class AnthropicDecoder:
    """Decodes one answer, streamed or whole."""

    __slots__ = ("_answer", "_blocks", "_pieces", "_usage", "ended")

    def __init__(self) -> None:
        self._answer = Answer()
        self._blocks: dict[int, _Block] = {}
        self._pieces: dict[int, list[str]] = {}  # of the content that each block streams: text, thinking or input
        self._usage = _Usage()
        self.ended = False

    @property
    def finished(self) -> bool:
        """Returns whether a stop reason was received."""
        return self._answer.finish_reason is not None

    def feed(self, payloads: list[bytes]) -> list[ChatDelta]:
        """Parses the payloads of server-sent events and returns the new deltas."""
        for payload in payloads:
            self._take_event(_decode(payload))
            if self.ended:
                break
        return self._answer.take()

    def feed_whole(self, body: bytes) -> list[ChatDelta]:
        """Parses a complete JSON answer."""
        message = _decode(body)
        if message.type == "error" or message.error is not None:
            raise ServerReportedError(message.error)
        if message.type != "message":
            raise ProtocolError("it is not a message")
        self._take_message(message)
        self.ended = True
        return self._answer.take()

    def take(self) -> list[ChatDelta]:
        """Returns the new deltas that `feed` did not return because of an error."""
        return self._answer.take()

    def finish(self) -> tuple[list[ChatDelta], Answer]:
        """Returns the buffered deltas (none) and the answer."""
        answer = self._answer
        if answer.finish_reason is None:
            raise ProtocolError("it ended without a stop reason")
        usage = self._usage
        if usage.input_tokens is not None and usage.output_tokens is not None:
            read, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
            answer.usage = Usage(
                usage.input_tokens + read + written,
                usage.output_tokens,
                cache_read_tokens=read,
                cache_write_tokens=written,
            )
        content = []
        for index, block in sorted(self._blocks.items()):
            streamed = "".join(self._pieces[index])
            if block.type == "text":
                block.text = streamed
            elif block.type == "thinking":
                block.thinking = streamed
            elif block.type == "tool_use":
                arguments = streamed or _json(block.input or {})
                call = make_tool_call(block.id or "", block.name or "", arguments, answer.tool_calls)
                answer.tool_calls.append(call)
                block.id, block.input = call.id, arguments_object(call.arguments)
            if block.type != "text" or block.text:
                content.append(msgspec.to_builtins(block))
        answer.settle()
        if any(block["type"] in {"thinking", "redacted_thinking"} for block in content):
            answer.provider_state = _json(_State(content))
        return answer.take(), answer

    def _take_event(self, event: _Event) -> None:
        kind = event.type
        if kind == "content_block_delta":
            if event.delta is not None:
                self._take_delta(event.index, event.delta)
        elif kind == "content_block_start":
            if event.content_block is not None:
                self._start_block(event.index, event.content_block)
        elif kind == "message_start":
            if event.message is not None:
                self._take_message(event.message)
        elif kind == "message_delta":
            if event.delta is not None:
                self._take_stop_reason(event.delta.stop_reason)
            self._take_usage(event.usage)
        elif kind == "message_stop":
            self.ended = True
        elif kind == "error" or event.error is not None:
            raise ServerReportedError(event.error)

    def _take_message(self, message: _Message) -> None:
        self._answer.model = message.model or ""
        for index, block in enumerate(message.content):
            self._start_block(index, block)
        self._take_stop_reason(message.stop_reason)
        self._take_usage(message.usage)

    def _start_block(self, index: int, block: _Block) -> None:
        if block.type not in {"text", "thinking", "redacted_thinking", "tool_use"}:
            return
        self._blocks[index] = block
        self._pieces[index] = []
        self._take_delta(index, _Delta(text=block.text, thinking=block.thinking))

    def _take_delta(self, index: int, delta: _Delta) -> None:
        pieces = self._pieces.get(index)
        if pieces is None:  # a block of a type that is skipped
            return
        if delta.text:
            pieces.append(delta.text)
            self._answer.add_text(delta.text)
        elif delta.partial_json:
            pieces.append(delta.partial_json)
        elif delta.thinking:
            pieces.append(delta.thinking)
            self._answer.add_reasoning(delta.thinking)
        elif delta.signature:
            block = self._blocks[index]
            block.signature = (block.signature or "") + delta.signature

    def _take_stop_reason(self, reason: str | None) -> None:
        if reason:
            self._answer.finish_reason = FINISH_REASONS.get(reason, "stop")

    def _take_usage(self, usage: _Usage | None) -> None:
        """Updates the usage. Counts are cumulative and may be in any event; the latest of each applies."""
        if usage is None:
            return
        for name in _Usage.__struct_fields__:
            if (count := getattr(usage, name)) is not None:
                setattr(self._usage, name, count)


def _decode(payload: bytes) -> _Event:
    try:
        return _decode_event(payload)
    except UNDECODABLE as error:
        raise ProtocolError(f"it sent something other than an event of a message: {error}") from None


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
