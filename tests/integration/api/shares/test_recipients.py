"""Shares for people and groups that their owner names."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import asyncpg
import pytest

from echomind_lib.errors import EchoMindError, NotFoundError, PermissionDeniedError, ValidationFailedError
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser
from tests.drivers.person import Person
from tests.drivers.shares import (
    SECRETS,
    answer,
    document,
    read,
    read_received,
    received,
    share,
    share_with,
    shares,
    user_name,
)
from tests.factories import rows


async def test_a_named_person_reads_it_without_a_link(person: Person, reader: Person, new_user: NewUser) -> None:
    stranger = Person(await new_user(), person.pool, person.via)
    name = await user_name(reader)
    made = await share_with(person, {"userName": name.upper()})
    assert not made.get("hasLink")
    assert [(each["userId"], each["userName"]) for each in made["recipients"]] == [(reader.client.user_id, name)]
    assert await received(reader) == [made["id"]]
    shown = await read_received(reader, made["id"])
    assert [message["content"] for message in shown["messages"]] == ["How much leave?", "So."]
    assert shown["sharedBy"] == await user_name(person)
    assert not any(secret in str(shown) for secret in SECRETS)
    assert (await shares(person))[0]["lastAccessAt"]
    forked = await reader.call("SessionShareService/ForkReceivedShare", id=made["id"])
    assert forked["userId"] == reader.client.user_id
    for nobody in (stranger, person):  # nor is it among the owner's own what others share
        assert made["id"] not in await received(nobody)
        assert await _refusal(nobody, made["id"]) == await _refusal(nobody, 2_000_000_000)


async def test_a_link_is_made_besides_when_it_is_asked_for(
    person: Person, reader: Person, anonymous: Client, via: Transport
) -> None:
    made, token = await share(person, hasLink=True, recipients=[{"userName": await user_name(reader)}])
    assert made["hasLink"]
    assert not (await read(anonymous, token, via)).get("sharedBy")
    assert await received(reader) == [made["id"]]


Loss = Callable[[Person, Person, dict[str, Any]], Awaitable[object]]


async def _withdraw(person: Person, _: Person, made: dict[str, Any]) -> None:
    recipient = {"userId": made["recipients"][0]["userId"]}
    left = await person.call("SessionShareService/RemoveSessionShareRecipients", id=made["id"], recipients=[recipient])
    assert not left.get("recipients")


LOSSES: dict[str, Loss] = {
    "taken back": _withdraw,
    "revoked": lambda person, _, made: person.call("SessionShareService/DeleteSessionShare", id=made["id"]),
    "expired": lambda person, _, made: person.pool.execute(
        "UPDATE session_shares SET expires_at = now() WHERE id = $1", made["id"]
    ),
    "session removed": lambda person, _, __: person.call(
        "ChatSessionService/DeleteChatSession", id=int(person.session)
    ),
    "owner deactivated": lambda person, _, __: person.pool.execute(
        "UPDATE users SET is_active = FALSE WHERE id = $1", person.client.user_id
    ),
    "source removed": lambda person, _, __: person.pool.execute(
        "UPDATE documents SET deleted_date = now() WHERE id IN"
        " (SELECT document_id FROM chat_session_sources WHERE chat_session_id = $1)",
        int(person.session),
    ),
    "sharing switched off": lambda person, _, __: person.pool.execute(
        "UPDATE installation_settings SET link_sharing = 'nobody'"
    ),
}


@pytest.mark.usefixtures("sharing")
@pytest.mark.parametrize("loss", LOSSES)
async def test_a_receiver_loses_it_at_once(person: Person, reader: Person, loss: str) -> None:
    made = await share_with(person, {"userName": await user_name(reader)})
    assert await read_received(reader, made["id"])
    await LOSSES[loss](person, reader, made)
    assert await received(reader) == []
    assert await _refusal(reader, made["id"]) == await _refusal(reader, 2_000_000_000)
    with pytest.raises(NotFoundError):
        await reader.call("SessionShareService/ForkReceivedShare", id=made["id"])


async def test_a_deactivated_receiver_has_nothing(person: Person, reader: Person, owner: Client) -> None:
    name = await user_name(reader)
    made = await share_with(person, {"userName": name})
    change = {"id": reader.client.user_id, "user": {"isActive": False}, "updateMask": "isActive"}
    await owner.call("UserService/UpdateUser", change)
    with pytest.raises(EchoMindError) as caught:
        await read_received(reader, made["id"])
    assert caught.value.reason == "UNAUTHENTICATED"
    assert not (await shares(person))[0].get("recipients")
    with pytest.raises(NotFoundError):
        await share_with(person, {"userName": name})


async def test_members_of_a_group_read_what_it_is_shared_with(
    person: Person, new_user: NewUser, owner: Client, pool: asyncpg.Pool, via: Transport
) -> None:
    name = f"team {uuid4().hex}"
    group = await owner.call("GroupService/CreateGroup", {"group": {"name": name}})
    member, stranger = [Person(await new_user(), pool, via) for _ in range(2)]
    with pytest.raises(NotFoundError, match="group named"):  # of which they are no member
        await share_with(person, {"group": name})
    joined = {"id": group["id"], "userIds": [person.client.user_id, member.client.user_id]}
    await owner.call("GroupService/AddGroupMembers", joined)
    made = await share_with(person, {"group": name})
    assert [(each["groupId"], each["group"]) for each in made["recipients"]] == [(group["id"], name)]
    assert await received(member) == [made["id"]]
    assert await read_received(member, made["id"])
    assert made["id"] not in await received(person)
    assert await received(stranger) == []
    left = {"id": group["id"], "userIds": [member.client.user_id]}
    await owner.call("GroupService/RemoveGroupMembers", left)
    assert await received(member) == []
    with pytest.raises(NotFoundError):
        await read_received(member, made["id"])
    await owner.call("GroupService/AddGroupMembers", left)
    assert await received(member) == [made["id"]]
    await owner.call("GroupService/DeleteGroup", {"id": group["id"]})
    assert await received(member) == []
    (listed,) = await shares(person)
    assert not listed.get("recipients")


async def test_people_are_added_and_taken_away(person: Person, new_user: NewUser, pool: asyncpg.Pool) -> None:
    first, second = [Person(await new_user(), pool, person.via) for _ in range(2)]
    names = [await user_name(each) for each in (first, second)]
    made = await share_with(person, {"userName": names[0]})
    recipients = [{"userName": name} for name in names]
    both = await person.call("SessionShareService/AddSessionShareRecipients", id=made["id"], recipients=recipients)
    assert [each["userName"] for each in both["recipients"]] == names
    assert await received(second) == [made["id"]]
    left = await person.call(
        "SessionShareService/RemoveSessionShareRecipients", id=made["id"], recipients=[{"userName": names[0]}]
    )
    assert [each["userName"] for each in left["recipients"]] == [names[1]]
    with pytest.raises(NotFoundError):
        await person.call(
            "SessionShareService/RemoveSessionShareRecipients", id=made["id"], recipients=[{"userName": names[0]}]
        )
    (detail,) = await pool.fetch(
        "SELECT detail FROM audit_log"
        " WHERE target = $1 AND action = 'SessionShareService/RemoveSessionShareRecipients' AND NOT denied",
        f"session-shares/{made['id']}",
    )
    assert detail["detail"]["user_ids"] == [second.client.user_id]


@pytest.mark.parametrize(
    "recipient",
    [{}, {"userName": "a", "group": "b"}, {"userName": "  "}],
    ids=["nobody", "two", "blank"],
)
async def test_a_recipient_names_one(person: Person, recipient: dict[str, str]) -> None:
    with pytest.raises(ValidationFailedError, match="recipients"):
        await share_with(person, recipient)


async def test_nobody_shares_with_themselves(person: Person) -> None:
    with pytest.raises(ValidationFailedError, match="yourself"):
        await share_with(person, {"userName": await user_name(person)})


async def test_quotes_and_pages_are_shown_as_chosen(person: Person, reader: Person) -> None:
    await person.pool.execute(
        "UPDATE chat_message_documents SET page = 7, supported = TRUE, sentence_start = 0, sentence_end = 3"
        " WHERE chat_message_id IN (SELECT id FROM chat_messages WHERE chat_session_id = $1)",
        int(person.session),
    )
    made = await share_with(person, {"userName": await user_name(reader)})
    assert not made.get("showsQuotes")
    marks = {"sentenceEnd": 3, "page": 7, "supported": True}
    assert _passages(await read_received(reader, made["id"])) == [marks]
    for shows_quotes in (True, None, False):
        given = {} if shows_quotes is None else {"sessionShare": {"showsQuotes": shows_quotes}}
        refreshed = await person.call("SessionShareService/RefreshSessionShare", id=made["id"], **given)
        assert bool(refreshed.get("showsQuotes")) is (shows_quotes is not False)
        quoted = {"quote": SECRETS[0]} if refreshed.get("showsQuotes") else {}
        assert _passages(await read_received(reader, made["id"])) == [marks | quoted]


async def test_a_source_whose_own_permissions_decide_is_never_quoted(person: Person, reader: Person) -> None:
    decided = await document(person.pool, scope="org")
    await answer(person, "And what does the source say?", decided)
    made = await share_with(person, {"userName": await user_name(reader)}, showsQuotes=True)
    shown = await read_received(reader, made["id"])
    assert [passage.get("quote", "") for passage in _passages(shown)] == [SECRETS[0]] * 2
    await _permissions_of_source(person, decided)
    shown = await read_received(reader, made["id"])
    assert [passage.get("quote", "") for passage in _passages(shown)] == [SECRETS[0], ""]
    preview = await _preview(person, showsQuotes=True)
    assert preview["messages"] == shown["messages"]


async def test_a_preview_shows_what_the_share_will(person: Person, reader: Person) -> None:
    before = await shares(person)
    for shows_quotes in (False, True):
        preview = await _preview(person, showsQuotes=shows_quotes)
        assert await shares(person) == before
        made = await share_with(person, {"userName": await user_name(reader)}, showsQuotes=shows_quotes)
        shown = await read_received(reader, made["id"])
        assert (preview["title"], preview["messages"]) == (shown["title"], shown["messages"])
        await person.call("SessionShareService/DeleteSessionShare", id=made["id"])
    with pytest.raises(NotFoundError):
        await reader.call("SessionShareService/PreviewSessionShare", chatSessionId=int(person.session))
    await LOSSES["source removed"](person, reader, {})
    with pytest.raises(PermissionDeniedError):
        await _preview(person)


async def test_a_share_has_the_title_that_its_owner_sees(person: Person, reader: Person) -> None:
    await person.pool.execute(
        "UPDATE chat_sessions SET generated_title = 'Days of leave' WHERE id = $1", int(person.session)
    )
    visible = await person.call("ChatSessionService/GetChatSession", id=int(person.session))
    made = await share_with(person, {"userName": await user_name(reader)})
    assert visible["title"] == made["title"] == (await read_received(reader, made["id"]))["title"] == "Days of leave"


async def test_an_expiring_key_adds_nobody_to_what_outlasts_it(person: Person, reader: Person, via: Transport) -> None:
    made, _ = await share(person)
    end = datetime.now(UTC) + timedelta(days=2)
    key = await person.call("ApiKeyService/CreateApiKey", name=f"brief {via}", expiresAt=end.isoformat())
    program = Person(person.client.as_(key["secret"], person.client.user_id), person.pool, via)
    named = [{"userName": await user_name(reader)}]
    with pytest.raises(PermissionDeniedError, match="outlasts"):
        await program.call("SessionShareService/AddSessionShareRecipients", id=made["id"], recipients=named)
    assert await received(reader) == []


async def test_what_is_shared_is_listed_in_pages(person: Person, reader: Person) -> None:
    name = await user_name(reader)
    made = [(await share_with(person, {"userName": name}))["id"] for _ in range(3)]
    first = await reader.call("SessionShareService/ListReceivedShares", pageSize=2)
    rest = await reader.call("SessionShareService/ListReceivedShares", pageSize=2, pageToken=first["nextPageToken"])
    assert [share["id"] for share in first["receivedShares"] + rest["receivedShares"]] == made[::-1]
    assert first["receivedShares"][0]["sharedBy"] == await user_name(person)
    assert not rest.get("nextPageToken")


async def _refusal(person: Person, share_id: int) -> str:
    with pytest.raises(NotFoundError) as caught:
        await read_received(person, share_id)
    return caught.value.message.replace(str(share_id), "ID")


async def _preview(person: Person, **given: Any) -> dict[str, Any]:
    return await person.call(
        "SessionShareService/PreviewSessionShare", chatSessionId=int(person.session), sessionShare=given
    )


def _passages(shown: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the passages of all answers, without fields that are empty."""
    citations = [citation for message in shown["messages"] for citation in message.get("citations", [])]
    passages = [passage for citation in citations for passage in citation["passages"]]
    return [{name: value for name, value in passage.items() if value} for passage in passages]


async def _permissions_of_source(person: Person, document_id: int) -> None:
    """Makes a document's source decide who reads it: the person, and nobody else."""
    connector = await person.pool.fetchval(
        "UPDATE connectors SET permission_mode = 'source' WHERE id = (SELECT connector_id FROM documents WHERE id = $1)"
        " RETURNING id",
        document_id,
    )
    principal = await rows.source_principal(person.pool, connector_id=connector)
    await rows.source_alias(person.pool, key=principal["key"], user_id=person.client.user_id)
    await rows.insert(person.pool, "document_acl", {"document_id": document_id, "principal_id": principal["id"]})
