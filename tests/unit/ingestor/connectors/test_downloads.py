"""Downloads: as a stream, continued where they broke, within their size."""

import pytest
from aiohttp import web
from yarl import URL

from echomind_ingestor.connectors.downloads import Download
from echomind_ingestor.connectors.http_session import SourceSession
from echomind_ingestor.connectors.protocol import ItemError
from tests.drivers.vendor import Answer, ScriptedVendor

Acme = tuple[ScriptedVendor, SourceSession]

FILE = bytes(range(256)) * 1000


def sends(file: bytes, *, limit: int | None = None, has_ranges: bool = True, etag: str = "") -> Answer:
    """Sends a file from where it is asked for; only `limit` bytes of it, and then the connection breaks."""

    async def answer(request: web.Request) -> web.StreamResponse:
        is_same = request.headers.get("If-Range", etag) == etag
        start = int(request.headers.get("Range", "bytes=0-")[6:-1]) if has_ranges and is_same else 0
        part = file[start:]
        headers = {"Content-Length": str(len(part))} | ({"ETag": etag} if etag else {})
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(file) - 1}/{len(file)}"
        response = web.StreamResponse(status=206 if start else 200, headers=headers)
        await response.prepare(request)
        await response.write(part[:limit])
        if limit is not None and request.transport is not None:
            request.transport.close()
        return response

    return answer


async def read(acme: Acme, *, limit: int = 10**9, is_authorized: bool = True) -> bytes:
    vendor, session = acme
    url = URL(f"{vendor.url}/api/v1/file")
    async with Download(vendor.client(session), url, limit=limit, is_authorized=is_authorized) as download:
        return b"".join([piece async for piece in download.pieces()])


async def test_a_file_is_read(acme: Acme) -> None:
    acme[0].answers = [sends(FILE)]
    assert await read(acme) == FILE


@pytest.mark.parametrize("has_ranges", [True, False])
async def test_a_broken_stream_is_continued(acme: Acme, has_ranges: bool) -> None:
    vendor, _ = acme
    vendor.answers = [
        sends(FILE, limit=100_000),
        sends(FILE, limit=150_000, has_ranges=has_ranges),
        sends(FILE, has_ranges=has_ranges),
    ]
    assert await read(acme) == FILE
    assert len(vendor.requests) == 3


async def test_a_file_that_changes_in_between_is_left_for_the_next_sync(acme: Acme) -> None:
    acme[0].answers = [sends(FILE, limit=100_000), sends(FILE + b"more")]
    with pytest.raises(ItemError, match="changed while it was read") as caught:
        await read(acme)
    assert caught.value.retryable


@pytest.mark.parametrize(("first", "second"), [('"1"', '"2"'), ('W/"1"', 'W/"2"')])
@pytest.mark.parametrize("has_ranges", [True, False])
async def test_two_versions_of_one_size_are_not_mixed(acme: Acme, first: str, second: str, has_ranges: bool) -> None:
    other = bytes(reversed(FILE))
    acme[0].answers = [sends(FILE, limit=100_000, etag=first), sends(other, has_ranges=has_ranges, etag=second)]
    with pytest.raises(ItemError, match="changed while it was read"):
        await read(acme)


@pytest.mark.parametrize(("etag", "expected"), [('"1"', '"1"'), ('W/"1"', None), ("", None)])
async def test_the_rest_is_asked_for_of_the_same_version(acme: Acme, etag: str, expected: str | None) -> None:
    vendor, _ = acme
    vendor.answers = [sends(FILE, limit=100_000, etag=etag), sends(FILE, etag=etag)]
    assert await read(acme) == FILE
    assert [request.headers.get("If-Range") for request in vendor.requests] == [None, expected]


async def test_a_stream_that_always_breaks_is_an_error_of_the_item(acme: Acme) -> None:
    acme[0].answers = [sends(FILE, limit=0)]
    with pytest.raises(ItemError, match="broke off"):
        await read(acme)


async def test_a_file_that_is_too_large_is_not_read(acme: Acme) -> None:
    vendor, _ = acme
    vendor.answers = [sends(FILE)]
    with pytest.raises(ItemError, match="larger than 1,000 bytes") as caught:
        await read(acme, limit=1000)
    assert not caught.value.retryable

    async def chunked(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(FILE)
        return response

    vendor.answers = [chunked]
    with pytest.raises(ItemError, match="larger"):
        await read(acme, limit=1000)


async def test_an_address_that_needs_no_token_gets_none(acme: Acme) -> None:
    vendor, _ = acme
    vendor.answers = [sends(FILE)]
    assert await read(acme, is_authorized=False) == FILE
    assert "Authorization" not in vendor.requests[0].headers
    assert vendor.forms == []
