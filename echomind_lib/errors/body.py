"""Errors over HTTP: `{"error": {"code", "reason", "message", "metadata"}}` with the status of the canonical code."""

from typing import Any

from pydantic_core import to_json

from echomind_lib.errors.catalogue import BY_REASON, EchoMindError

# HTTP status by code, from google.rpc.Code: https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto
STATUS = {
    "INVALID_ARGUMENT": 400,
    "FAILED_PRECONDITION": 400,
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
    "NOT_FOUND": 404,
    "ALREADY_EXISTS": 409,
    "ABORTED": 409,
    "RESOURCE_EXHAUSTED": 429,
    "INTERNAL": 500,
    "UNIMPLEMENTED": 501,
    "UNAVAILABLE": 503,
}


def to_body(error: EchoMindError) -> bytes:
    """Writes the JSON of an error, as in responses and in `event: error` of streams."""
    detail = {"code": error.code, "reason": error.reason, "message": error.message, "metadata": error.metadata}
    return to_json({"error": detail})


def from_body(body: Any) -> EchoMindError | None:
    """Reads an error from the JSON of a response.

    Returns:
        The error, of a new class if its reason is from a newer catalogue; None if the JSON contains none.
    """
    match body:
        case {"error": {"code": str(code), "reason": str(reason), "message": str(message), "metadata": dict(metadata)}}:
            kind = BY_REASON.get(reason) or _unknown(reason, code)
            return kind(message, **metadata)
    return None


def _unknown(reason: str, code: str) -> type[EchoMindError]:
    return type("UnknownReasonError", (EchoMindError,), {"reason": reason, "code": code})
