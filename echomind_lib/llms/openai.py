"""The OpenAI chat completions format, used by OpenAI, vLLM, TGI, Ollama and most other servers."""

from typing import Any, NoReturn

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
from echomind_lib.llms.endpoints import DEFAULT_ENDPOINTS
from echomind_lib.llms.inline_reasoning import InlineReasoning
from echomind_lib.llms.schemas import without_keywords
from echomind_lib.llms.types import ChatRequest, FinishReason, Message, ToolSpec, Usage

# Parameters that change a request little; omitted for a model that rejects them (`max_tokens` is sent under its newer
# name).
DISPENSABLE = (
    "temperature",
    "max_tokens",
    "parallel_tool_calls",
    "response_format",
    "stream_options",
    "reasoning_content",
    "reasoning",
)

OPENAI_ENDPOINT = DEFAULT_ENDPOINTS["openai"]
_REFUSED_IN_SCHEMAS = frozenset({"maxLength"})
"""Keywords of JSON schemas that not all of OpenAI's models accept."""

FINISH_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "eos_token": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "max_tokens": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
}
# Finish reasons of servers that aborted an answer.
FAILURES = frozenset({"error", "abort", "cancelled"})


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class _ToolCall(msgspec.Struct):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None
    extra_content: Any = None


class _Delta(msgspec.Struct):
    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    tool_calls: list[_ToolCall] | _ToolCall | None = None


class _Choice(msgspec.Struct):
    index: int = 0
    delta: _Delta | None = None
    message: _Delta | None = None
    finish_reason: str | None = None


class _CachedTokens(msgspec.Struct):
    cached_tokens: int | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _CachedTokens | None = None


class _Chunk(msgspec.Struct):
    """A `chat.completion.chunk` or `chat.completion`, which differ only in `delta` and `message`."""

    choices: list[_Choice] | None = None
    model: str | None = None
    usage: _Usage | None = None


class _State(msgspec.Struct):
    """State to send back with an assistant message with tool calls: reasoning, and extra fields by call ID."""

    openai: dict[str, str] = {}
    calls: dict[str, Any] = {}


_NO_CHOICE = _Choice()
_decode_chunk = msgspec.json.Decoder(_Chunk).decode
_decode_state = msgspec.json.Decoder(_State).decode


class OpenAiFormat:
    """Requests in the chat completions format."""

    path = "/chat/completions"
    dispensable = DISPENSABLE

    def __init__(self, config: LlmConfig, endpoint: str) -> None:
        self._config = config
        # OpenAI's newer models reject the old name; most other servers do not know the new one.
        self._is_openai = endpoint == OPENAI_ENDPOINT
        self._limit_parameter = "max_completion_tokens" if self._is_openai else "max_tokens"

    def headers(self) -> dict[str, str]:
        """Returns the header with the bearer token."""
        return {"Authorization": f"Bearer {self._config.api_key}"} if self._config.api_key else {}

    def body(self, request: ChatRequest, refused: frozenset[str]) -> dict[str, Any]:
        """Returns the request as JSON, without the parameters that this model rejects."""
        config = self._config
        body: dict[str, Any] = {
            **config.extra,
            "model": config.model_id,
            "messages": [_message(message, refused) for message in request.messages],
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        temperature = config.temperature if request.temperature is None else request.temperature
        if temperature is not None:
            body["temperature"] = temperature
        max_tokens = request.max_tokens or config.max_tokens
        if max_tokens is not None:
            body["max_completion_tokens" if "max_tokens" in refused else self._limit_parameter] = max_tokens
        if request.tools:
            body["tools"] = list(map(_tool, request.tools))
            body["tool_choice"] = request.tool_choice
            if not request.parallel_tool_calls:
                body["parallel_tool_calls"] = False
        if request.answer_schema:
            form = request.answer_schema
            if self._is_openai:
                form = without_keywords(form, _REFUSED_IN_SCHEMAS)
            schema = {"name": "answer", "strict": True, "schema": form}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        for parameter in refused:
            body.pop(parameter, None)
        return body

    def decoder(self) -> "OpenAiDecoder":
        """Returns a decoder for one answer."""
        return OpenAiDecoder()


def _message(message: Message, refused: frozenset[str]) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content}
    if not message.tool_calls:
        return {"role": message.role, "content": message.content}
    state = _state(message.provider_state)
    calls = []
    for call in message.tool_calls:
        arguments = msgspec.json.encode(arguments_object(call.arguments)).decode()
        encoded = {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}
        if extra := state.calls.get(call.id):
            encoded["extra_content"] = extra
        calls.append(encoded)
    reasoning = {key: value for key, value in state.openai.items() if key not in refused}
    return {"role": "assistant", "content": message.content or None, "tool_calls": calls, **reasoning}


