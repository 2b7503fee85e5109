"""Expiry and revocation of share links, which do not reveal that a link existed."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from echomind_api.auth.tokens import new_token
from echomind_lib.errors import (
    NotFoundError,
    PermissionDeniedError,
    ValidationFailedError,
)
from tests.drivers.client import Client, Transport
from tests.drivers.person import Person
from tests.drivers.shares import answer, document, get, post, read, share, shares


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
    return {name: value for name, value in headers.items() if name.lower() not in {"date", "x-request-id"}}


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
