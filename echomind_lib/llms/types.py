"""Requests to and responses of a chat model, the same for every provider.

The structs are plain `msgspec.Struct`s: cheap to create (one per streamed delta) and encodable as JSON.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import datetime
from typing import Any, Literal, Protocol

import msgspec

Role = Literal["system", "user", "assistant", "tool"]
FinishReason = Literal["stop", "length", "tool_calls", "content_filter"]
ToolChoice = Literal["auto", "none", "required"]


class ToolCall(msgspec.Struct):
    """A tool call requested by the model.

    Attributes:
        id: Identifies the call and its result. Never empty, and unique within an answer.
        name: The tool's name. Never empty.
        arguments: JSON text as written by the model, "{}" if there was none. It may be
            invalid JSON or not match the tool's schema: the caller parses and validates it.
    """

    id: str
    name: str
    arguments: str = "{}"


class Message(msgspec.Struct):
    """One message of a conversation.

    Attributes:
        role: Its author. System messages are instructions, tool messages are results of tool calls.
        content: The text; may be empty for an assistant that only calls tools.
        tool_calls: The tool calls of an assistant message.
        tool_call_id: For a tool message: the id of its call.
        provider_state: For an assistant message: state that the provider requires unchanged in the next request
            (signed reasoning). Opaque; take it from `Completion.message()`; ignored by other wire formats.
    """

    role: Role
    content: str = ""
    tool_calls: list[ToolCall] = []
    tool_call_id: str | None = None
    provider_state: str = ""


class ToolSpec(msgspec.Struct, omit_defaults=True):
    """A tool that the model may call.

    Attributes:
        name: Its name.
        description: What it is for.
        parameters: JSON schema of its arguments, an object schema.
        strict: Whether the server holds the arguments to the schema; only some of OpenAI's form can.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    strict: bool = False


class ChatRequest(msgspec.Struct):
    """One request to a model.

    Attributes:
        messages: The conversation, oldest first. Every tool call needs its tool message before the next turn.
        tools: Tools of the model.
        temperature: 0 to 2; None uses the model's configured value, or the provider's default.
        max_tokens: Upper bound of generated tokens; None uses the model's configured value.
        tool_choice: Whether the model may (auto), must not (none) or must (required) call a tool.
        parallel_tool_calls: Whether to request several calls in one answer; not every server supports it.
        answer_schema: JSON schema of the answer's text, an object schema in which every property is required and no
            other is allowed; None for free text. Not every server supports it, so the answer must be validated.
        read_every: Seconds between two reads of a streamed answer after its first text; its end is read at once. 0 to
            read each piece when it arrives. No part of what is sent.
    """

    messages: list[Message]
    tools: list[ToolSpec] = []
    temperature: float | None = None
    max_tokens: int | None = None
    tool_choice: ToolChoice = "auto"
    parallel_tool_calls: bool = True
    answer_schema: dict[str, Any] | None = None
    read_every: float = 0.0


class Usage(msgspec.Struct):
    """Tokens of one request.

    Attributes:
        prompt_tokens: All tokens of the prompt, cached ones included.
        completion_tokens: All generated tokens, reasoning included.
        estimated: True if the server reported no counts and `tokens.count_tokens` estimated them.
        cache_read_tokens: The part of `prompt_tokens` read from the provider's cache (billed lower).
        cache_write_tokens: The part of `prompt_tokens` written to the provider's cache (may be billed higher).
    """

    prompt_tokens: int
    completion_tokens: int
    estimated: bool = False
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    def plus(self, other: "Usage") -> "Usage":
        """Returns the tokens of both requests together."""
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.estimated or other.estimated,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
        )


class TextDelta(msgspec.Struct, gc=False):
    """The next piece of the answer's text. Never empty."""

    text: str


class ReasoningDelta(msgspec.Struct, gc=False):
    """The next piece of the model's reasoning, which is not part of the answer. Never empty."""

    text: str


class Completion(msgspec.Struct):
    """The complete answer, the last event of every stream.

    `text` and `reasoning` are exactly the joined deltas. `model` is the server's name of the model, which may be more
    precise than the configured one. `finish_reason` is `tool_calls` if and only if the model stopped to call tools; an
    answer truncated at the token limit (`length`) may contain calls with truncated arguments. `began_at` is when
    its first part was received; None where that is not known.
    """

    text: str
    reasoning: str
    tool_calls: list[ToolCall]
    finish_reason: FinishReason
    usage: Usage
    model: str
    provider_state: str = ""
    began_at: datetime | None = None

    def message(self) -> Message:
        """Returns the answer as the assistant's message for the next request."""
        return Message("assistant", self.text, self.tool_calls, provider_state=self.provider_state)


ChatEvent = TextDelta | ReasoningDelta | Completion


class ChatModel(Protocol):
    """A chat model. Implementations are safe for any number of concurrent streams."""

    @property
    def name(self) -> str:
        """Returns provider and model, such as `openai:gpt-4o`."""

    def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        """Sends a request; yields deltas and then exactly one `Completion`.

        Closing the generator early stops the model at once; use `contextlib.aclosing`, so that leaving the loop closes
        it immediately and not at garbage collection.

        Raises:
            LlmError: There is no complete answer; see `errors`.
        """

    async def close(self) -> None:
        """Closes connections, except a session that was passed in."""


async def complete(model: ChatModel, request: ChatRequest) -> Completion:
    """Sends a request and returns the complete answer.

    Raises:
        LlmError: There is no complete answer.
    """
    async with aclosing(model.stream(request)) as events:
        async for event in events:
            if isinstance(event, Completion):
                return event
    raise RuntimeError(f"{model.name} ended its stream without a completion")
