"""What can go wrong with a chat model, by what the caller can do about it.

Messages are for people: they name the provider and the host, say what to do, and never contain the API key.
"""
# ruff: noqa: N818 -- the names say what happened; a suffix would add nothing


class LlmError(Exception):
    """A model gave no whole answer.

    Attributes:
        retryable: Whether the same request may succeed later. The client has already retried as far as it may.
        retry_after: Seconds after which the server asks to be tried again, when it said so.
        status: The HTTP status, when there was an answer.
        detail: What the server itself said, shortened and without the API key.
    """

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

    retryable_by_default = True


class LlmRateLimited(LlmError):
    """Too many requests or tokens for now."""

    retryable_by_default = True


class LlmQuotaExhausted(LlmError):
    """The account has no credit or quota left; waiting does not help."""


class LlmAuthFailed(LlmError):
    """The API key is missing, wrong, or may not use this model."""


class LlmBadRequest(LlmError):
    """The server refuses the request as it is: wrong endpoint, unknown model, unsupported parameter."""


class LlmContextTooLong(LlmBadRequest):
    """Prompt and answer do not fit into the model's context; a shorter prompt may."""


class LlmContentFiltered(LlmBadRequest):
    """The provider's content filter refuses the prompt."""


class LlmStreamBroken(LlmError):
    """The answer was cut off or is not what the protocol allows. Deltas received before it are not the whole answer."""

    retryable_by_default = True


class LlmConfigInvalid(ValueError):
    """A model's configuration cannot work; the message names the field and what to do."""
