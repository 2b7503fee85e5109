"""Qdrant's own gRPC messages and stubs, which ship with `qdrant-client`."""

from typing import TYPE_CHECKING

from echomind_lib.process.lean_imports import import_parts

if TYPE_CHECKING:
    from qdrant_client import grpc as pb
else:
    # The messages alone: the whole client costs 60 MB and more than a second to import.
    (pb,) = import_parts("qdrant_client", "grpc")

__all__ = ["pb"]
