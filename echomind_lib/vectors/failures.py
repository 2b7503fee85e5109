"""Failed calls of the vector index."""

import grpc

from echomind_lib.errors import DependencyUnavailableError, DiskFullError, EchoMindError

_TRANSIENT = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}
_NO_SPACE = ("No space left on device", "Insufficient storage")
"""What Qdrant's messages contain when it has no space."""


def is_transient(error: BaseException) -> bool:
    """Returns whether the same call may succeed in a moment."""
    if not isinstance(error, grpc.aio.AioRpcError) or _has_no_space(error.details() or ""):
        return False
    return error.code() in _TRANSIENT


def to_error(error: grpc.aio.AioRpcError) -> EchoMindError:
    """Returns the error of the catalogue that a failed call means."""
    details = error.details() or ""
    if error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED and "disk" in details:
        return DiskFullError(details)
    if _has_no_space(details):
        return DiskFullError("The disk of the vector index is full.")
    return DependencyUnavailableError(
        "The vector index does not answer: try again.",
        detail=f"{error.code().name}: {details}. Check ECHOMIND_QDRANT__URL.",
        dependency="qdrant",
    )


def _has_no_space(details: str) -> bool:
    return any(words in details for words in _NO_SPACE)
