"""What a program gives with its question: earlier messages, instructions, tools that it runs itself, and their results.

It is stored in `runs.caller`. Only the question counts as the person's words: everything here is untrusted.
"""

from typing import Any, Literal

import msgspec


class CallerMessage(msgspec.Struct, frozen=True):
    """An earlier message, as the program gives it."""

    role: Literal["user", "assistant", "tool"]
    content: str


class CallerTool(msgspec.Struct, frozen=True, omit_defaults=True):
    """A tool that the program runs itself."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON Schema of its arguments, an object schema."""
    strict: bool = False
    """Whether the model's server is to hold the arguments to the schema."""


class CallerResult(msgspec.Struct, frozen=True):
    """The result of a call that an earlier run for the same question requested."""

    name: str
    """The tool."""
    arguments: str
    """JSON text."""
    result: str


class Caller(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What a program gives with its question."""

    instructions: str = ""
    messages: tuple[CallerMessage, ...] | None = None
    """The messages before the question, oldest first; None if the session's own messages are the history."""
    results: tuple[CallerResult, ...] = ()
    tools: tuple[CallerTool, ...] = ()
    is_question_untrusted: bool = False
    """Whether not the person but a model has written the question."""
    must_call: bool = False
    """Whether the model has to call one of these tools, and has no others."""
    has_one_call: bool = False
    """Whether the program gets one call of its tools at a time."""

    connectors: tuple[int, ...] = ()
    """IDs of the only connectors that the run and its sub-runs search and read; empty for all that the person may."""
    fingerprint: str = ""
    """Hash of the request that has an idempotency key, by which another request with that key is refused."""
    repetitions: int = 0
    """How often the program has sent the request again."""

    @property
    def max_calls(self) -> int | None:
        """The most calls of its tools that the program gets at a time; None for all."""
        return 1 if self.has_one_call else None

    @property
    def is_untrusted(self) -> bool:
        """Returns whether the prompt has text that is not the person's."""
        return self.is_question_untrusted or bool(self.instructions or self.messages or self.results or self.tools)

    def stored(self) -> dict[str, Any]:
        """Returns it as the column `runs.caller`."""
        stored: dict[str, Any] = msgspec.to_builtins(self)
        return stored
