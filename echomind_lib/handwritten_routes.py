"""Client calls of the handwritten routes, which transfer bytes or must respond before the services are ready."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, BinaryIO, Final, NamedTuple

import aiohttp

from echomind_lib.contract.call_errors import ForeignServerError
from echomind_lib.contract.rest_client import RestTransport
from echomind_lib.models.public import Document, ListDocumentsResponse

UPLOAD: Final = "/api/v1/documents:upload"
READY: Final = "/readyz"
MCP: Final = "/mcp"
_PIECE_BYTES = 256 * 1024


class File(NamedTuple):
    """A file to upload."""

    content: BinaryIO
    """Its bytes, from the current position."""
    source_id: str
    """Its identifier in the connector."""
    title: str = ""
    """Its title; empty means the name."""


async def upload(transport: RestTransport, files: Sequence[File], destination: Mapping[str, str]) -> Sequence[Document]:
    """Uploads files in one request. The same bytes under the same name are stored once, so it may be repeated.

    Args:
        transport: The connection.
        files: One or more files.
        destination: Target: `connector_id`, or `connector`, `scope` and `group`; empty values are not sent.

    Returns:
        Their documents, in order.

    Raises:
        FileRejectedError: The server rejects one of them; others may be stored.
        EchoMindError: The server returned an error.
        CallError: No response has arrived.
    """
    form = aiohttp.FormData()
    for name, value in destination.items():
        if value:
            form.add_field(name, value)
    has_titles = any(file.title for file in files)
    for file in files:
        form.add_field("source_id", file.source_id)
        if has_titles:
            form.add_field("title", file.title)
        name = file.source_id.rsplit("/", 1)[-1]
        form.add_field("file", file.content, filename=name, content_type="application/octet-stream")
    async with transport.request("POST", UPLOAD, data=form) as response:
        return ListDocumentsResponse.model_validate_json(await response.read()).documents


@asynccontextmanager
async def download(transport: RestTransport, document_id: int) -> AsyncIterator[AsyncIterator[bytes]]:
    """Opens the bytes of a document, as they were uploaded; the block reads them piece by piece.

    Args:
        transport: The connection.
        document_id: The document.

    Raises:
        EchoMindError: The server returned an error.
        CallError: No response has arrived, or the connection broke in the block.
    """
    async with transport.request("GET", f"/api/v1/documents/{document_id}:download") as response:
        yield response.content.iter_chunked(_PIECE_BYTES)


@asynccontextmanager
async def export_user(transport: RestTransport, user_id: int) -> AsyncIterator[AsyncIterator[bytes]]:
    """Opens the export of a person, a ZIP archive; the block reads it piece by piece.

    Args:
        transport: The connection.
        user_id: The person.

    Raises:
        EchoMindError: The server returned an error.
        CallError: No response has arrived, or the connection broke in the block: the archive is incomplete.
    """
    async with transport.request("GET", f"/api/v1/users/{user_id}:export") as response:
        yield response.content.iter_chunked(_PIECE_BYTES)


async def get_health(transport: RestTransport) -> Mapping[str, Any]:
    """Returns the response of `/readyz`: each dependency with its state, ready or not.

    Raises:
        CallError: No response has arrived, or it is not from EchoMind.
    """
    async with transport.request("GET", READY, is_checked=False) as response:
        try:
            found = json.loads(await response.read())
        except ValueError:
            found = None
    if not isinstance(found, dict):
        raise ForeignServerError(f"What answers at {transport.url} is not EchoMind.")
    return found


def mcp_message(
    transport: RestTransport, message: bytes, headers: Mapping[str, str]
) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
    """Sends a message of the Model Context Protocol; its answer may take as long as a run.

    Args:
        transport: The connection.
        message: The message, as JSON.
        headers: Headers that repeat what it says, as the protocol requires.
    """
    given = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
    return transport.request("POST", MCP, data=message, headers=given, timeout=aiohttp.ClientTimeout(total=None))
