"""The web UI's files."""

import hashlib
import html
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Scope
from starlette.websockets import WebSocket

from echomind_api.transports.http.base_path import OWN_ROOTS
from echomind_api.transports.http.encodings import SUFFIXES, preferred

_FOREVER = "public, max-age=31536000, immutable"
_ALWAYS_ASK = "no-cache"
_MISSING = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>EchoMind</title>
<h1>EchoMind is running</h1>
<p>This installation has no web UI. The API is described at <a href="{base}/docs">{base}/docs</a>. In a checkout,
<code>make web</code> builds the web UI.</p>
"""
_BASE_META: Final = '<meta name="base-path" content="" />'
"""The page's element for its base path, which the server fills in."""


class WebFiles(StaticFiles):
    """Files of a folder; a path that names no file is a place within the web UI and gets its page.

    The build stores files in shorter encodings beside them (`main.js.br`, `main.js.gz`), and a browser gets the best
    that it understands.
    """

    def __init__(self, folder: Path, base: str = "") -> None:
        """Reads the page.

        Args:
            folder: The built web UI.
            base: The path that the gateway is reached under, as `base_path` returns it.
        """
        super().__init__(directory=folder, html=True)
        self.page = page_at((folder / "index.html").read_text(encoding="utf-8"), base).encode()
        """The page of every place within the UI."""
        self._page_tag = f'"{hashlib.sha256(self.page).hexdigest()[:32]}"'

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Returns the response for a path, which is relative to the folder."""
        if path.partition("/")[0].partition(":")[0] in OWN_ROOTS or path.endswith(tuple(SUFFIXES.values())):
            raise HTTPException(404)
        if path in {".", "index.html"} and scope["method"] in {"GET", "HEAD"}:
            return self._page_response(scope)
        try:
            response = await super().get_response("favicon.svg" if path == "favicon.ico" else path, scope)
        except HTTPException as error:
            if error.status_code != 404 or "." in path.rpartition("/")[2]:
                raise
            return self._page_response(scope)
        # Names of files under assets contain a hash of their content.
        immutable = path.startswith("assets/") and response.status_code < 400
        response.headers["Cache-Control"] = _FOREVER if immutable else _ALWAYS_ASK
        return response

    def file_response(
        self, full_path: str | os.PathLike[str], stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """Returns the response for a file: in the best encoding, or nothing when the browser has it."""
        headers = Headers(scope=scope)
        stored = {coding: found for coding, suffix in SUFFIXES.items() if (found := _stat(f"{full_path}{suffix}"))}
        # Ranges refer to the uncompressed file.
        coding = None if "range" in headers else preferred(headers.get("accept-encoding", ""), stored)
        response: Response = FileResponse(
            f"{full_path}{SUFFIXES[coding]}" if coding else full_path,
            status_code,
            {"Content-Encoding": coding} if coding else None,
            media_type=FileResponse(full_path).media_type,
            stat_result=stored[coding] if coding else stat_result,
        )
        if stored:
            response.headers["Vary"] = "Accept-Encoding"
        return NotModifiedResponse(response.headers) if self.is_not_modified(response.headers, headers) else response

    def _page_response(self, scope: Scope) -> Response:
        response = HTMLResponse(self.page, headers={"Cache-Control": _ALWAYS_ASK, "ETag": self._page_tag})
        asked = Headers(scope=scope)
        return NotModifiedResponse(response.headers) if self.is_not_modified(response.headers, asked) else response


def page_at(page: str, base: str) -> str:
    """Returns the built page with its relative URLs replaced by ones that work on every path of the UI."""
    base = html.escape(base)
    return page.replace('="./', f'="{base}/').replace(_BASE_META, _BASE_META.replace('=""', f'="{base}"'))


def _stat(path: str) -> os.stat_result | None:
    try:
        return Path(path).stat()
    except FileNotFoundError:
        return None


def no_web_ui(base: str) -> Callable[[], Awaitable[Response]]:
    """Returns the route of the page that an installation without web UI has."""

    async def page() -> Response:
        return HTMLResponse(_MISSING.format(base=html.escape(base)), headers={"Cache-Control": "no-store"})

    return page


async def no_web_socket(_: WebSocket) -> None:
    """Closes WebSockets to paths that have none.

    Raises:
        HTTPException: There is nothing.
    """
    raise HTTPException(404)


def web_folder(configured: Path | None) -> Path | None:
    """Returns where the web UI's files are: as configured, or inside the installation, or built in a checkout.

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
