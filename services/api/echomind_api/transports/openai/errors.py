"""Errors in OpenAI's form: `{"error": {"message", "type", "param", "code"}}`."""

import math
from datetime import UTC, datetime
from typing import Any, Final

from pydantic_core import to_json
from starlette.responses import Response

from echomind_lib.errors import EchoMindError, OverloadedError, ValidationFailedError
from echomind_lib.errors.body import STATUS

_TYPES: Final = {
    401: "authentication_error",
    403: "permission_error",
    429: "requests",
}
"""`type` by status, from https://platform.openai.com/docs/guides/error-codes; `insufficient_quota` is its own type."""
NO_QUOTA: Final = "insufficient_quota"
"""The code, and the type, of a quota that is used up: to try again before `Retry-After` is in vain."""
RATE_LIMITED: Final = "rate_limit_exceeded"
"""The code of too many requests: one of them succeeds after `Retry-After`."""


class OpenAiError(Exception):
    """An error with OpenAI's words for what is wrong.

    Attributes:
        message: What happened and what to do, for people.
        status: The HTTP status.
        code: A code for programs.
        param: The name of the parameter that is wrong; None if it is none.
        retry_after: Seconds after which the same request can succeed; None if unknown.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 400,
        code: str = "invalid_request",
        param: str | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message, self.status, self.code, self.param = message, status, code, param
        self.retry_after = retry_after


class RunEndedError(OpenAiError):
    """A run has ended without an answer, or with another one than was sent. A retry would cost another run."""

    def __init__(self, message: str, code: str, status: int = 500, retry_after: int | None = None) -> None:
        super().__init__(message, status=status, code=code, retry_after=retry_after)


def quota_exceeded(renews_at: datetime) -> OpenAiError:
    """Returns the error of a request to a model while a quota of whoever asks, or of their key, is used up.

    Args:
        renews_at: When it renews, in UTC.
    """
    message = f"A quota that applies to you is used up. It renews at {renews_at:%Y-%m-%d %H:%M} UTC."
    return OpenAiError(message, status=429, code=NO_QUOTA, retry_after=seconds_until(renews_at))


def translated(error: EchoMindError) -> OpenAiError:
    """Returns an error of EchoMind in OpenAI's words."""
    param = next(iter(error.metadata), None) if isinstance(error, ValidationFailedError) else None
    code = RATE_LIMITED if isinstance(error, OverloadedError) else error.reason.lower()
    delay = error.metadata.get("retry_after_seconds")
    retry_after = None if delay is None else math.ceil(float(delay))
    trace_id = error.metadata.get("trace_id")
    message = f"{error.message}: {trace_id}" if trace_id else error.message
    return OpenAiError(message, status=_status(error), code=code, param=param, retry_after=retry_after)


def seconds_until(time: datetime) -> int:
    """Returns the seconds until a time, as `Retry-After` has them: at least 1."""
    return max(1, math.ceil((time - datetime.now(UTC)).total_seconds()))


def _status(error: EchoMindError) -> int:
    # A run that is active blocks the conversation, which is a conflict and no fault of the request.
    return 409 if error.reason == "RUN_ACTIVE" else STATUS[error.code]


def body_of(error: OpenAiError) -> dict[str, Any]:
    """Returns the JSON of an error, as in responses and in streams."""
    kind = NO_QUOTA if error.code == NO_QUOTA else _TYPES.get(error.status)
    kind = kind or ("server_error" if error.status >= 500 else "invalid_request_error")
    return {"error": {"message": error.message, "type": kind, "param": error.param, "code": error.code}}


def error_response(error: OpenAiError | EchoMindError) -> Response:
    """Returns the HTTP response of an error. `x-should-retry` tells OpenAI's clients whether trying again may help."""
    known = translated(error) if isinstance(error, EchoMindError) else error
    headers = {}
    if known.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(known, RunEndedError) or known.status == 409 or known.code == NO_QUOTA:
        headers["x-should-retry"] = "false"
    if known.retry_after is not None:
        headers["Retry-After"] = str(known.retry_after)
    return Response(to_json(body_of(known)), known.status, headers, "application/json")
