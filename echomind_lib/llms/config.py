"""Configuration of a chat model."""

from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from echomind_lib.llms.errors import LlmConfigInvalid
from echomind_lib.process.retries import RetryPolicy

Provider = Literal["openai", "vllm", "tgi", "ollama", "anthropic"]
PROVIDERS: tuple[Provider, ...] = get_args(Provider)

# Parameters that the client sets itself; `extra` may not override them.
RESERVED_PARAMETERS = frozenset(
    ["model", "messages", "system", "stream", "stream_options", "tools", "tool_choice", "n"]
)


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Limits of one attempt, in seconds.

    Attributes:
        connect: For the connection, TLS included.
        idle: Between two network reads, including before the first one, as a local server may load the model first.
        total: For the whole answer.
    """

    connect: float = 10
    idle: float = 120
    total: float = 600


RETRIES: Final = RetryPolicy(first=0.5, attempts=3, seconds=60.0)
"""Retries of a request before its first delta; there are none after it."""


@dataclass(frozen=True, slots=True)
class LlmConfig:
    """Configuration of a chat model, validated at construction.

    Attributes:
        provider: Determines the wire format and the default endpoint.
        model_id: The model's name at the server.
        endpoint: Base URL, with or without `/v1`; None for the provider's default.
        api_key: Sent to the endpoint; None for servers without keys. Not shown by `repr`.
        max_tokens: Default maximum of generated tokens, at least 1.
        temperature: Default temperature, 0 to 2.
        context_tokens: Size of the model's context, prompt and answer together; used to build prompts.
        extra: Further parameters of the provider, merged into each request unchanged, such as
            `{"reasoning_effort": "low"}`.
        timeouts: Limits of one attempt.
        retries: Number of retries of a request before its first delta.

    Raises:
        LlmConfigInvalid: A value is not valid.
    """

    provider: Provider
    model_id: str
    endpoint: str | None = None
    api_key: str | None = field(default=None, repr=False)
    max_tokens: int | None = None
    temperature: float | None = None
    context_tokens: int | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    timeouts: Timeouts = Timeouts()
    retries: RetryPolicy = RETRIES

    def __post_init__(self) -> None:
        if self.provider not in PROVIDERS:
            raise LlmConfigInvalid(f"provider {self.provider!r} is unknown; use one of {', '.join(PROVIDERS)}")
        if not self.model_id.strip():
            raise LlmConfigInvalid("model_id is empty; give the model's name as the server knows it")
        if self.api_key and not (self.api_key.isascii() and self.api_key.isprintable() and " " not in self.api_key):
            raise LlmConfigInvalid("api_key holds a space, a line break or a character outside ASCII; copy it again")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise LlmConfigInvalid(f"max_tokens is {self.max_tokens}; it must be at least 1")
        if self.context_tokens is not None and self.context_tokens < 1:
            raise LlmConfigInvalid(f"context_tokens is {self.context_tokens}; it must be at least 1")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise LlmConfigInvalid(f"temperature is {self.temperature}; it must be between 0 and 2")
        if reserved := RESERVED_PARAMETERS & self.extra.keys():
            raise LlmConfigInvalid(f"extra may not set {', '.join(sorted(reserved))}: the client sets them itself")
