"""The export of one person, as a download that is made while it is sent."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response, StreamingResponse

from echomind_api.calls.handwritten import run_call
from echomind_api.privacy.exports import PersonExports
from echomind_lib.contract import CallContext
from echomind_lib.contract.call import Middleware

UserId = Annotated[int, Path(gt=0, lt=2**31, description="The person.")]
_EXPORTED = {
    "200": {
        "description": "A ZIP archive: rows as JSON lines in `data/`, stored files in `files/`, and `manifest.json`, "
        "which is last: an archive without it is incomplete.",
        "content": {"application/zip": {}},
    }
}


def person_export_routes(exports: PersonExports, middlewares: Sequence[Middleware]) -> APIRouter:
    """Returns the route.

    Args:
        exports: Writes the archives.
        middlewares: The middlewares of every call, outermost first.
    """
    router = APIRouter(prefix="/api/v1", tags=["UserService"])

    async def open_archive(user_id: int, call: CallContext) -> Response:
        pieces = await exports.open(user_id, call)
        name = f"echomind-user-{user_id}-{datetime.now(UTC):%Y-%m-%d}.zip"
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "private, no-store"}
        return StreamingResponse(pieces, headers=headers, media_type="application/zip")

    @router.get(
        "/users/{user_id}:export",
        operation_id="UserService_ExportUser",
        summary="Export user",
        openapi_extra={"responses": _EXPORTED, "security": [{"bearer": []}]},
    )
    async def export(request: Request, user_id: UserId) -> Response:
        """Returns what is stored of a person: the caller, or for superadmins anybody. It is audited.

        An API key needs the scope `manage`, and for somebody else `administer`.

        Errors: NOT_FOUND, OVERLOADED, PERMISSION_DENIED, VALIDATION_FAILED.
        """
        return await run_call(request, "UserService/ExportUser", middlewares, lambda call: open_archive(user_id, call))

    return router
