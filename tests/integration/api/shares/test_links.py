"""Share links: their content, readers, and end."""

from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest

from echomind_api.auth.tokens import new_token
from echomind_lib.errors import (
    NotFoundError,
    OverloadedError,
    PermissionDeniedError,
    RunActiveError,
    ValidationFailedError,
)
from tests.drivers.client import Client, Transport
from tests.drivers.person import Person
from tests.drivers.shares import SECRETS, get, post, read, share, shares


async def test_a_link_shows_texts_and_titles_to_anyone_with_it(
    person: Person, anonymous: Client, via: Transport
) -> None:
    made, token = await share(person)
    assert (made["status"], made["isCurrent"]) == ("SESSION_SHARE_STATUS_OPEN", True)
    shown = await read(anonymous, token, via)
    assert [(each["role"], each["content"]) for each in shown["messages"]] == [
        ("MESSAGE_ROLE_USER", "How much leave?"),
        ("MESSAGE_ROLE_ASSISTANT", "So."),
    ]
    assert shown["messages"][1]["basis"] == "ANSWER_BASIS_SOURCES"
    ((citation,),) = [message["citations"] for message in shown["messages"] if message.get("citations")]
    assert (citation["number"], citation["title"]) == (1, "Handbook 1")
    assert citation.keys() - {"url"} == {"number", "title", "passages"}
    assert not citation.get("url")
    assert shown["title"] == made["title"]
    assert not shown.get("canFork")
    assert not shown.get("sharedBy")
    assert shown.keys() - {"canFork", "sharedBy"} == {"title", "messages", "sharedAt", "expiresAt"}
    fields = {"role", "authorKind", "content", "status", "basis", "citations", "creationDate"}
    assert shown["messages"][1].keys() - {"usedOtherTools"} == fields
    assert not shown["messages"][1].get("usedOtherTools")
    assert not any(secret in str(shown) for secret in SECRETS)


async def test_what_comes_later_is_not_shown_until_the_link_is_refreshed(person: Person, anonymous: Client) -> None:
    made, token = await share(person)
    first = await read(anonymous, token)
    await person.call("ChatSessionService/UpdateChatSession", id=int(person.session),
                      chatSession={"title": "Secret plans"}, updateMask="title")  # fmt: skip
    await person.ask("And sick leave?")
    await person.call("ChatSessionService/MoveHead", id=int(person.session), messageId=made["headMessageId"])
    await person.ask("Another branch?")
    later = await read(anonymous, token)
    assert later == first
    (listed,) = await shares(person)
    assert not listed.get("isCurrent")
    refreshed = await person.call("SessionShareService/RefreshSessionShare", id=made["id"])
    assert (refreshed["isCurrent"], refreshed["expiresAt"]) == (True, made["expiresAt"])
    now = await read(anonymous, token)
    assert [each["content"] for each in now["messages"]] == ["How much leave?", "So.", "Another branch?", "So."]
    assert now["title"] == "Secret plans"
    back = {"id": made["id"], "sessionShare": {"headMessageId": made["headMessageId"]}}
    await person.client.call("SessionShareService/RefreshSessionShare", back)
    assert len((await read(anonymous, token))["messages"]) == 2


async def test_only_finished_answers_are_shared(person: Person, reader: Person) -> None:
    sent = await person.ask("Unfinished?", end=False)
    made, _ = await share(person)
    assert made["headMessageId"] != sent["assistantMessage"]["id"]
    with pytest.raises(RunActiveError):
        await share(person, headMessageId=sent["assistantMessage"]["id"])
    with pytest.raises(ValidationFailedError):
        await share(person, headMessageId=sent["userMessage"]["id"])
    with pytest.raises(NotFoundError):
        await share(person, headMessageId=(await reader.ask("Mine?"))["assistantMessage"]["id"])
    empty = await reader.call("ChatSessionService/CreateChatSession", chatSession={})
    with pytest.raises(ValidationFailedError, match="nothing to share"):
        await reader.call("SessionShareService/CreateSessionShare", chatSessionId=empty["id"])


async def test_headers(person: Person, anonymous: Client) -> None:
    _, token = await share(person)
    for _, _, headers in [
        await post(anonymous, token),
        await post(anonymous, "wrong"),
        await get(anonymous, token),
        await get(anonymous, "wrong"),
    ]:
        assert headers["X-Robots-Tag"] == "noindex, nofollow, noarchive"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cache-Control"] == "private, no-store"
        assert "ETag" not in headers
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'")
        assert "http" not in policy
        assert "unsafe" not in policy
        assert headers["X-Frame-Options"] == "DENY"


