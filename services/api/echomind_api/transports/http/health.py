"""Liveness, readiness and metrics on the public port; details only for superadmins.

Prometheus and probes use the health port (`ECHOMIND_API__HEALTH_PORT`), which requires no authentication.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import BaseModel, Field
from starlette.responses import JSONResponse, Response

from echomind_api.calls.handwritten import run_call
from echomind_lib.access import require_role
from echomind_lib.contract import CallContext
from echomind_lib.contract.call import Middleware
from echomind_lib.errors import EchoMindError
from echomind_lib.telemetry import Check, check_all


class Readiness(BaseModel):
    """Whether the gateway is ready."""

    ready: bool = Field(description="Whether everything that it needs answers.")
    dependencies: dict[str, str] = Field(
        default_factory=dict, description="What it needs, by name: `ok`, or the kind of failure. For superadmins."
    )


def health_routes(checks: Mapping[str, Check], middlewares: Sequence[Middleware]) -> APIRouter:
    """Returns the routes.

    Args:
        checks: Name and check of each part that the gateway needs.
        middlewares: Middlewares of the calls that require sign-in, the first outermost.
    """
    router = APIRouter(tags=["Health"])

    async def is_superadmin(request: Request) -> bool:
        if "authorization" not in request.headers:
            return False
        try:
            await run_call(request, "Health/GetReadiness", middlewares, _require_superadmin)
        except EchoMindError:
            return False
        return True

    @router.get("/healthz")
    async def healthz() -> dict[str, str]:
        """Returns whether the process runs."""
        return {"status": "ok"}

    @router.get("/readyz", response_model=Readiness, responses={503: {"model": Readiness}})
    async def readyz(request: Request) -> Response:
        """Returns whether all servers that the gateway needs respond; 503 otherwise. Superadmins see which do not."""
        ready, results = await check_all(checks)
        shown = {"dependencies": results} if await is_superadmin(request) else {}
        return JSONResponse({"ready": ready, **shown}, 200 if ready else 503)

    # What many load balancers and monitors ask for.
    probes: dict[str, Callable[..., Any]] = {"/healthz": healthz, "/readyz": readyz}
    for path, probe in probes.items():
        router.add_api_route(path, probe, methods=["HEAD"], include_in_schema=False)

    @router.get(
        "/metrics",
        response_class=Response,
        openapi_extra={"security": [{"bearer": []}], "responses": {"200": {"content": {"text/plain": {}}}}},
    )
    async def metrics(request: Request) -> Response:
        """Metrics for Prometheus. Requires `superadmin`; the health port serves them without authentication."""
        await run_call(request, "Health/GetMetrics", middlewares, _require_superadmin)
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)

    return router


async def _require_superadmin(call: CallContext) -> None:
    require_role(call.principal, "superadmin")
