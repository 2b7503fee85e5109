"""Credentials cannot create stronger ones, and deactivation revokes them permanently."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from echomind_api.auth.sessions import Browser
from echomind_api.main import Gateway
from echomind_lib.errors import NotFoundError, PermissionDeniedError, UnauthenticatedError, ValidationFailedError
from tests.drivers.client import TRANSPORTS, Client, Transport
from tests.drivers.gateway import NewUser

via_both = pytest.mark.parametrize("via", TRANSPORTS)
ADMINISTER = ["API_KEY_SCOPE_ADMINISTER"]
EVERYDAY = ["API_KEY_SCOPE_READ", "API_KEY_SCOPE_ASK", "API_KEY_SCOPE_INGEST", "API_KEY_SCOPE_MANAGE"]
PASSWORD = "correct horse battery staple"
OTHER_PASSWORD = "a different battery staple"


def in_hours(hours: float) -> str:
    return (datetime.now(UTC) + timedelta(hours=hours)).isoformat()


async def key_of(maker: Client, name: str, via: Transport = "grpc", **fields: Any) -> Client:
    made = await maker.call("ApiKeyService/CreateApiKey", {"name": name} | fields, via)
    return maker.as_(made["secret"], maker.user_id)


@pytest.fixture
def signed_in(owner: Client, anonymous: Client, gateway: Gateway) -> Callable[[Client], Awaitable[Client]]:
    """Signs somebody in, in a browser of their own, by a link of the owner's."""

    async def sign_in(somebody: Client) -> Client:
        link = await owner.call("AuthService/CreateSignInLink", {"userId": somebody.user_id})
        token = await gateway.parts.sessions.begin_by_link(link["path"].partition("=")[2], Browser("127.0.0.1"))
        return anonymous.browser(token, somebody.user_id)

    return sign_in


def change(account: Client, **fields: Any) -> dict[str, Any]:
    """Returns an update of an account."""
    return {"id": account.user_id, "user": fields, "updateMask": ",".join(fields)}


SignedIn = Callable[[Client], Awaitable[Client]]


async def age(pool: asyncpg.Pool, user_id: int) -> None:
    """Makes a person's web sessions older than a recent sign-in."""
    await pool.execute(
        "UPDATE web_sessions SET authenticated_at = now() - interval '11 minutes' WHERE user_id = $1", user_id
    )


@via_both
async def test_a_key_makes_none_that_expires_later(new_user: NewUser, via: Transport) -> None:
    parent = await key_of(await new_user(), "parent", via, expiresAt=in_hours(1))
    for expected in ({}, {"expiresAt": in_hours(2)}):
        with pytest.raises(ValidationFailedError, match="no later than") as caught:
            await key_of(parent, "child", via, **expected)
        assert caught.value.metadata.keys() == {"expires_at"}
    child = await key_of(parent, "child", via, expiresAt=in_hours(0.5))
    assert (await child.call("UserService/GetCurrentUser", via=via))["id"] == parent.user_id


@via_both
async def test_a_key_makes_none_with_a_wider_scope(new_user: NewUser, via: Transport) -> None:
    with_scope = await new_user()
    program = await key_of(with_scope, "program", via)
    with pytest.raises(PermissionDeniedError) as caught:
        await key_of(program, "wider", via, scopes=ADMINISTER)
    assert caught.value.metadata == {"required": "administer"}
    await key_of(with_scope, "as wide", via, scopes=ADMINISTER)
    listed = (await program.call("ApiKeyService/ListApiKeys", via=via))["apiKeys"]
    assert {key["name"]: key.get("scopes", []) for key in listed} == {
        "test": EVERYDAY + ADMINISTER,
        "program": EVERYDAY,
        "as wide": EVERYDAY + ADMINISTER,
    }


@via_both
async def test_a_program_makes_no_way_into_an_account(new_user: NewUser, via: Transport) -> None:
    person = await new_user("superadmin")
    program = await key_of(person, "program", via)
    account = {"user": {"userName": "made-by-a-program", "email": "made@example.org"}}
    change = {"id": person.user_id, "user": {"firstName": "A"}, "updateMask": "firstName"}
    for method, request in (
        ("AuthService/CreateSignInLink", {}),
        ("AuthService/CreateSignInLink", {"userId": 1}),
        ("AuthService/SetPassword", {"password": PASSWORD}),
        ("UserService/CreateUser", account),
        ("UserService/UpdateUser", change),
    ):
        with pytest.raises(PermissionDeniedError, match="administer") as caught:
            await program.call(method, request, via)
        assert caught.value.metadata == {"required": "administer"}


