"""The API's documentation page: Swagger UI from the installation, so that nothing is loaded from elsewhere."""

from importlib.resources import files
from typing import Final

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

_TYPES: Final = {
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
    "favicon-32x32.png": "image/png",
}
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>EchoMind API</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="icon" href="docs/favicon-32x32.png">
<div id="docs"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
"""
_START = """
window.ui = SwaggerUIBundle({
  url: "api/v1/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  docExpansion: "none",
  persistAuthorization: true,
  requestInterceptor: (request) => {
    request.headers["X-EchoMind-CSRF"] = "1";
    return request;
  },
});
"""


def docs_routes() -> APIRouter:
    """Returns the routes. Addresses in them are relative to the page, whatever base path the browser sees before it."""
    router = APIRouter(prefix="/docs", include_in_schema=False)

    @router.get("")
    async def page() -> Response:
        return HTMLResponse(_PAGE)

    @router.get("/start.js")
    async def start() -> Response:
        return Response(_START, media_type="text/javascript")

    @router.get("/{name}")
    async def asset(name: str) -> Response:
        if name not in _TYPES:
            raise HTTPException(404)
        content = files("fastapi_swagger.resources").joinpath(name).read_bytes()
        return Response(content, media_type=_TYPES[name], headers={"Cache-Control": "public, max-age=86400"})

    return router
