"""The API contract in Python: base classes of the generated models and services, and the binding to transports."""

from echomind_lib.contract.binding import Method
from echomind_lib.contract.call import CallContext, Middleware, Proceed
from echomind_lib.contract.model import Empty, OneofModel, PatchModel, ProtoModel, UpdateModel
from echomind_lib.contract.types import ProtoEnum

__all__ = [
    "CallContext",
    "Empty",
    "Method",
    "Middleware",
    "OneofModel",
    "PatchModel",
    "Proceed",
    "ProtoEnum",
    "ProtoModel",
    "UpdateModel",
]