@via_both
async def test_a_key_that_expires_makes_no_link_and_no_password(new_user: NewUser, via: Transport) -> None:
    person = await new_user("superadmin")
    expiring = await key_of(person, "expiring", via, scopes=["API_KEY_SCOPE_ADMINISTER"], expiresAt=in_hours(1))
    for method, request in (
        ("AuthService/CreateSignInLink", {}),
        ("AuthService/CreateSignInLink", {"userId": 1}),
        ("AuthService/SetPassword", {"password": PASSWORD}),
    ):
        with pytest.raises(PermissionDeniedError, match="expires at") as caught:
            await expiring.call(method, request, via)
        assert caught.value.metadata == {"required": "lasting_credential"}


@via_both
async def test_an_expiring_key_cannot_create_accounts_or_extend_their_rights(new_user: NewUser, via: Transport) -> None:
    person, other, sleeping = await new_user("superadmin"), await new_user("admin"), await new_user()
    await person.call("UserService/UpdateUser", change(sleeping, isActive=False), via)
    await person.call("UserService/UpdateUser", change(other, groups=["sales", "board"]), via)
    expiring = await key_of(person, "expiring", via, scopes=ADMINISTER, expiresAt=in_hours(1))
    account = {"userName": f"made-by-{expiring.user_id}-{via}", "email": f"{via}-{expiring.user_id}@example.org"}
    for method, request in (
        ("UserService/CreateUser", {"user": account}),
        ("UserService/UpdateUser", change(other, roles=["ROLE_SUPERADMIN"])),
        ("UserService/UpdateUser", change(other, groups=["sales", "research"])),
        ("UserService/UpdateUser", change(other, email=account["email"])),
        ("UserService/UpdateUser", change(other, userName=account["userName"])),
        ("UserService/UpdateUser", change(sleeping, isActive=True)),
    ):
        with pytest.raises(PermissionDeniedError, match="expires at") as caught:
            await expiring.call(method, request, via)
        assert caught.value.metadata == {"required": "lasting_credential"}
    for fields in ({"firstName": "A"}, {"groups": ["sales"]}, {"roles": ["ROLE_USER"]}, {"isActive": False}):
        await expiring.call("UserService/UpdateUser", change(other, **fields), via)
    left = await person.call("UserService/GetUser", {"id": other.user_id}, via)
    assert (left["firstName"], left["groups"], left["roles"]) == ("A", ["sales"], ["ROLE_USER"])
    assert not left.get("isActive")


@via_both
async def test_revoking_a_key_revokes_the_keys_created_with_it(new_user: NewUser, via: Transport) -> None:
    person = await new_user()
    parent = await key_of(person, "parent", via)
    child = await key_of(parent, "child", via)
    grandchild = await key_of(child, "grandchild", via)
    stranger = await key_of(person, "stranger", via)
    keys = {key["name"]: key for key in (await person.call("ApiKeyService/ListApiKeys", via=via))["apiKeys"]}
    assert keys["child"]["parentId"] == keys["parent"]["id"]
    await grandchild.call("UserService/GetCurrentUser", via=via)
    await person.call("ApiKeyService/DeleteApiKey", {"id": keys["parent"]["id"]}, via)
    for ended in (parent, child, grandchild):
        with pytest.raises(UnauthenticatedError):
            await ended.call("UserService/GetCurrentUser", via=via)
    await stranger.call("UserService/GetCurrentUser", via=via)


