"""Files to and from a gateway, by the ways of each transport."""

from base64 import b64encode
from typing import Any

import aiohttp

from echomind_lib.handwritten_routes import UPLOAD
from tests.drivers.client import Client, Transport, error_of


async def upload(
    somebody: Client, *files: tuple[str, bytes], fields: dict[str, str] | list[tuple[str, str]] | None = None
) -> list[dict[str, Any]]:
    """Uploads files by form; gives the documents."""
    form = aiohttp.FormData()
    for name, value in fields.items() if isinstance(fields, dict) else fields or []:
        form.add_field(name, value)
    for name, content in files:
        form.add_field("file", content, filename=name, content_type="application/octet-stream")
    url = somebody.http_url + UPLOAD
    headers = somebody.headers | {"Authorization": f"Bearer {somebody.key}"}
    async with somebody.session.post(url, data=form, headers=headers) as response:
        body = await response.json()
        if response.status >= 300:
            raise error_of(body)
        documents: list[dict[str, Any]] = body["documents"]
        return documents


async def send(somebody: Client, via: Transport, name: str, content: bytes, **fields: Any) -> dict[str, Any]:
    """Sends one file by the transport's own way."""
    if via == "rest":
        (document,) = await upload(
            somebody, (name.replace("\n", ""), content), fields={key: str(value) for key, value in fields.items()}
        )
        return document
    request = {"sourceId": name, "content": b64encode(content).decode()} | fields
    return await somebody.call("DocumentService/UploadDocument", request)


async def download(somebody: Client, document_id: object) -> aiohttp.ClientResponse:
    headers = {"Authorization": f"Bearer {somebody.key}"}
    return await somebody.session.get(f"{somebody.http_url}/api/v1/documents/{document_id}:download", headers=headers)
