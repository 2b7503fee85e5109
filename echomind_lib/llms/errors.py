"""Errors of chat models, by what the caller can do about them.

An error's text is for whoever runs EchoMind: it names the provider and the host, may quote the server, says what to do,
and never contains the API key. Other people are told its `message`.
"""
# ruff: noqa: N818 -- the names say what happened; a suffix would add nothing

from typing import ClassVar


class LlmError(Exception):
    """A model gave no whole answer.

    Attributes:
        message: What happened and what to do, for users: no address, setting or text of a server.
        retryable: Whether the same request may succeed later. The client has already retried as far as it may.
        retry_after: Seconds after which the server asks to be tried again, when it said so.
        status: The HTTP status, when there was an answer.
        detail: Message of the server, shortened and without the API key.
    """

    message: ClassVar[str] = "The model has failed: try again."
    retryable_by_default = False

    def __init__(
        self,
        message: str,
        *,
        retryable: bool | None = None,
        retry_after: float | None = None,
        status: int | None = None,
        detail: str = "",
    ) -> None:
        super().__init__(message)
        self.retryable = self.retryable_by_default if retryable is None else retryable
        self.retry_after = retry_after
        self.status = status
        self.detail = detail


class LlmUnavailable(LlmError):
    """The server cannot be reached, is overloaded, failed, or took too long."""

    message = "The model's server does not answer or is overloaded: try again later."
    retryable_by_default = True


class LlmRateLimited(LlmError):
    """Too many requests or tokens for now."""

    message = "The model's server limits the rate of requests: try again later."
    retryable_by_default = True


class LlmQuotaExhausted(LlmError):
    """The account has no credit or quota left; waiting does not help."""

    message = "The model's account has no credit or quota left: tell an administrator."


class LlmAuthFailed(LlmError):
    """The API key is missing, wrong, or may not use this model."""

    message = "The model's server refuses access: tell an administrator, who can check its API key."


class LlmBadRequest(LlmError):
    """The server refuses the request as it is: wrong endpoint, unknown model, unsupported parameter."""

    message = "The model's server refuses the request: tell an administrator, who can check the model's settings."


class LlmContextTooLong(LlmBadRequest):
    """Prompt and answer do not fit into the model's context; a shorter prompt may."""

    message = "The question with its context is too long for the model: shorten it, or choose another model."


class LlmContentFiltered(LlmBadRequest):
    """The provider's content filter refuses the prompt."""

    message = "The model's content filter refuses the question: word it differently."


class LlmStreamBroken(LlmError):
    """The answer was cut off or is not what the protocol allows. Deltas received before it are not the whole answer."""

    message = "The model's answer was cut off or cannot be read: try again."
    retryable_by_default = True


class LlmConfigInvalid(ValueError):
    """A model's configuration cannot work; the message names the field and what to do."""
