"""The audit log over the API: where entries come from, filters, exports beside writers, and verification."""

import asyncio
from typing import Any
from uuid import uuid4

import asyncpg
import pytest

from echomind_api.audit.sealing import AuditSeals
from echomind_api.calls.key_uses import NOTE_NETWORK
from echomind_api.main import Gateway
from echomind_lib.errors import PermissionDeniedError, ValidationFailedError
from tests.drivers.browser import browser_of, use_link
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser

LIST = "AuditService/ListAuditEntries"
VERIFY = "AuditService/VerifyAuditLog"


async def entries(owner: Client, via: Transport = "rest", **filters: Any) -> list[dict[str, Any]]:
    """All entries that a filter finds, in pages of 2."""
    found: list[dict[str, Any]] = []
    token = ""
    while True:
        page = await owner.call(LIST, {**filters, "pageSize": 2, "pageToken": token}, via)
        found += page.get("entries", [])
        if not (token := page.get("nextPageToken", "")):
            return found


async def test_an_entry_says_who_did_what_and_from_where(owner: Client, new_user: NewUser, via: Transport) -> None:
    somebody = await new_user()
    target = f"users/{somebody.user_id}"
    await owner.call("UserService/SignOutUser", {"id": somebody.user_id}, via)
    with pytest.raises(PermissionDeniedError):
        await somebody.call("UserService/SignOutUser", {"id": owner.user_id}, via)
    (entry,) = await entries(owner, via, target=target, action="UserService/SignOutUser")
    key = entry["credential"]
    assert key.startswith("api-keys/")
    assert (entry["actorId"], entry["address"], entry.get("denied", False)) == (owner.user_id, "127.0.0.1", False)
    assert entry["actorName"]
    assert entry in await entries(owner, via, target=target, credential=key, denied=False, address="127.0.0.1")
    assert not await entries(owner, via, target=target, action="UserService/SignOutUser", address="127.0.0.2")


async def test_a_refusal_has_its_source(owner: Client, new_user: NewUser, gateway: Gateway, via: Transport) -> None:
    somebody = await new_user()
    with pytest.raises(PermissionDeniedError):
        await somebody.call(LIST, via=via)
    await gateway.parts.denials.flush()
    (entry,) = await entries(owner, via, actorId=somebody.user_id, denied=True)
    assert (entry["action"], entry["address"]) == (LIST, "127.0.0.1")
    assert entry["credential"].startswith("api-keys/")


async def test_filters_take_what_is_below_a_path(owner: Client, pool: asyncpg.Pool, via: Transport) -> None:
    service, path = f"S{uuid4().hex}", uuid4().hex
    for action, target in ((f"{service}/A", f"{path}/1"), (f"{service}/B", f"{path}/12"), (f"{service}x/A", path)):
        await pool.execute("INSERT INTO audit_log (action, target) VALUES ($1, $2)", action, target)
    for filters, count in (
        ({"action": service}, 2),
        ({"action": f"{service}/A"}, 1),
        ({"action": f"{service}_A"}, 0),
        ({"target": path}, 3),
        ({"target": f"{path}/"}, 2),
        ({"target": f"{path}/1"}, 1),
        ({"target": path, "action": service}, 2),
        ({"target": path, "fromTime": "2000-01-01T00:00:00Z"}, 3),
        ({"target": path, "toTime": "2000-01-01T00:00:00Z"}, 0),
    ):
        assert len(await entries(owner, via, **filters)) == count, filters


async def test_signing_in_and_out_is_recorded(owner: Client, anonymous: Client, via: Transport) -> None:
    link = await owner.call("AuthService/CreateSignInLink", via=via)
    browser = browser_of(anonymous, await use_link(anonymous, link["path"]))
    me = await browser.call("UserService/GetCurrentUser", via="rest")
    response = await browser.session.post(f"{browser.http_url}/auth/sign-out", headers=browser.headers)
    assert response.status == 200
    found = [
        each for each in await entries(owner, via, target=f"users/{me['id']}") if each["action"].startswith("Sign")
    ]
    assert [(each["action"], each["actorId"], each["address"]) for each in found[:2]] == [
        ("Sign-out/Browser", me["id"], "127.0.0.1"),
        ("Sign-in/Link", me["id"], "127.0.0.1"),
    ]


async def test_a_change_whose_code_records_nothing_is_recorded_once(
    owner: Client, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch, via: Transport
) -> None:
    monkeypatch.setattr("echomind_api.accounts.groups.audit", lambda *_, **__: None)
    before = await pool.fetchval("SELECT max(id) FROM audit_log")
    group = await owner.call("GroupService/CreateGroup", {"group": {"name": uuid4().hex}}, via)
    await owner.call("GroupService/DeleteGroup", {"id": group["id"]}, via)
    query = "SELECT action, target, address FROM audit_log WHERE id > $1 AND action LIKE 'GroupService/%' ORDER BY id"
    assert [tuple(row) for row in await pool.fetch(query, before)] == [
        ("GroupService/CreateGroup", f"groups/{group['id']}", "127.0.0.1"),
        ("GroupService/DeleteGroup", f"groups/{group['id']}", "127.0.0.1"),
    ]