async def test_superadmins_decide_who_opens_links(
    person: Person, reader: Person, owner: Client, anonymous: Client, sharing: Callable[[str], Awaitable[None]],
    via: Transport,
) -> None:  # fmt: skip
    _, token = await share(person)
    change = {"settings": {"linkSharing": "LINK_SHARING_SIGNED_IN"}, "updateMask": "linkSharing"}
    with pytest.raises(PermissionDeniedError):
        await person.call("SystemService/UpdateInstallationSettings", **change)
    changed = await owner.call("SystemService/UpdateInstallationSettings", change, via)
    assert changed["linkSharing"] == "LINK_SHARING_SIGNED_IN"
    assert changed.pop("updatedByName") == "Owner"
    assert changed.pop("updatedBy")
    assert await person.call("SystemService/GetInstallationSettings") == changed
    with pytest.raises(NotFoundError):
        await read(anonymous, token, via)
    assert await read(reader.client, token, via)
    with pytest.raises(NotFoundError):
        await read(anonymous.as_("em_wrong"), token, via)
    await sharing("nobody")
    with pytest.raises(NotFoundError):
        await read(reader.client, token, via)
    with pytest.raises(PermissionDeniedError, match="switched off"):
        await share(person)
    (listed,) = await shares(person)
    assert listed["status"] == "SESSION_SHARE_STATUS_FORBIDDEN"
    recorded = await person.pool.fetchval(
        "SELECT detail FROM audit_log WHERE action = 'SystemService/UpdateInstallationSettings' AND NOT denied"
        " ORDER BY id DESC LIMIT 1"
    )
    assert recorded == {"link_sharing": "signed_in"}


async def test_guessing_costs_the_address(person: Person, anonymous: Client, gateway: Any) -> None:
    _, token = await share(person)
    # An entry has the reason of the first attempt of its address and minute.
    await gateway.parts.denials.flush()
    last = await person.pool.fetchval("SELECT coalesce(max(id), 0) FROM audit_log")
    for _ in range(30):
        with pytest.raises(NotFoundError):
            await read(anonymous, new_token().text)
    for tried in (new_token().text, token):
        with pytest.raises(OverloadedError) as caught:
            await read(anonymous, tried)
        assert int(caught.value.metadata["retry_after_seconds"]) > 0
    assert (await get(anonymous, token))[0] == 429
    await gateway.parts.denials.flush()
    counted = await person.pool.fetchval(
        "SELECT sum(count) FROM audit_log WHERE id > $1 AND actor_id IS NULL AND detail ->> 'reason' = 'NOT_FOUND'",
        last,
    )
    assert counted >= 30


async def test_a_list_has_only_own_links_and_the_time_of_their_last_opening(
    person: Person, reader: Person, anonymous: Client
) -> None:
    first, token = await share(person)
    second, _ = await share(person)
    assert [each["id"] for each in await shares(person)] == [second["id"], first["id"]]
    assert not (await shares(person))[1].get("lastAccessAt")
    await read(anonymous, token)
    opened = (await shares(person))[1]["lastAccessAt"]
    await read(anonymous, token)
    assert (await shares(person))[1]["lastAccessAt"] == opened
    assert "token" not in str(await shares(person)).lower()
    assert not (await reader.call("SessionShareService/ListSessionShares")).get("sessionShares")
    page = await person.call("SessionShareService/ListSessionShares", pageSize=1)
    rest = await person.call("SessionShareService/ListSessionShares", pageSize=1, pageToken=page["nextPageToken"])
    assert [each["id"] for each in rest["sessionShares"]] == [first["id"]]
    await person.call("SessionShareService/DeleteSessionShare", id=first["id"])
    assert [each["id"] for each in await shares(person)] == [second["id"]]
    recorded = await person.pool.fetch(
        "SELECT action, target, detail FROM audit_log WHERE actor_id = $1 AND target LIKE 'session-shares/%'"
        " ORDER BY id",
        person.client.user_id,
    )
    assert [(row["action"], row["target"]) for row in recorded] == [
        ("SessionShareService/CreateSessionShare", f"session-shares/{first['id']}"),
        ("SessionShareService/CreateSessionShare", f"session-shares/{second['id']}"),
        ("SessionShareService/DeleteSessionShare", f"session-shares/{first['id']}"),
    ]
    assert all(token not in str(row["detail"]) for row in recorded)


async def test_a_bad_credential_does_not_keep_anybody_from_reading(person: Person, anonymous: Client) -> None:
    _, token = await share(person)
    assert await read(anonymous.as_("em_" + "x" * 43), token)


async def test_the_page_needs_no_body_for_head(person: Person, anonymous: Client) -> None:
    _, token = await share(person)
    response: aiohttp.ClientResponse
    async with anonymous.session.head(f"{anonymous.http_url}/shared/{token}") as response:
        assert response.status == 200
    async with anonymous.session.head(f"{anonymous.http_url}/shared/wrong") as response:
        assert response.status == 404
