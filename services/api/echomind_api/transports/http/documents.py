"""The bytes of documents: upload by multipart form, and download."""

from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from pathlib import PureWindowsPath
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Path, Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse

from echomind_api.calls.handwritten import run_call
from echomind_api.dependencies import Dependencies
from echomind_api.sources.connector_rows import connector_for_files, find_connector
from echomind_api.sources.documents import Documents
from echomind_api.sources.intake import Intake, NewFile
from echomind_api.transports.http.multipart import MAX_FILES, Form, ReceivedFile, receive
from echomind_lib.contract import CallContext
from echomind_lib.contract.call import Middleware
from echomind_lib.contract.text import PATTERN
from echomind_lib.errors import ValidationFailedError
from echomind_lib.mappers import documents
from echomind_lib.models.public import Scope
from echomind_lib.objects import ObjectStore, original_key

DocumentId = Annotated[int, Path(gt=0, lt=2**63, description="Which document.")]

_FORM = {
    "type": "object",
    "required": ["file"],
    "additionalProperties": False,
    "properties": {
        "file": {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_FILES,
            "items": {"type": "string", "format": "binary"},
            "description": "The files.",
        },
        "connector": {
            "type": "string",
            "maxLength": 255,
            "pattern": PATTERN,
            "description": "Name of the connector among your own, your groups' and the organization's, created when "
            "there is none, or the id of any. Empty: the scope's usual one.",
        },
        "connector_id": {
            "type": "integer",
            "minimum": 1,
            "maximum": 2**31 - 1,
            "description": "ID of the connector, instead of its name.",
        },
        "scope": {
            "type": "string",
            "enum": ["user", "group", "org"],
            "description": "Who may read the files, for a connector that is created. Default: only the owner.",
        },
        "group": {"type": "string", "pattern": PATTERN, "description": "The group, with the scope `group`."},
        "source_id": {
            "type": "array",
            "items": {"type": "string", "pattern": PATTERN},
            "description": "For each file in turn its identifier in the connector, such as its path with `/`. "
            "Default: the file's name.",
        },
        "title": {
            "type": "array",
            "items": {"type": "string", "pattern": PATTERN},
            "description": "For each file in turn its title.",
        },
    },
}
_UPLOADED = {
    "200": {
        "description": "The documents, in the files' order.",
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "properties": {"documents": {"type": "array", "items": {"$ref": "#/components/schemas/Document"}}},
                }
            }
        },
    }
}
_DOWNLOADED = {"200": {"description": "The bytes.", "content": {"*/*": {}}}}
# The command line's short names, and the contract's.
_SCOPES = {"user": Scope.USER, "group": Scope.GROUP, "org": Scope.ORG} | {scope.value: scope for scope in Scope}
_SPELLINGS = {"connectorId": "connector_id", "sourceId": "source_id", "path": "source_id"}
_LAST_CONNECTOR_ID = 2**31 - 1
_SINGLE = ("connector", "connector_id", "scope", "group")
_PER_FILE = ("source_id", "title")


def document_routes(
    dependencies: Dependencies, service: Documents, intake: Intake, middlewares: Sequence[Middleware]
) -> APIRouter:
    """The routes."""
    router = APIRouter(prefix="/api/v1", tags=["DocumentService"])

    async def store(request: Request, call: CallContext) -> Response:
        async with receive(request, dependencies.uploads) as form:
            fields = _read(form)
            if connector_id := fields["connector_id"]:
                connector = await find_connector(dependencies.database, call, int(connector_id), manage=True)
            else:
                connector = await connector_for_files(
                    dependencies.database,
                    call,
                    name=fields["connector"],
                    scope=_SCOPES[fields["scope"]],
                    group=fields["group"],
                )
            files = [
                NewFile(
                    source_id=_nth(form, "source_id", number) or _base_name(file),
                    signature=file.sha256,
                    size=file.size,
                    put=partial(file.put, dependencies.objects),
                    content_type=file.content_type,
                    title=_nth(form, "title", number)[:1000],
                )
                for number, file in enumerate(form.files)
            ]
            rows = await intake.store_all(call.principal, connector, files)
        stored = map(documents.to_model, rows)
        body = b'{"documents":[%b]}' % b",".join(document.to_json() for document in stored)
        return Response(body, media_type="application/json")

    @router.post(
        "/documents:upload",
        operation_id="DocumentService_UploadDocuments",
        summary="Upload documents",
        openapi_extra={
            "requestBody": {"required": True, "content": {"multipart/form-data": {"schema": _FORM}}},
            "responses": _UPLOADED,
            "security": [{"bearer": []}],
        },
    )
    async def upload(request: Request) -> Response:
        """Stores files and queues them for processing. A file that is already stored is returned unchanged.

        Errors: FILE_REJECTED, NOT_FOUND, PERMISSION_DENIED, GROUP_REQUIRED, ALREADY_EXISTS, VALIDATION_FAILED.
        """
        try:
            return await run_call(
                request, "DocumentService/UploadDocuments", middlewares, lambda call: store(request, call)
            )
        except ClientDisconnect:
            return Response(status_code=499)  # the client has disconnected

    @router.get(
        "/documents/{document_id}:download",
        operation_id="DocumentService_DownloadDocument",
        summary="Download document",
        openapi_extra={"responses": _DOWNLOADED, "security": [{"bearer": []}]},
    )
    async def download(request: Request, document_id: DocumentId) -> Response:
        """Returns the bytes of a document as they were stored. Errors: NOT_FOUND."""
        return await run_call(
            request,
            "DocumentService/DownloadDocument",
            middlewares,
            lambda call: stored_bytes(service, dependencies.objects, document_id, call),
        )

    return router