async def test_an_export_of_a_conversation_is_recorded(new_user: NewUser, owner: Client, via: Transport) -> None:
    somebody = await new_user()
    session = await somebody.call("ChatSessionService/CreateChatSession", {"chatSession": {}}, via)
    await somebody.call("ChatSessionService/ExportChatSession", {"id": session["id"]}, via)
    (entry,) = await entries(owner, via, actorId=somebody.user_id, action="ChatSessionService")
    assert (entry["action"], entry["target"]) == (
        "ChatSessionService/ExportChatSession",
        f"chat-sessions/{session['id']}",
    )
    for _ in range(2):
        await owner.call("ChatSessionService/ExportChatSession", {"id": session["id"]}, via)
    found = await entries(owner, via, actorId=owner.user_id, target=f"chat-sessions/{session['id']}")
    # That the owner has read it is recorded once a minute, each export nevertheless.
    assert sorted(len(each.get("detail", {})) > 0 for each in found) == [False, False, True]


async def test_the_first_use_of_a_key_from_another_network_is_recorded(
    new_user: NewUser, owner: Client, pool: asyncpg.Pool
) -> None:
    somebody = await new_user()
    key = await pool.fetchval("SELECT id FROM api_keys WHERE user_id = $1", somebody.user_id)
    for network in ("192.0.2.1", "192.0.2.1", "203.0.113.7", "192.0.2.1", "203.0.113.7"):
        await NOTE_NETWORK.execute(pool, key_id=key, network=network, address=network, credential=f"api-keys/{key}")
    (entry,) = await entries(owner, action="ApiKey", target=f"api-keys/{key}")
    assert (entry["action"], entry["address"], entry["actorId"]) == (
        "ApiKey/NewNetwork",
        "203.0.113.7",
        somebody.user_id,
    )


async def test_reading_it_is_recorded_once_a_minute(new_user: NewUser, pool: asyncpg.Pool, via: Transport) -> None:
    auditor = await new_user("superadmin")
    for _ in range(3):
        await auditor.call(LIST, {"target": "users/1"}, via)
    details = await pool.fetch(
        "SELECT detail FROM audit_log WHERE actor_id = $1 AND action = $2", auditor.user_id, LIST
    )
    assert [row["detail"] for row in details] == [{"filters": {"target": "users/1"}}]


async def test_an_export_beside_writers_loses_nothing(owner: Client, pool: asyncpg.Pool, via: Transport) -> None:
    """Writers whose transactions draw ids early and end late, while pages are read and continued."""
    action, done = uuid4().hex, asyncio.Event()

    async def write(number: int) -> None:
        for turn in range(6):
            async with pool.acquire() as connection, connection.transaction():
                await connection.execute("INSERT INTO audit_log (action, target) VALUES ($1, $2)", action, f"{turn}")
                await asyncio.sleep(0.004 * ((number + turn) % 3))

    async def export() -> list[int]:
        found: list[int] = []
        after, is_last = 0, False
        while not is_last:
            is_last = done.is_set()
            token = ""
            while True:
                request = {"action": action, "oldestFirst": True, "afterId": after, "pageSize": 7, "pageToken": token}
                page = await owner.call(LIST, request, via)
                found += [int(each["id"]) for each in page.get("entries", [])]
                if not (token := page.get("nextPageToken", "")):
                    break
            after = int(page["throughId"])
        return found

    exporting = asyncio.create_task(export())
    await asyncio.gather(*(write(number) for number in range(4)))
    done.set()
    found = await exporting
    assert found == [
        row["id"] for row in await pool.fetch("SELECT id FROM audit_log WHERE action = $1 ORDER BY id", action)
    ]
    assert len(found) == 24


async def test_the_log_is_verified(owner: Client, gateway: Gateway, via: Transport) -> None:
    await AuditSeals(gateway.parts.dependencies.database).seal()
    found = await owner.call(VERIFY, via=via)
    assert "defect" not in found
    assert found["isProtected"]
    head = found["head"]
    known = {"knownSeal": head["number"], "knownHash": head["hash"]}
    assert "defect" not in await owner.call(VERIFY, {"firstSeal": head["number"], **known}, via)
    wrong = {"knownSeal": head["number"], "knownHash": "0" * 64}
    assert (await owner.call(VERIFY, wrong, via))["defect"] == "AUDIT_DEFECT_SEAL_CHANGED"
    missing = await owner.call(VERIFY, {**known, "knownSeal": 10**9}, via)
    assert (missing["defect"], int(missing["seal"])) == ("AUDIT_DEFECT_SEAL_MISSING", 10**9)
    for request in ({"knownSeal": 1}, {"knownHash": "0" * 64}, {"knownSeal": 1, "knownHash": "xyz"}):
        with pytest.raises(ValidationFailedError):
            await owner.call(VERIFY, request, via)