@via_both
async def test_a_program_revokes_its_own_key_and_those_made_with_it_alone(new_user: NewUser, via: Transport) -> None:
    person = await new_user()
    program = await key_of(person, "program", via)
    child = await key_of(program, "child", via)
    await key_of(child, "grandchild", via)
    await key_of(person, "stranger", via)
    foreign = await key_of(await new_user(), "foreign", via)
    keys = {key["name"]: key["id"] for key in (await person.call("ApiKeyService/ListApiKeys", via=via))["apiKeys"]}
    for others in ("test", "stranger"):
        with pytest.raises(PermissionDeniedError) as caught:
            await program.call("ApiKeyService/DeleteApiKey", {"id": keys[others]}, via)
        assert caught.value.metadata == {"required": "administer"}
    with pytest.raises(PermissionDeniedError):
        await child.call("ApiKeyService/DeleteApiKey", {"id": keys["program"]}, via)
    (others,) = [
        key for key in (await foreign.call("ApiKeyService/ListApiKeys", via=via))["apiKeys"] if key["name"] == "foreign"
    ]
    for missing in (others["id"], 2**31 - 1):
        with pytest.raises(NotFoundError):
            await program.call("ApiKeyService/DeleteApiKey", {"id": missing}, via)
    await program.call("ApiKeyService/DeleteApiKey", {"id": keys["grandchild"]}, via)
    await program.call("ApiKeyService/DeleteApiKey", {"id": keys["program"]}, via)
    left = (await person.call("ApiKeyService/ListApiKeys", via=via))["apiKeys"]
    assert {key["name"] for key in left} == {"test", "stranger"}


