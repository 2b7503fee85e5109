"""

Generated from echomind/public/v1/system_service.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from echomind_lib.contract import CallContext, Empty, Method
from echomind_lib.models.public.system import About, SystemHealth
from echomind_lib.pb.echomind.public.v1 import system_service_pb2 as pb


class SystemService(ABC):
    """The installation itself. Probes need no sign-in: `/healthz` and `/readyz`."""

    __service__: ClassVar = pb.DESCRIPTOR.services_by_name["SystemService"]
    __methods__: ClassVar[tuple[Method, ...]] = (
        Method("GetSystemHealth", "get_system_health", Empty, SystemHealth),
        Method("GetAbout", "get_about", Empty, About),
    )

    @abstractmethod
    async def get_system_health(self, request: Empty, call: CallContext) -> SystemHealth:
        """Looks at everything that the installation is made of. Needs `admin`."""

    @abstractmethod
    async def get_about(self, request: Empty, call: CallContext) -> About:
        """Says which version runs, and which packages it is made with."""
