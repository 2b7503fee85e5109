"""Errors in OpenAI's form: `{"error": {"message", "type", "param", "code"}}`."""

from typing import Any, Final

from pydantic_core import to_json
from starlette.responses import Response

from echomind_lib.errors import EchoMindError, ValidationFailedError
from echomind_lib.errors.body import STATUS

_TYPES: Final = {
    401: "authentication_error",
    403: "permission_error",
    429: "rate_limit_error",
}


class OpenAiError(Exception):
    """An error with OpenAI's words for what is wrong."""

    def __init__(
        self, message: str, *, status: int = 400, code: str = "invalid_request", param: str | None = None
    ) -> None:
        super().__init__(message)
        self.message, self.status, self.code, self.param = message, status, code, param


class RunEndedError(OpenAiError):
    """A run has ended without an answer, or with another one than was sent. A retry would cost another run."""

    def __init__(self, message: str, code: str, status: int = 500) -> None:
        super().__init__(message, status=status, code=code)


def translated(error: EchoMindError) -> OpenAiError:
    """Returns an error of EchoMind in OpenAI's words."""
    param = next(iter(error.metadata), None) if isinstance(error, ValidationFailedError) else None
    return OpenAiError(error.message, status=_status(error), code=error.reason.lower(), param=param)


def _status(error: EchoMindError) -> int:
    # A run that is active blocks the conversation, which is a conflict and no fault of the request.
    return 409 if error.reason == "RUN_ACTIVE" else STATUS[error.code]


def body_of(error: OpenAiError) -> dict[str, Any]:
    """Returns the JSON of an error, as in responses and in streams."""
    kind = _TYPES.get(error.status) or ("server_error" if error.status >= 500 else "invalid_request_error")
    return {"error": {"message": error.message, "type": kind, "param": error.param, "code": error.code}}


def error_response(error: OpenAiError | EchoMindError) -> Response:
    """Returns the HTTP response of an error. `x-should-retry` tells OpenAI's clients whether trying again may help."""
    known = translated(error) if isinstance(error, EchoMindError) else error
    headers = {}
    if known.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(known, RunEndedError) or known.status == 409 or known.code == "quota_exceeded":
        headers["x-should-retry"] = "false"
    if isinstance(error, EchoMindError) and (delay := error.metadata.get("retry_after_seconds")) is not None:
        headers["Retry-After"] = delay
    return Response(to_json(body_of(known)), known.status, headers, "application/json")