@via_both
async def test_a_key_revoked_elsewhere_makes_nothing_while_it_is_remembered(
    new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    somebody = await new_user()
    await somebody.call("UserService/GetCurrentUser", via=via)
    await pool.execute("UPDATE api_keys SET revoked = true WHERE user_id = $1", somebody.user_id)
    await somebody.call("UserService/GetCurrentUser", via=via)  # cached by the gateway
    for method, request in (
        ("ApiKeyService/CreateApiKey", {"name": "late"}),
        ("AuthService/CreateSignInLink", {}),
        ("AuthService/SetPassword", {"password": PASSWORD}),
    ):
        with pytest.raises(UnauthenticatedError):
            await somebody.call(method, request, via)
    assert await pool.fetchval("SELECT count(*) FROM api_keys WHERE user_id = $1", somebody.user_id) == 1


@via_both
async def test_a_password_is_not_changed_by_a_key_without_the_old_one(new_user: NewUser, via: Transport) -> None:
    somebody = await new_user()
    await somebody.call("AuthService/SetPassword", {"password": PASSWORD}, via)
    for given in ({}, {"currentPassword": OTHER_PASSWORD}):
        with pytest.raises(PermissionDeniedError) as caught:
            await somebody.call("AuthService/SetPassword", {"password": OTHER_PASSWORD} | given, via)
        assert caught.value.metadata == {"required": "current_password"}
    change = {"password": OTHER_PASSWORD, "currentPassword": PASSWORD}
    await somebody.call("AuthService/SetPassword", change, via)


async def test_an_old_web_session_changes_no_password_and_makes_itself_no_recent_one(
    new_user: NewUser, signed_in: SignedIn, pool: asyncpg.Pool, gateway: Gateway, anonymous: Client
) -> None:
    somebody = await new_user()
    browser = await signed_in(somebody)
    await age(pool, somebody.user_id)
    first = {"password": PASSWORD}
    with pytest.raises(PermissionDeniedError) as caught:
        await browser.call("AuthService/SetPassword", first, "rest")
    assert caught.value.metadata == {"required": "recent_sign_in"}
    with pytest.raises(PermissionDeniedError) as caught:
        await key_of(browser, "wide", "rest", scopes=ADMINISTER)
    assert caught.value.metadata == {"required": "recent_sign_in"}
    link = await browser.call("AuthService/CreateSignInLink", {}, "rest")
    token = await gateway.parts.sessions.begin_by_link(link["path"].partition("=")[2], Browser("127.0.0.1"))
    with pytest.raises(PermissionDeniedError, match="last 10 minutes"):
        await anonymous.browser(token).call("AuthService/SetPassword", first, "rest")
    recent = await signed_in(somebody)
    await recent.call("AuthService/SetPassword", first, "rest")
    await recent.call("AuthService/SetPassword", {"password": OTHER_PASSWORD}, "rest")
    await age(pool, somebody.user_id)
    with pytest.raises(PermissionDeniedError) as caught:
        await recent.call("AuthService/SetPassword", first, "rest")
    assert caught.value.metadata == {"required": "current_password"}
    await recent.call("AuthService/SetPassword", first | {"currentPassword": OTHER_PASSWORD}, "rest")


async def test_a_changed_password_ends_other_sessions_and_on_request_keys(
    new_user: NewUser, signed_in: SignedIn
) -> None:
    somebody = await new_user()
    other, browser = await signed_in(somebody), await signed_in(somebody)
    await other.call("UserService/GetCurrentUser", via="rest")
    await browser.call("AuthService/SetPassword", {"password": PASSWORD}, "rest")
    with pytest.raises(UnauthenticatedError):
        await other.call("UserService/GetCurrentUser", via="rest")
    second = await key_of(somebody, "second")
    change = {"password": OTHER_PASSWORD, "currentPassword": PASSWORD, "revokeApiKeys": True}
    await somebody.call("AuthService/SetPassword", change)
    await somebody.call("UserService/GetCurrentUser")  # the key that the call was made with
    with pytest.raises(UnauthenticatedError):
        await second.call("UserService/GetCurrentUser")
    with pytest.raises(UnauthenticatedError):
        await browser.call("UserService/GetCurrentUser", via="rest")


async def test_guesses_at_the_current_password_are_counted_for_the_account(new_user: NewUser) -> None:
    somebody = await new_user()
    await somebody.call("AuthService/SetPassword", {"password": PASSWORD})
    guess = {"password": OTHER_PASSWORD, "currentPassword": "not this one"}
    results = await asyncio.gather(
        *(somebody.call("AuthService/SetPassword", guess) for _ in range(14)), return_exceptions=True
    )
    reasons = [getattr(result, "reason", None) for result in results]
    assert reasons.count("PERMISSION_DENIED") == 10
    assert reasons.count("OVERLOADED") == 4


@via_both
async def test_a_reactivated_account_gets_no_credential_back(
    new_user: NewUser, owner: Client, signed_in: SignedIn, anonymous: Client, gateway: Gateway, via: Transport
) -> None:
    somebody = await new_user()
    browser = await signed_in(somebody)
    await browser.call("UserService/GetCurrentUser", via="rest")
    link = await owner.call("AuthService/CreateSignInLink", {"userId": somebody.user_id}, via)
    for is_active in (False, True):
        change = {"id": somebody.user_id, "user": {"isActive": is_active}, "updateMask": "isActive"}
        await owner.call("UserService/UpdateUser", change, via)
    for credential, transport in ((somebody, via), (browser, "rest")):
        with pytest.raises(UnauthenticatedError):
            await credential.call("UserService/GetCurrentUser", via=transport)
    with pytest.raises(UnauthenticatedError):
        await gateway.parts.sessions.begin_by_link(link["path"].partition("=")[2], Browser("127.0.0.1"))
    back = await signed_in(somebody)
    assert (await back.call("ApiKeyService/ListApiKeys", via="rest"))["apiKeys"] == []


async def test_no_link_is_made_for_a_deactivated_account(new_user: NewUser, owner: Client) -> None:
    somebody = await new_user()
    change = {"id": somebody.user_id, "user": {"isActive": False}, "updateMask": "isActive"}
    await owner.call("UserService/UpdateUser", change)
    with pytest.raises(NotFoundError):
        await owner.call("AuthService/CreateSignInLink", {"userId": somebody.user_id})


async def test_sign_ins_and_deactivation_at_once_leave_no_session(
    new_user: NewUser, owner: Client, pool: asyncpg.Pool, gateway: Gateway
) -> None:
    somebody = await new_user()
    links = [await owner.call("AuthService/CreateSignInLink", {"userId": somebody.user_id}) for _ in range(8)]
    change = {"id": somebody.user_id, "user": {"isActive": False}, "updateMask": "isActive"}
    tokens = [link["path"].partition("=")[2] for link in links]
    begins = [gateway.parts.sessions.begin_by_link(token, Browser("127.0.0.1")) for token in tokens]
    calls = [*begins[:4], owner.call("UserService/UpdateUser", change), *begins[4:]]
    await asyncio.gather(*calls, return_exceptions=True)
    assert await pool.fetchval("SELECT count(*) FROM web_sessions WHERE user_id = $1", somebody.user_id) == 0


async def test_superadmins_who_administer_each_other_concurrently_do_not_deadlock(new_user: NewUser) -> None:
    first, second = await new_user("superadmin"), await new_user("superadmin")
    calls = []
    for number in range(5):
        for caller, target in ((first, second), (second, first)):
            name = {"id": target.user_id, "user": {"firstName": str(number)}, "updateMask": "firstName"}
            calls += [
                caller.call("AuthService/CreateSignInLink", {"userId": target.user_id}),
                caller.call("UserService/UpdateUser", name),
            ]
    await asyncio.gather(*calls)
