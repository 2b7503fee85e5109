"""Requests to a vendor's API: retries, waiting, addresses, and logging."""

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from aiohttp import web
from yarl import URL

from echomind_ingestor.connectors import throttling
from echomind_ingestor.connectors.http_session import SourceSession
from echomind_ingestor.connectors.paging import read_pages
from echomind_ingestor.connectors.protocol import CredentialsRejectedError, SourceError, SourceUnavailableError
from echomind_ingestor.connectors.vendor_client import RequestRefusedError
from echomind_lib.network.fetching import AllowedHosts
from echomind_lib.network.retry_after import retry_after
from echomind_lib.process.retries import RetryPolicy
from tests.drivers.vendor import ScriptedVendor

Acme = tuple[ScriptedVendor, SourceSession]

ONCE = RetryPolicy(first=0, attempts=1)


def failure(status: int, code: str = "", message: str = "", **headers: str) -> web.Response:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return web.json_response({"error": {"code": code, "message": message}}, status=status, headers=sent)


async def test_an_answer_is_read_with_its_query_and_token(acme: Acme) -> None:
    vendor, session = acme
    vendor.answers = [web.json_response({"files": []})]
    assert await vendor.client(session).get("files", {"q": "a & b"}) == {"files": []}
    (request,) = vendor.requests
    assert (request.path, request.query["q"]) == ("/api/v1/files", "a & b")
    assert request.headers["Authorization"] == "Bearer token-1"


@pytest.mark.parametrize(
    "broken", [web.Response(body=b""), web.Response(text="<html>"), failure(500), failure(502), failure(503)]
)
async def test_transient_failures_are_retried(acme: Acme, broken: web.Response) -> None:
    vendor, session = acme
    vendor.answers = [broken, web.json_response({"ok": True})]
    assert await vendor.client(session).get("files") == {"ok": True}


async def test_what_does_not_pass_ends_as_unavailable(acme: Acme) -> None:
    vendor, session = acme

    async def fail(_request: web.Request) -> web.Response:
        return failure(500, "backendError", "Sorry")

    vendor.answers = [fail]
    with pytest.raises(SourceUnavailableError, match="HTTP 500: backendError: Sorry"):
        await vendor.client(session).get("files")
    assert len(vendor.requests) == 4


async def test_a_refusal_is_final_and_holds_the_reason_but_no_token(acme: Acme) -> None:
    vendor, session = acme
    vendor.answers = [failure(403, "exportSizeLimitExceeded", "too large for token-1\nreally")]
    with pytest.raises(RequestRefusedError) as caught:
        await vendor.client(session).get("files", {"q": "private"})
    assert (caught.value.status, caught.value.reason) == (403, "exportSizeLimitExceeded")
    assert len(vendor.requests) == 1
    for secret in ("token-1", "private", "\n"):
        assert secret not in caught.value.message


async def test_a_token_that_is_not_accepted_is_replaced_once(acme: Acme) -> None:
    vendor, session = acme
    vendor.answers = [failure(401), web.json_response({})]
    await vendor.client(session).get("files")
    assert [request.headers["Authorization"] for request in vendor.requests] == ["Bearer token-1", "Bearer token-2"]


async def test_a_sign_in_that_is_not_accepted_any_more_is_to_be_connected_again(acme: Acme) -> None:
    vendor, session = acme
    vendor.answers = [failure(401, "authError"), failure(401, "authError")]
    with pytest.raises(CredentialsRejectedError, match="Connect it again"):
        await vendor.client(session).get("files")
    assert len(vendor.requests) == 2


IN_A_SECOND = {
    "Retry_After": format_datetime(datetime.now(UTC) + timedelta(hours=9, seconds=1), usegmt=True),
    "Date": format_datetime(datetime.now(UTC) + timedelta(hours=9), usegmt=True),
}
SOON = {"Retry_After": "0.2"}


@pytest.mark.parametrize(
    ("status", "code", "asks"), [(429, "", IN_A_SECOND), (429, "", SOON), (503, "", SOON), (403, "slowDown", SOON)]
)
async def test_all_requests_to_a_tenant_pause(acme: Acme, status: int, code: str, asks: dict[str, str]) -> None:
    vendor, session = acme
    vendor.answers = [failure(status, code, **asks), web.json_response({})]
    loop = asyncio.get_running_loop()
    started = loop.time()
    with pytest.raises(SourceUnavailableError):
        await vendor.client(session, retries=ONCE).get("files")
    assert await vendor.client(session).get("files") == {}
    assert loop.time() - started > 0.19
    assert len(vendor.requests) == 2


async def test_a_pause_that_is_too_long_ends_the_sync_with_its_length(acme: Acme) -> None:
    vendor, session = acme
    vendor.answers = [failure(429, Retry_After="600"), web.json_response({})]
    client = vendor.client(session)
    for _ in range(2):  # the second one without a request
        with pytest.raises(SourceUnavailableError) as caught:
            await client.get("files")
        assert caught.value.retry_after == pytest.approx(600, abs=2)
    assert len(vendor.requests) == 1


