"""Liveness, readiness and metrics."""

from collections.abc import Mapping

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import JSONResponse, Response

from echomind_lib.telemetry import Check, check_all


def health_routes(checks: Mapping[str, Check]) -> APIRouter:
    """The routes. `checks` has the name and the check of each part that the gateway needs."""
    router = APIRouter(tags=["Health"])

    @router.get("/healthz")
    async def healthz() -> dict[str, str]:
        """Whether the process runs."""
        return {"status": "ok"}

    @router.get("/readyz")
    async def readyz() -> Response:
        """Whether everything that the gateway needs answers, by name; 503 when something does not."""
        ready, results = await check_all(checks)
        return JSONResponse({"ready": ready, "dependencies": results}, 200 if ready else 503)

    @router.get("/metrics", response_class=Response)
    async def metrics() -> Response:
        """Metrics for Prometheus."""
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)

    return router
