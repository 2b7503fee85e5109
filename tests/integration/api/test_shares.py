"""Share links: what a link shows, to whom, and what ends it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import aiohttp
import asyncpg
import pytest
import pytest_asyncio

from echomind_api.auth.tokens import new_token
from echomind_lib.errors import (
    NotFoundError,
    OverloadedError,
    PermissionDeniedError,
    RunActiveError,
    ValidationFailedError,
)
from tests.drivers.client import TRANSPORTS, Client, Transport
from tests.drivers.gateway import NewUser
from tests.drivers.person import Person
from tests.factories import rows

SECRETS = ("words of a snippet", "rephrased by a machine", "tool said so", "remember this", "goal of goals")
"""What a session holds beside its texts."""


@pytest.fixture(params=TRANSPORTS)
def via(request: pytest.FixtureRequest) -> Transport:
    return request.param  # type: ignore[no-any-return]


@pytest_asyncio.fixture
async def person(new_user: NewUser, pool: asyncpg.Pool, via: Transport) -> Person:
    """Somebody with a conversation of one answer that cites a document for everybody."""
    person = Person(await new_user(), pool, via)
    await answer(person, "How much leave?", await document(pool))
    return person


@pytest_asyncio.fixture
async def reader(new_user: NewUser, pool: asyncpg.Pool, via: Transport) -> Person:
    return Person(await new_user(), pool, via)


@pytest_asyncio.fixture
async def sharing(pool: asyncpg.Pool) -> AsyncIterator[Callable[[str], Awaitable[None]]]:
    """Sets who may open links; at the end whoever has one."""

    async def allow(word: str) -> None:
        await pool.execute("UPDATE installation_settings SET link_sharing = $1", word)

    yield allow
    await allow("anyone")


async def document(pool: asyncpg.Pool, **connector: Any) -> int:
    """A document of a new connector, for everybody unless it is said otherwise."""
    made = await rows.connector(pool, **{"scope": "org"} | connector)
    return int((await rows.document(pool, connector_id=made["id"], title="Handbook"))["id"])


async def answer(person: Person, question: str, *documents: int) -> dict[str, Any]:
    """Asks, and is answered from documents, with much that is not for everybody."""
    sent = await person.ask(question)
    message = int(sent["assistantMessage"]["id"])
    for number, document_id in enumerate(documents, 1):
        await rows.citation(
            person.pool, chat_message_id=message, document_id=document_id, number=number, title=f"Handbook {number}",
            snippet=SECRETS[0],
        )  # fmt: skip
        await rows.session_source(person.pool, chat_session_id=int(person.session), document_id=document_id)
    await person.pool.execute(
        "UPDATE chat_messages SET rephrased_query = $2, retrieval_context = $3, tool_calls = $3 WHERE id = $1",
        message,
        SECRETS[1],
        [{"toolName": SECRETS[2]}],
    )
    await person.pool.execute(
        "UPDATE chat_sessions SET goal = $2, initial_goal = $2, important_steps = $3, compressed_summary = $4,"
        " last_compressed_message_id = $5 WHERE id = $1",
        int(person.session),
        SECRETS[4],
        [{"runId": sent["run"]["id"], "stepNumber": 1, "text": SECRETS[3]}],
        SECRETS[3],
        message,
    )
    return sent


async def share(person: Person, **given: Any) -> tuple[dict[str, Any], str]:
    """Returns a new link and its token."""
    made = await person.call(
        "SessionShareService/CreateSessionShare", chatSessionId=int(person.session), sessionShare=given
    )
    assert made["path"].startswith("/shared/")
    return made["sessionShare"], made["path"].removeprefix("/shared/")


async def read(client: Client, token: str, via: Transport = "rest") -> dict[str, Any]:
    return await client.call("SessionShareService/ReadSharedSession", {"token": token}, via)


async def shares(person: Person) -> list[dict[str, Any]]:
    listed = await person.call("SessionShareService/ListSessionShares", chatSessionId=int(person.session))
    found: list[dict[str, Any]] = listed.get("sessionShares", [])
    return found


async def post(client: Client, token: str) -> tuple[int, bytes, Mapping[str, str]]:
    """The whole answer of a reading over HTTP."""
    url = f"{client.http_url}/api/v1/shared-sessions:read"
    async with client.session.post(url, json={"token": token}, headers=client.headers) as response:
        return response.status, await response.read(), response.headers


async def get(client: Client, token: str) -> tuple[int, bytes, Mapping[str, str]]:
    """The whole page."""
    async with client.session.get(f"{client.http_url}/shared/{token}", headers=client.headers) as response:
        return response.status, await response.read(), response.headers


async def test_a_link_shows_texts_and_titles_to_whoever_has_it(
    person: Person, anonymous: Client, via: Transport
) -> None:
    made, token = await share(person)
    assert (made["status"], made["isCurrent"]) == ("SESSION_SHARE_STATUS_OPEN", True)
    shown = await read(anonymous, token, via)
    assert [(one["role"], one["content"]) for one in shown["messages"]] == [
        ("MESSAGE_ROLE_USER", "How much leave?"),
        ("MESSAGE_ROLE_ASSISTANT", "So."),
    ]
    assert shown["messages"][1]["citations"] == [{"number": 1, "title": "Handbook 1"}]
    assert shown["title"] == made["title"]
    assert not shown.get("canFork")
    assert shown.keys() - {"canFork"} == {"title", "messages", "sharedAt", "expiresAt"}
    assert shown["messages"][1].keys() == {"role", "content", "status", "citations", "creationDate"}
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
    assert [one["content"] for one in now["messages"]] == ["How much leave?", "So.", "Another branch?", "So."]
    assert now["title"] == "Secret plans"
    back = {"id": made["id"], "sessionShare": {"headMessageId": made["headMessageId"]}}
    await person.client.call("SessionShareService/RefreshSessionShare", back)
    assert len((await read(anonymous, token))["messages"]) == 2


async def test_a_link_ends_by_itself_after_thirty_days(person: Person) -> None:
    made, _ = await share(person)
    assert timedelta(days=29) < datetime.fromisoformat(made["expiresAt"]) - datetime.now(UTC) < timedelta(days=31)
    for wrong in (timedelta(days=-1), timedelta(days=366)):
        with pytest.raises(ValidationFailedError):
            await share(person, expiresAt=(datetime.now(UTC) + wrong).isoformat())


async def test_a_link_of_an_expiring_key_ends_with_it(person: Person, via: Transport) -> None:
    end = datetime.now(UTC) + timedelta(days=2)
    key = await person.call("ApiKeyService/CreateApiKey", name=f"short {via}", expiresAt=end.isoformat())
    program = Person(person.client.as_(key["secret"], person.client.user_id), person.pool, via)
    program.session = person.session
    made, _ = await share(program)
    assert datetime.fromisoformat(made["expiresAt"]) <= end
    with pytest.raises(ValidationFailedError):
        await share(program, expiresAt=(end + timedelta(days=1)).isoformat())


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


End = Callable[[Person, dict[str, Any]], Awaitable[object]]


async def _sql(person: Person, statement: str, *values: object) -> None:
    assert not (await person.pool.execute(statement, *values)).endswith(" 0")


ENDS: dict[str, End] = {
    "revoked": lambda person, made: person.call("SessionShareService/DeleteSessionShare", id=made["id"]),
    "expired": lambda person, made: _sql(
        person, "UPDATE session_shares SET expires_at = now() WHERE id = $1", made["id"]
    ),
    "session removed": lambda person, _: person.call("ChatSessionService/DeleteChatSession", id=int(person.session)),
    "session purged": lambda person, _: person.call("ChatSessionService/PurgeChatSession", id=int(person.session)),
    "owner deactivated": lambda person, _: _sql(
        person, "UPDATE users SET is_active = FALSE WHERE id = $1", person.client.user_id
    ),
    "source made private": lambda person, _: _sql(
        person,
        "UPDATE connectors SET scope = 'user' WHERE id IN (SELECT documents.connector_id FROM documents"
        " JOIN chat_session_sources ON document_id = documents.id WHERE chat_session_id = $1)",
        int(person.session),
    ),
    "source decides for others": lambda person, _: _sql(
        person,
        "UPDATE connectors SET permission_mode = 'source' WHERE id IN (SELECT documents.connector_id FROM documents"
        " JOIN chat_session_sources ON document_id = documents.id WHERE chat_session_id = $1)",
        int(person.session),
    ),
    "source removed": lambda person, _: _sql(
        person,
        "UPDATE documents SET deleted_date = now() WHERE id IN"
        " (SELECT document_id FROM chat_session_sources WHERE chat_session_id = $1)",
        int(person.session),
    ),
    "source purged": lambda person, _: _sql(
        person,
        "DELETE FROM documents WHERE id IN (SELECT document_id FROM chat_session_sources WHERE chat_session_id = $1)",
        int(person.session),
    ),
    "connector removed": lambda person, _: _sql(
        person,
        "UPDATE connectors SET deleted_date = now() WHERE id IN (SELECT documents.connector_id FROM documents"
        " JOIN chat_session_sources ON document_id = documents.id WHERE chat_session_id = $1)",
        int(person.session),
    ),
    "sharing switched off": lambda person, _: _sql(person, "UPDATE installation_settings SET link_sharing = 'nobody'"),
    "sign-in asked for": lambda person, _: _sql(person, "UPDATE installation_settings SET link_sharing = 'signed_in'"),
}


@pytest.mark.usefixtures("sharing")
@pytest.mark.parametrize("end", ENDS)
async def test_a_dead_link_is_the_same_not_found_as_an_unknown_one(
    person: Person, anonymous: Client, reader: Person, end: str
) -> None:
    made, token = await share(person)
    assert (await post(anonymous, token))[0] == (await get(anonymous, token))[0] == 200
    await ENDS[end](person, made)
    unknown, gone = await post(anonymous, new_token().text), await post(anonymous, token)
    assert gone[0] == 404
    assert gone[1] == unknown[1]
    assert _comparable(gone[2]) == _comparable(unknown[2])
    page, other = await get(anonymous, token), await get(anonymous, "no-token")
    assert page[0] == 404
    assert (page[1], _comparable(page[2])) == (other[1], _comparable(other[2]))
    if end != "sign-in asked for":
        with pytest.raises(NotFoundError):
            await reader.call("SessionShareService/ForkSharedSession", token=token)


def _comparable(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() != "date"}


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


async def test_a_link_works_again_with_the_sources(person: Person, anonymous: Client) -> None:
    private = await document(person.pool, scope="group", scope_id="readers")
    await person.pool.execute("UPDATE users SET groups = '{readers}' WHERE id = $1", person.client.user_id)
    await answer(person, "And what do the readers know?", private)
    made, token = await share(person)
    await person.pool.execute("UPDATE users SET groups = '{}' WHERE id = $1", person.client.user_id)
    with pytest.raises(NotFoundError):
        await read(anonymous, token)
    (listed,) = await shares(person)
    assert listed["status"] == "SESSION_SHARE_STATUS_SOURCES_LOST"
    with pytest.raises(PermissionDeniedError, match="drawn on a document"):
        await share(person)
    with pytest.raises(PermissionDeniedError):
        await person.call("SessionShareService/RefreshSessionShare", id=made["id"])
    await person.pool.execute("UPDATE users SET groups = '{readers}' WHERE id = $1", person.client.user_id)
    assert await read(anonymous, token)


async def test_a_deactivated_owners_links_stay_revoked(person: Person, anonymous: Client) -> None:
    _, token = await share(person)
    for is_active in (False, True):
        await person.pool.execute("UPDATE users SET is_active = $2 WHERE id = $1", person.client.user_id, is_active)
    with pytest.raises(NotFoundError):
        await read(anonymous, token)


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
    noted = await person.pool.fetchval(
        "SELECT detail FROM audit_log WHERE action = 'SystemService/UpdateInstallationSettings' AND NOT denied"
        " ORDER BY id DESC LIMIT 1"
    )
    assert noted == {"link_sharing": "signed_in"}


async def test_guessing_costs_the_address(person: Person, anonymous: Client, gateway: Any) -> None:
    _, token = await share(person)
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
        "SELECT count FROM audit_log WHERE actor_id IS NULL AND detail ->> 'reason' = 'NOT_FOUND'"
        " ORDER BY id DESC LIMIT 1"
    )
    assert counted >= 30


async def test_a_list_is_ones_own_and_says_when_a_link_was_opened(
    person: Person, reader: Person, anonymous: Client
) -> None:
    first, token = await share(person)
    second, _ = await share(person)
    assert [one["id"] for one in await shares(person)] == [second["id"], first["id"]]
    assert not (await shares(person))[1].get("lastAccessAt")
    await read(anonymous, token)
    opened = (await shares(person))[1]["lastAccessAt"]
    await read(anonymous, token)
    assert (await shares(person))[1]["lastAccessAt"] == opened
    assert "token" not in str(await shares(person)).lower()
    assert not (await reader.call("SessionShareService/ListSessionShares")).get("sessionShares")
    page = await person.call("SessionShareService/ListSessionShares", pageSize=1)
    rest = await person.call("SessionShareService/ListSessionShares", pageSize=1, pageToken=page["nextPageToken"])
    assert [one["id"] for one in rest["sessionShares"]] == [first["id"]]
    await person.call("SessionShareService/DeleteSessionShare", id=first["id"])
    assert [one["id"] for one in await shares(person)] == [second["id"]]
    noted = await person.pool.fetch(
        "SELECT action, target, detail FROM audit_log WHERE actor_id = $1 AND target LIKE 'session-shares/%'"
        " ORDER BY id",
        person.client.user_id,
    )
    assert [(row["action"], row["target"]) for row in noted] == [
        ("SessionShareService/CreateSessionShare", f"session-shares/{first['id']}"),
        ("SessionShareService/CreateSessionShare", f"session-shares/{second['id']}"),
        ("SessionShareService/DeleteSessionShare", f"session-shares/{first['id']}"),
    ]
    assert all(token not in str(row["detail"]) for row in noted)


async def test_a_fork_has_the_words_alone_and_all_that_they_drew_on(person: Person, reader: Person) -> None:
    _, token = await share(person)
    await person.ask("Later?")
    assert (await read(reader.client, token))["canFork"]
    made = await reader.call("SessionShareService/ForkSharedSession", token=token)
    assert made["userId"] == reader.client.user_id
    assert not any(
        made.get(one) for one in ("parentSessionId", "forkedFromMessageId", "goal", "initialGoal", "summary")
    )
    assert await reader.questions(made["id"]) == ["How much leave?"]
    session = await reader.pool.fetchrow("SELECT * FROM chat_sessions WHERE id = $1", made["id"])
    messages = await reader.pool.fetch("SELECT * FROM chat_messages WHERE chat_session_id = $1", made["id"])
    copied = str([dict(session or {}), [dict(message) for message in messages]])
    assert not any(secret in copied for secret in SECRETS)
    assert {message["origin_run_id"] for message in messages} == {None}
    drawn_on = await reader.pool.fetch(
        "SELECT chat_session_id, document_id FROM chat_session_sources WHERE chat_session_id = ANY($1)",
        [int(person.session), made["id"]],
    )
    assert len({row["document_id"] for row in drawn_on}) == 1
    assert len(drawn_on) == 2
    noted = await reader.pool.fetchrow(
        "SELECT action, detail FROM audit_log WHERE actor_id = $1 ORDER BY id DESC LIMIT 1", reader.client.user_id
    )
    assert noted is not None
    assert (noted["action"], noted["detail"]) == (
        "SessionShareService/ForkSharedSession",
        {"forked_session_id": made["id"]},
    )
    reader.session = str(made["id"])
    await reader.ask("And for me?")
    assert await reader.questions() == ["How much leave?", "And for me?"]


async def test_a_fork_takes_the_right_to_all_sources(person: Person, reader: Person) -> None:
    private = await document(person.pool, scope="user", user_id=person.client.user_id)
    await answer(person, "And my contract?", private)
    _, token = await share(person)
    assert not (await read(reader.client, token)).get("canFork")
    with pytest.raises(PermissionDeniedError):
        await reader.call("SessionShareService/ForkSharedSession", token=token)
    assert await person.call("SessionShareService/ForkSharedSession", token=token, title="Mine")


async def test_a_fork_of_a_hidden_assistant_gets_the_readers_own(person: Person, reader: Person) -> None:
    hidden = await rows.assistant(person.pool, is_visible=False)
    _, token = await share(person)
    await person.pool.execute(
        "UPDATE chat_sessions SET assistant_id = $2 WHERE id = $1", int(person.session), hidden["id"]
    )
    made = await reader.call("SessionShareService/ForkSharedSession", token=token)
    assert made["assistantId"] != hidden["id"]


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