async def test_pauses_grow_where_the_vendor_does_not_say_how_long(acme: Acme, monkeypatch: pytest.MonkeyPatch) -> None:
    delays: list[int] = []

    class Policy:
        def delay(self, attempt: int) -> float:
            delays.append(attempt)
            return 0.01

    monkeypatch.setattr(throttling, "BACK_OFF", Policy())
    vendor, session = acme
    vendor.answers = [failure(429), failure(429), failure(429), web.json_response({})]
    await vendor.client(session).get("files")
    assert delays == [1, 2, 3]


def test_retry_after_is_within_bounds() -> None:
    assert retry_after({"Retry-After": "999999999"}) == 3600
    assert retry_after({"Retry-After": "-3"}) is None
    assert retry_after({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    ahead = {"Retry-After": "Wed, 21 Oct 2015 07:28:30 GMT", "Date": "Wed, 21 Oct 2015 07:28:00 GMT"}
    assert retry_after(ahead) == 30


async def test_a_next_page_of_another_origin_is_not_read(acme: Acme) -> None:
    vendor, session = acme
    client = vendor.client(session)
    assert str(client.url(f"{vendor.url}/api/v1/x?page=2")) == f"{vendor.url}/api/v1/x?page=2"
    for link in ("https://127.0.0.1:1/api/v1/x", "http://evil.test/api", "//evil.test/api"):
        with pytest.raises(SourceError):
            await client.get(link)
    assert vendor.requests == []


async def test_a_redirect_gets_no_token_and_leads_to_public_addresses_alone(acme: Acme) -> None:
    vendor, session = acme
    other = vendor.url.replace("127.0.0.1", "127.0.0.2")
    vendor.answers = [web.Response(status=302, headers={"Location": f"{other}/secret"})]
    with pytest.raises(SourceError, match="must not be reached"):
        await vendor.client(session).get("files")
    assert len(vendor.requests) == 1
    vendor.answers = [web.Response(status=302, headers={"Location": "/api/v1/there"}), web.json_response({"ok": 1})]
    assert await vendor.client(session).get("files") == {"ok": 1}


async def test_a_redirect_to_another_origin_gets_no_header_that_opens_something(acme: Acme) -> None:
    vendor, _ = acme
    other = vendor.url.replace("127.0.0.1", "localhost")
    vendor.answers = [web.Response(status=302, headers={"Location": f"{other}/there"}), web.json_response({"ok": 1})]
    session = SourceSession([vendor.url, other], AllowedHosts(""))
    try:
        headers = {"X-Goog-Drive-Resource-Keys": "id/key", "Range": "bytes=0-"}
        assert await vendor.client(session).get("files", headers=headers) == {"ok": 1}
    finally:
        await session.close()
    first, second = (request.headers for request in vendor.requests)
    assert {"Authorization", "X-Goog-Drive-Resource-Keys", "Range"} <= first.keys()
    assert not {"Authorization", "X-Goog-Drive-Resource-Keys"} & second.keys()
    assert second["Range"] == "bytes=0-"


async def test_a_small_file_is_read_whole_or_refused(acme: Acme) -> None:
    vendor, session = acme
    vendor.answers = [web.Response(body=b"abc", content_type="text/plain")]
    assert await vendor.client(session).read_bytes("x", limit=3) == (b"abc", "text/plain")
    vendor.answers = [web.Response(body=b"abcd", content_type="text/plain")]
    with pytest.raises(RequestRefusedError) as caught:
        await vendor.client(session).read_bytes("x", limit=3)
    assert caught.value.status == 413


async def read_all(pages: dict[str, dict[str, Any]]) -> list[int]:
    async def read(token: str) -> dict[str, Any]:
        return pages[token]

    return [item async for page in read_pages(read, lambda page: page.get("next")) for item in page["items"]]


async def test_pages_end_and_empty_ones_do_not_end_them() -> None:
    pages: dict[str, dict[str, Any]] = {
        "": {"items": [1], "next": "a"},
        "a": {"items": [], "next": "b"},
        "b": {"items": [2], "next": ""},
    }
    assert await read_all(pages) == [1, 2]


async def test_pages_that_repeat_are_an_error() -> None:
    with pytest.raises(SourceError, match="repeat"):
        await read_all({"": {"items": [1], "next": "a"}, "a": {"items": [2], "next": "a"}})


async def test_a_server_that_does_not_answer_is_unavailable(acme: Acme) -> None:
    vendor, session = acme
    client = vendor.client(session)
    vendor.answers = [web.json_response({})]
    await client.get("files")
    gone = URL(vendor.url).with_port(1)
    with pytest.raises(SourceError):
        async with client.open(gone, {}, is_authorized=False):
            raise AssertionError("opened")
