"""The server for gRPC, with its health service and reflection."""

from typing import Final

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from echomind_api.app import BODY_BYTES, Parts, page_tokens
from echomind_lib.contract.grpc import grpc_handler

MESSAGE_BYTES: Final = 4 * 2**20
"""Largest message accepted over gRPC, which is also the clients' default. Files and long lists use HTTP."""
RPCS_AT_ONCE: Final = 8192
"""Calls and streams of all gRPC connections; more are refused with `RESOURCE_EXHAUSTED` before they cost anything."""
RPCS_A_CONNECTION: Final = 2048
"""Calls and streams of one connection; clients queue further ones."""


def grpc_server(parts: Parts) -> tuple[grpc.aio.Server, health.aio.HealthServicer]:
    """Returns the server for gRPC, with its health service; not started and without a port."""
    server = grpc.aio.server(
        options=[
            ("grpc.max_receive_message_length", MESSAGE_BYTES),
            ("grpc.max_send_message_length", BODY_BYTES),
            ("grpc.max_concurrent_streams", RPCS_A_CONNECTION),
            ("grpc.max_metadata_size", 16 * 1024),
            ("grpc.http2.bdp_probe", 0),  # otherwise windows grow with the traffic, even before authentication
            ("grpc.so_reuseport", 0),  # otherwise a second gateway could share the port unnoticed
            ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
            ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.keepalive_time_ms", 20_000),  # detects clients that disappeared
            ("grpc.keepalive_timeout_ms", 20_000),
        ],
        maximum_concurrent_rpcs=RPCS_AT_ONCE,
    )
    tokens = page_tokens(parts.dependencies.secrets)
    server.add_generic_rpc_handlers(
        tuple(grpc_handler(service, *parts.middlewares, page_tokens=tokens) for service in parts.services)
    )
    checker = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(checker, server)
    names = [service.__service__.full_name for service in parts.services]
    reflection.enable_server_reflection([*names, health.SERVICE_NAME, reflection.SERVICE_NAME], server)
    return server, checker


async def set_serving(checker: health.aio.HealthServicer, parts: Parts) -> None:
    """Sets the health of all services to serving, over gRPC."""
    for name in ["", *(service.__service__.full_name for service in parts.services)]:
        await checker.set(name, health_pb2.HealthCheckResponse.SERVING)
