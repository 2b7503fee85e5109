"""Errors over gRPC: the canonical status with a `google.rpc.ErrorInfo` in its details."""

from typing import Any, NoReturn

import grpc
from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2  # type: ignore[import-untyped]
from grpc_status import rpc_status  # type: ignore[import-untyped]

from echomind_lib.errors.catalogue import BY_REASON, EchoMindError

DOMAIN = "echomind"


def to_status(error: EchoMindError) -> status_pb2.Status:
    """Returns the gRPC status of an error."""
    info = error_details_pb2.ErrorInfo(reason=error.reason, domain=DOMAIN, metadata=error.metadata)
    detail = any_pb2.Any()
    detail.Pack(info)
    return status_pb2.Status(code=code_pb2.Code.Value(error.code), message=error.message, details=[detail])


async def abort(context: grpc.aio.ServicerContext[Any, Any], error: EchoMindError) -> NoReturn:
    """Aborts a call with an error."""
    status = rpc_status.to_status(to_status(error))
    await context.abort(status.code, status.details, status.trailing_metadata)
    raise AssertionError("abort() raises")


def from_rpc_error(error: grpc.RpcError) -> EchoMindError | None:
    """Returns the EchoMind error of a failed call.

    Args:
        error: Exception of the client.

    Returns:
        The error, or None if the failure has another origin, for example the connection.
    """
    status = rpc_status.from_call(error)
    for detail in status.details if status is not None else ():
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info) and info.domain == DOMAIN and info.reason in BY_REASON:
            return BY_REASON[info.reason](status.message, **info.metadata)
    return None
