"""The web UI's files."""

from pathlib import Path
from typing import Final

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope
from starlette.websockets import WebSocket

_NOT_PAGES: Final = ("api", "auth", "v1", "docs", "mcp", "scim", "healthz", "readyz", "metrics")
"""First parts of paths that are never the web UI's: what is not there is an error there, not a page."""
_FOREVER = "public, max-age=31536000, immutable"
_ALWAYS_ASK = "no-cache"
_MISSING = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>EchoMind</title>
<body style="font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto; padding: 0 1.5rem">
<h1>EchoMind is running</h1>
<p>This installation has no web UI. The API is described at <a href="/docs">/docs</a>. In a checkout,
<code>make web</code> builds the web UI.</p>
"""


class WebFiles(StaticFiles):
    """Files of a folder; a path that names no file is a place within the web UI and gets its page."""

    def __init__(self, folder: Path) -> None:
        super().__init__(directory=folder, html=True)
        self._folder = folder

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The response for a path, which is relative to the folder."""
        if path.partition("/")[0].partition(":")[0] in _NOT_PAGES:
            raise HTTPException(404)
        try:
            response = await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code != 404 or "." in path.rpartition("/")[2]:
                raise
            response = FileResponse(self._folder / "index.html")
        # The build puts a hash of its content into the name of everything under assets.
        immutable = path.startswith("assets/") and response.status_code < 400
        response.headers["Cache-Control"] = _FOREVER if immutable else _ALWAYS_ASK
        return response


async def no_web_ui() -> Response:
    """The page of an installation without web UI."""
    return HTMLResponse(_MISSING, headers={"Cache-Control": "no-store"})


async def no_web_socket(_: WebSocket) -> None:
    """What a path is to a WebSocket when nothing else is there.

    Raises:
        HTTPException: There is nothing.
    """
    raise HTTPException(404)


def web_folder(configured: Path | None) -> Path | None:
    """Where the web UI's files are: as configured, or inside the installation, or built in a checkout.

    Raises:
        FileNotFoundError: The configured folder has no `index.html`.
    """
    if configured is not None:
        if not (configured / "index.html").is_file():
            raise FileNotFoundError(f"{configured} has no index.html: ECHOMIND_API__WEB_DIR must be a built web UI.")
        return configured
    here = Path(__file__).resolve()
    candidates = (here.parents[2] / "web_ui", here.parents[5] / "web" / "dist")
    return next((folder for folder in candidates if (folder / "index.html").is_file()), None)
