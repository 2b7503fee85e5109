"""Invitations: the account that a link creates once, and the end of links."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import aiohttp
import asyncpg
import pytest

from echomind_api.auth import tokens
from echomind_lib.errors import (
    AlreadyExistsError,
    NotFoundError,
    PermissionDeniedError,
    UnauthenticatedError,
    ValidationFailedError,
)
from tests.drivers.browser import browser_of
from tests.drivers.client import Client, Transport, error_of
from tests.drivers.gateway import NewUser

PASSWORD = "correct horse battery staple"


async def invite(owner: Client, via: Transport = "grpc", **fields: Any) -> tuple[dict[str, Any], str]:
    """Returns an invitation and its token."""
    made = await owner.call("InvitationService/CreateInvitation", {"invitation": fields}, via)
    path: str = made["path"]
    assert path.startswith("/join/")
    return made["invitation"], path.removeprefix("/join/")


def person(**fields: str) -> dict[str, str]:
    name = f"joined-{uuid4().hex[:12]}"
    return {"userName": name, "email": f"{name}@example.org", "firstName": "Ada"} | fields


async def post(client: Client, path: str, body: dict[str, Any]) -> aiohttp.ClientResponse:
    return await client.session.post(client.http_url + path, json=body, headers=client.headers)


async def join(client: Client, token: str, user: dict[str, str], password: str = PASSWORD) -> aiohttp.ClientResponse:
    return await post(client, "/auth/join", {"token": token, "user": user, "password": password})


async def test_an_invited_person_creates_an_account_and_is_signed_in(
    owner: Client, anonymous: Client, via: Transport, pool: asyncpg.Pool
) -> None:
    group = f"invited-{via}"
    invitation, token = await invite(owner, via, roles=["ROLE_ADMIN"], groups=[group])
    assert invitation["status"] == "INVITATION_STATUS_OPEN"
    offer = await (await post(anonymous, "/auth/invitation", {"token": token})).json()
    assert (offer["email"], offer["invitedBy"]) == ("", "Owner")
    user = person()
    joined = await join(anonymous, token, user)
    assert joined.status == 204
    me = await browser_of(anonymous, joined).call("UserService/GetCurrentUser", via="rest")
    assert {key: me[key] for key in user} == user
    assert (me["roles"], me["groups"]) == (["ROLE_USER", "ROLE_ADMIN"], [group])
    listed = (await owner.call("InvitationService/ListInvitations", via=via))["invitations"][0]
    assert (listed["status"], listed["acceptedUserId"]) == ("INVITATION_STATUS_ACCEPTED", me["id"])
    again = await post(anonymous, "/auth/sign-in", {"userName": user["email"], "password": PASSWORD})
    assert again.status == 204
    recorded = await pool.fetchval("SELECT detail FROM audit_log WHERE action = $1 AND actor_id = $2", NOTED, me["id"])
    assert recorded == {
        "invitation": invitation["id"],
        "invited_by": owner.user_id,
        "roles": ["user", "admin"],
        "groups": [group],
    }


NOTED = "InvitationService/AcceptInvitation"


async def test_a_link_works_once(owner: Client, anonymous: Client) -> None:
    _, token = await invite(owner)
    assert (await join(anonymous, token, person())).status == 204
    for answer in (await join(anonymous, token, person()), await post(anonymous, "/auth/invitation", {"token": token})):
        assert answer.status == 401
        assert not answer.cookies
        assert "Ask whoever invited you" in error_of(await answer.json()).message


async def test_the_address_of_an_invitation_is_that_of_the_account(owner: Client, anonymous: Client) -> None:
    address = f"named-{uuid4().hex}@example.org"
    _, token = await invite(owner, email=address)
    joined = await join(anonymous, token, person(email="another@example.org"))
    me = await browser_of(anonymous, joined).call("UserService/GetCurrentUser", via="rest")
    assert me["email"] == address
    with pytest.raises(AlreadyExistsError, match="An account has this e-mail address"):
        await invite(owner, email=address.upper())


async def test_a_name_that_is_taken_leaves_the_link_as_it_was(owner: Client, anonymous: Client) -> None:
    _, token = await invite(owner)
    taken = await join(anonymous, token, person(userName="OWNER"))
    assert taken.status == 409
    error = error_of(await taken.json())
    assert isinstance(error, AlreadyExistsError)
    assert error.metadata["field"] == "user_name"
    assert (await join(anonymous, token, person())).status == 204


async def test_more_than_is_offered_cannot_be_taken(owner: Client, anonymous: Client) -> None:
    _, token = await invite(owner)
    expected: dict[str, Any] = {"roles": ["ROLE_SUPERADMIN"], "groups": ["board"], "isActive": True}
    joined = await join(anonymous, token, person() | expected)
    me = await browser_of(anonymous, joined).call("UserService/GetCurrentUser", via="rest")
    assert (me["roles"], me.get("groups", [])) == (["ROLE_USER"], [])


@pytest.mark.parametrize("wrong", [{"password": "short"}, {"user": {"userName": "a b", "email": "x"}}, {"token": ""}])
async def test_invalid_values_are_rejected(owner: Client, anonymous: Client, wrong: dict[str, Any]) -> None:
    _, token = await invite(owner)
    body = {"token": token, "user": person(), "password": PASSWORD} | wrong
    answer = await post(anonymous, "/auth/join", body)
    assert answer.status == 400
    assert isinstance(error_of(await answer.json()), ValidationFailedError)


async def test_an_expired_link_does_not_work(owner: Client, anonymous: Client, pool: asyncpg.Pool) -> None:
    invitation, token = await invite(owner)
    await pool.execute("UPDATE invitations SET expires_at = now() WHERE id = $1", invitation["id"])
    assert (await join(anonymous, token, person())).status == 401
    listed = (await owner.call("InvitationService/ListInvitations"))["invitations"][0]
    assert listed["status"] == "INVITATION_STATUS_EXPIRED"


async def test_a_removed_invitation_does_not_work(owner: Client, anonymous: Client, via: Transport) -> None:
    invitation, token = await invite(owner, via)
    await owner.call("InvitationService/DeleteInvitation", {"id": invitation["id"]}, via)
    assert (await join(anonymous, token, person())).status == 401
    with pytest.raises(NotFoundError):
        await owner.call("InvitationService/DeleteInvitation", {"id": invitation["id"]}, via)


async def test_a_link_grants_no_more_than_its_creator_may_grant(
    owner: Client, anonymous: Client, new_user: NewUser, via: Transport
) -> None:
    boss = await new_user("superadmin")
    invitation, token = await invite(boss, via, roles=["ROLE_SUPERADMIN"])
    change = {"id": boss.user_id, "user": {"roles": ["ROLE_USER"]}, "updateMask": "roles"}
    await owner.call("UserService/UpdateUser", change, via)
    assert (await join(anonymous, token, person())).status == 401
    listed = (await owner.call("InvitationService/ListInvitations"))["invitations"][0]
    assert (listed["id"], listed["status"]) == (invitation["id"], "INVITATION_STATUS_SUSPENDED")
    change = {"id": boss.user_id, "user": {"isActive": False}, "updateMask": "isActive"}
    await owner.call("UserService/UpdateUser", change, via)
    left = (await owner.call("InvitationService/ListInvitations")).get("invitations", [])
    assert invitation["id"] not in {each["id"] for each in left}


async def test_the_time_of_a_link_is_bounded(owner: Client, via: Transport) -> None:
    now = datetime.now(UTC)
    for expected in (now - timedelta(seconds=1), now + timedelta(days=91)):
        with pytest.raises(ValidationFailedError, match="at most 90 days ahead"):
            await invite(owner, via, expiresAt=expected.isoformat())
    invitation, _ = await invite(owner, via)
    assert timedelta(days=6, hours=23) < datetime.fromisoformat(invitation["expiresAt"]) - now <= timedelta(days=7.1)


async def test_a_key_that_may_not_make_accounts_makes_no_invitation(new_user: NewUser, via: Transport) -> None:
    boss = await new_user("superadmin")
    expires_at = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    scopes = {"scopes": ["API_KEY_SCOPE_ADMINISTER"]}
    for fields, required in (({}, "administer"), (scopes | {"expiresAt": expires_at}, "lasting_credential")):
        made = await boss.call("ApiKeyService/CreateApiKey", {"name": uuid4().hex} | fields, via)
        with pytest.raises(PermissionDeniedError) as caught:
            await invite(boss.as_(made["secret"]), via)
        assert caught.value.metadata == {"required": required}


async def test_the_token_is_not_stored(owner: Client, pool: asyncpg.Pool) -> None:
    invitation, token = await invite(owner)
    stored = await pool.fetchval("SELECT i::text FROM invitations i WHERE id = $1", invitation["id"])
    assert token not in stored
    assert tokens.digest(token).hex() in stored
    recorded = await pool.fetch("SELECT a::text FROM audit_log a WHERE target = $1", f"invitations/{invitation['id']}")
    assert recorded
    assert token not in str(recorded)


async def test_joining_ends_the_session_that_the_browser_had(owner: Client, anonymous: Client) -> None:
    _, token = await invite(owner)
    first = browser_of(anonymous, await join(anonymous, token, person()))
    _, token = await invite(owner)
    second = browser_of(anonymous, await join(first, token, person()))
    await second.call("UserService/GetCurrentUser", via="rest")
    with pytest.raises(UnauthenticatedError):
        await first.call("UserService/GetCurrentUser", via="rest")