def _state(text: str) -> _State:
    if not text:
        return _State()
    try:
        return _decode_state(text)
    except UNDECODABLE:  # state of another wire format: the session's model was changed
        return _State()


def _tool(tool: ToolSpec) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function | ({"strict": True} if tool.strict else {})}


class _Call:
    """A partially received tool call."""

    __slots__ = ("arguments", "extra_content", "id", "name")

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.arguments = ""
        self.extra_content: Any = None


class OpenAiDecoder:
    """Decodes one answer, streamed or whole."""

    __slots__ = ("_answer", "_calls", "_inline", "_open_calls", "_reasoning_key", "_refusal", "ended")

    def __init__(self) -> None:
        self._answer = Answer()
        self._inline: InlineReasoning | None = InlineReasoning()
        self._calls: list[_Call] = []
        self._open_calls: dict[int, _Call] = {}
        self._reasoning_key = ""
        self._refusal = False
        self.ended = False

    @property
    def finished(self) -> bool:
        """Returns whether a finish reason was received; `[DONE]` may be missing, as some servers omit it."""
        return self._answer.finish_reason is not None

    def feed(self, payloads: list[bytes]) -> list[ChatDelta]:
        """Parses the payloads of server-sent events and returns the new deltas."""
        texts: list[str] = []
        for payload in payloads:
            if payload == b"[DONE]":
                self.ended = True
                break
            try:
                chunk = _decode_chunk(payload)
            except UNDECODABLE as error:
                self._answer.add_text("".join(texts))
                _refuse(payload, error)
            choice = chunk.choices[0] if chunk.choices else _NO_CHOICE
            delta = choice.delta
            # Nearly every payload is a piece of text and nothing else: those that came together are added together.
            is_plain = not (chunk.usage or choice.index or choice.finish_reason or self._inline)
            if is_plain and delta and delta.content and delta == _Delta(content=delta.content):
                texts.append(delta.content)
            else:
                self._answer.add_text("".join(texts))
                texts.clear()
                self._take_chunk(chunk, payload)
        self._answer.add_text("".join(texts))
        return self._answer.take()

    def feed_whole(self, body: bytes) -> list[ChatDelta]:
        """Parses a complete JSON answer."""
        try:
            chunk = _decode_chunk(body)
        except UNDECODABLE as error:
            _refuse(body, error)
        self._take_chunk(chunk, body)
        self.ended = True
        return self._answer.take()

    def take(self) -> list[ChatDelta]:
        """Returns the new deltas that `feed` did not return because of an error."""
        return self._answer.take()

    def finish(self) -> tuple[list[ChatDelta], Answer]:
        """Returns the buffered deltas and the answer."""
        answer = self._answer
        if answer.finish_reason is None:
            raise ProtocolError("it ended without a finish reason")
        if self._inline is not None:
            self._add_split(self._inline.finish())
        for call in self._calls:
            answer.tool_calls.append(make_tool_call(call.id, call.name, call.arguments, answer.tool_calls))
        if self._refusal:
            answer.finish_reason = "content_filter"
        answer.settle()
        extras = {
            made.id: call.extra_content
            for made, call in zip(answer.tool_calls, self._calls, strict=True)
            if call.extra_content is not None
        }
        reasoning = {self._reasoning_key: answer.reasoning} if self._reasoning_key else {}
        if answer.tool_calls and (reasoning or extras):
            answer.provider_state = msgspec.json.encode(_State(reasoning, extras)).decode()
        return answer.take(), answer

    def _take_chunk(self, chunk: _Chunk, payload: bytes) -> None:
        if chunk.model:
            self._answer.model = chunk.model
        if chunk.usage is not None:
            self._take_usage(chunk.usage)
        if not chunk.choices:
            if chunk.usage is None:
                _raise_reported_error(payload)
            return
        choice = chunk.choices[0]
        if choice.index:
            return
        delta = choice.delta or choice.message
        if delta is not None:
            self._take_delta(delta)
        if reason := choice.finish_reason:
            if reason in FAILURES:
                _raise_reported_error(payload)
                raise ServerReportedError(f"the server gave up on the answer (finish reason {reason!r})")
            self._answer.finish_reason = FINISH_REASONS.get(reason, "stop")

    def _take_delta(self, delta: _Delta) -> None:
        if text := delta.content:
            if self._inline is None:
                self._answer.add_text(text)
            else:
                self._add_split(self._inline.feed(text))
                if self._inline.decided:
                    self._inline = None
        if reasoning := delta.reasoning_content or delta.reasoning:
            self._reasoning_key = "reasoning_content" if delta.reasoning_content else "reasoning"
            self._answer.add_reasoning(reasoning)
        if delta.refusal:
            self._answer.add_text(delta.refusal)
            self._refusal = True
        if delta.tool_calls:
            for call in delta.tool_calls if isinstance(delta.tool_calls, list) else [delta.tool_calls]:
                self._take_call(call)

    def _add_split(self, parts: tuple[str, str]) -> None:
        reasoning, text = parts
        if reasoning:
            self._answer.add_reasoning(reasoning)
        if text:
            self._answer.add_text(text)

    def _take_call(self, fragment: _ToolCall) -> None:
        function = fragment.function or _Function()
        arguments = function.arguments or ""
        if isinstance(arguments, dict):
            arguments = msgspec.json.encode(arguments).decode()
        call = self._call_of(fragment, function.name or "", arguments)
        call.id = call.id or fragment.id or ""
        call.name = call.name or function.name or ""
        call.arguments += arguments
        if fragment.extra_content is not None:
            call.extra_content = fragment.extra_content

    def _call_of(self, fragment: _ToolCall, name: str, arguments: str) -> _Call:
        """Returns the call that a fragment continues, or a new one.

        Fragments of a call share its index. Servers that send complete calls may omit the index or use the same one for
        all: then a new id, or without ids a name after complete arguments, starts a new call.
        """
        index = fragment.index
        if index is None:
            index = max(self._open_calls, default=0)
        call = self._open_calls.get(index)
        if call is not None and name and call.name:
            other_id = bool(fragment.id) and fragment.id != call.id
            after_whole_call = not fragment.id and bool(arguments) and _is_json(call.arguments)
            if other_id or after_whole_call:
                call = None
        if call is None:
            call = self._open_calls[index] = _Call()
            self._calls.append(call)
        return call

    def _take_usage(self, usage: _Usage) -> None:
        if usage.prompt_tokens is not None and usage.completion_tokens is not None:
            cached = usage.prompt_tokens_details.cached_tokens if usage.prompt_tokens_details else None
            self._answer.usage = Usage(usage.prompt_tokens, usage.completion_tokens, cache_read_tokens=cached or 0)


def _refuse(payload: bytes, error: Exception) -> NoReturn:
    _raise_reported_error(payload)
    raise ProtocolError(f"it sent something other than a chat completion: {error}") from None


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except UNDECODABLE:
        return False
    return True


def _raise_reported_error(payload: bytes) -> None:
    """Raises the error in a payload, in the forms of OpenAI, TGI (a text) and older vLLM (the object itself)."""
    try:
        value = msgspec.json.decode(payload)
    except UNDECODABLE:
        return
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return
    if error := value.get("error"):
        raise ServerReportedError(value if isinstance(error, str) else error)
    if value.get("object") == "error":
        raise ServerReportedError(value)
