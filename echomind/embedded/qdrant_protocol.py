"""Qdrant's own gRPC messages, which ship with `qdrant-client`, and the errors that answer a call."""

import importlib
import importlib.util
import sys
from types import ModuleType
from typing import TYPE_CHECKING

import grpc

if TYPE_CHECKING:
    from qdrant_client import grpc as pb
else:

    def _load_messages() -> ModuleType:
        # Importing the client around them would cost 60 MB and over a second, so its package is bare meanwhile.
        name = "qdrant_client"
        if name in sys.modules:
            return importlib.import_module(f"{name}.grpc")
        bare = ModuleType(name)
        bare.__path__ = importlib.util.find_spec(name).submodule_search_locations
        sys.modules[name] = bare
        try:
            return importlib.import_module(f"{name}.grpc")
        finally:
            del sys.modules[name]

    pb = _load_messages()

__all__ = ["InvalidRequestError", "RequestError", "UnsupportedError", "pb"]


class RequestError(Exception):
    """Ends a call with a gRPC status; the message is for the caller."""

    def __init__(self, code: grpc.StatusCode, message: str):
        super().__init__(message)
        self.code = code


class InvalidRequestError(RequestError):
    """The request makes no sense to the engine."""

    def __init__(self, message: str):
        super().__init__(grpc.StatusCode.INVALID_ARGUMENT, f"Wrong input: {message}")


class UnsupportedError(RequestError):
    """A Qdrant server would do this; this one does not."""

    def __init__(self, what: str):
        super().__init__(
            grpc.StatusCode.UNIMPLEMENTED,
            f"The embedded server does not serve {what}; a Qdrant server does: name one in ECHOMIND_QDRANT__URL.",
        )
