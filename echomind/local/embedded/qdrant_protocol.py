"""Qdrant's own gRPC messages, and the errors that answer a call."""

import grpc

from echomind_lib.vectors.qdrant_messages import pb

__all__ = ["InvalidRequestError", "RequestError", "UnsupportedError", "pb"]


class RequestError(Exception):
    """Ends a call with a gRPC status; the message is for the caller."""

    def __init__(self, code: grpc.StatusCode, message: str):
        super().__init__(message)
        self.code = code


class InvalidRequestError(RequestError):
    """The request is invalid for the engine."""

    def __init__(self, message: str):
        super().__init__(grpc.StatusCode.INVALID_ARGUMENT, f"Wrong input: {message}")


class UnsupportedError(RequestError):
    """A Qdrant server would do this; this one does not."""

    def __init__(self, what: str):
        super().__init__(
            grpc.StatusCode.UNIMPLEMENTED,
            f"The embedded server does not serve {what}; a Qdrant server does: name one in ECHOMIND_QDRANT__URL.",
        )
