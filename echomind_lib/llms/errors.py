"""Errors of chat models, classified by what the caller can do about them.

An error's text is for operators: it contains the provider and the host, may quote the server, says what to do, and
never contains the API key. Users see its `message`.
"""
# ruff: noqa: N818 -- the names say what happened; a suffix would add nothing

from typing import ClassVar


class LlmError(Exception):
    """A model returned no complete answer.

    Attributes:
        message: What happened and what to do, for users: no address, setting or text of a server.
        retryable: Whether the same request may succeed later. The client has already retried as often as allowed.
        retry_after: Seconds to wait before a retry, if the server has sent them.
        status: The HTTP status, if there was a response.
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
    """The rate limit for requests or tokens is exceeded."""

    message = "The model's server limits the rate of requests: try again later."
    retryable_by_default = True


class LlmQuotaExhausted(LlmError):
    """The account has no credit or quota left; waiting does not help."""

    message = "The model's account has no credit or quota left: tell an administrator."


class LlmAuthFailed(LlmError):
    """The API key is missing, wrong, or may not use this model."""

    message = "The model's server refuses access: tell an administrator, who can check its API key."


class LlmBadRequest(LlmError):
    """The server rejects the request: wrong endpoint, unknown model, unsupported parameter."""

    message = "The model's server refuses the request: tell an administrator, who can check the model's settings."


class LlmContextTooLong(LlmBadRequest):
    """Prompt and answer do not fit into the model's context; a shorter prompt may."""

    message = "The question with its context is too long for the model: shorten it, or choose another model."


class LlmContentFiltered(LlmBadRequest):
    """The provider's content filter rejects the prompt."""

    message = "The model's content filter refuses the question: word it differently."


class LlmStreamBroken(LlmError):
    """The answer was cut off or violates the protocol. Deltas received before are not the complete answer."""

    message = "The model's answer was cut off or cannot be read: try again."
    retryable_by_default = True


class LlmSearchFailed(LlmError):
    """The built-in model has nothing to quote, because its search failed."""

    message = "The documents cannot be searched at the moment: try again later."


class LlmConfigInvalid(ValueError):
    """A model's configuration is not valid; the message names the field and what to do."""
