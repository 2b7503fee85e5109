"""The page of a share link: the web UI's page, served after checking the link.

An invalid link returns 404, so that previews, crawlers and programs recognize it; the bytes are the same for every
reason, and the page explains what to do.
"""

from collections.abc import Sequence

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from echomind_api.calls.handwritten import run_call
from echomind_api.conversations.shared_sessions import SharedSessions
from echomind_lib.contract import CallContext
from echomind_lib.contract.call import Middleware
from echomind_lib.errors import NotFoundError


def shared_page_routes(shared: SharedSessions, middlewares: Sequence[Middleware], page: bytes) -> APIRouter:
    """Returns the route.

    Args:
        shared: Opens links.
        middlewares: Middlewares of every call.
        page: The web UI's page.
    """
    router = APIRouter(include_in_schema=False)

    @router.api_route("/shared/{token}", methods=["GET", "HEAD"])
    async def shared_page(request: Request, token: str) -> Response:
        async def open_link(call: CallContext) -> None:
            await shared.open(token, call)

        try:
            await run_call(request, "SessionShareService/OpenSharedPage", middlewares, open_link)
        except NotFoundError:
            return HTMLResponse(page, 404)
        return HTMLResponse(page)

    return router