async def stored_bytes(service: Documents, objects: ObjectStore, document_id: int, call: CallContext) -> Response:
    """Returns the bytes of a document as they were stored, as a file to save.

    Raises:
        NotFoundError: There is no such document that the caller may read, or its bytes are not stored.
    """
    row = await service.find(call, document_id)
    pieces = objects.stream(original_key(document_id, row.signature or ""))
    first = await anext(pieces, b"")  # a missing object is then still an error of the call

    async def body() -> AsyncIterator[bytes]:
        yield first
        async for piece in pieces:
            yield piece

    name = quote(PureWindowsPath(row.source_id.replace("/", "\\")).name or f"document-{document_id}", safe="")
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{name}",
        "Cache-Control": "private, no-cache",
        # Uploaded files must not run as pages of this origin.
        "Content-Security-Policy": "sandbox",
    }
    if row.size_bytes is not None:
        headers["Content-Length"] = str(row.size_bytes)
    return StreamingResponse(body(), headers=headers, media_type=row.content_type or "application/octet-stream")


def _read(form: Form) -> dict[str, str]:
    """Returns the fields of an upload that are given once.

    Raises:
        ValidationFailedError: Fields break rules; the message names them.
    """
    for spelling, name in _SPELLINGS.items():
        if spelling in form.fields:
            form.fields.setdefault(name, []).extend(form.fields.pop(spelling))
    fields = {name: _nth(form, name, 0) for name in _SINGLE}
    if wrong := _problems(form, fields):
        error = ValidationFailedError("; ".join(f"{name}: {rule}" for name, rule in wrong.items()))
        error.metadata = wrong
        raise error
    fields["scope"] = fields["scope"] or Scope.UNSPECIFIED.value
    return fields


def _problems(form: Form, fields: Mapping[str, str]) -> dict[str, str]:
    """Returns the rules that fields break, by field."""
    wrong = dict.fromkeys(form.fields.keys() - {*_SINGLE, *_PER_FILE}, "is no field of an upload")
    if not form.files:
        wrong["file"] = "must be there: the files to upload"
    wrong |= {name: "must be given once" for name in _SINGLE if len(form.fields.get(name, [])) > 1}
    for name in _PER_FILE:
        if len(form.fields.get(name, [])) not in {0, len(form.files)}:
            wrong[name] = "must be given once for each file, or not at all"
    if fields["connector_id"] and not _is_connector_id(fields["connector_id"]):
        wrong["connector_id"] = f"must be a number from 1 to {_LAST_CONNECTOR_ID}"
    if fields["scope"] and fields["scope"] not in _SCOPES:
        wrong["scope"] = "must be user, group or org"
    if len(fields["connector"]) > 255:
        wrong["connector"] = "must have at most 255 characters"
    return wrong


def _is_connector_id(text: str) -> bool:
    # Check the length first: Python raises for thousands of digits.
    return text.isascii() and text.isdecimal() and len(text) <= 10 and 1 <= int(text) <= _LAST_CONNECTOR_ID


def _nth(form: Form, name: str, number: int) -> str:
    values = form.fields.get(name, [])
    return values[number].strip() if values else ""


def _base_name(file: ReceivedFile) -> str:
    return PureWindowsPath(file.name).name or file.name or "file"
