"""OpenID providers as rows: how they are managed, tested and removed."""

from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
import pytest_asyncio
from pydantic import SecretStr

from echomind_api.auth.sessions import Browser
from echomind_api.main import Gateway
from echomind_lib.config import Settings
from echomind_lib.config.providers import ProviderSettings
from echomind_lib.errors import AlreadyExistsError, NotFoundError, UnauthenticatedError, ValidationFailedError
from tests.drivers.browser import browser_of
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser
from tests.drivers.openid_provider import CLIENT_ID, CLIENT_SECRET, OpenIdProvider, openid_provider
from tests.drivers.visitor import Visitor
from tests.factories import rows
from tests.factories.world import name


@pytest_asyncio.fixture(loop_scope="session")
async def openid() -> AsyncIterator[OpenIdProvider]:
    async with openid_provider() as provider:
        provider.person |= {"sub": name(), "email": f"{name()}@example.org", "preferred_username": name()}
        yield provider


@pytest_asyncio.fixture(loop_scope="session")
async def stored(openid: OpenIdProvider, owner: Client) -> AsyncIterator[dict[str, Any]]:
    """A provider that the API has stored."""
    created = await owner.call("IdentityProviderService/CreateIdentityProvider", {"identityProvider": new(openid)})
    yield created
    found = await owner.call("IdentityProviderService/ListIdentityProviders")
    if created["name"] in {each["name"] for each in found.get("identityProviders", [])}:
        await owner.call("IdentityProviderService/DeleteIdentityProvider", {"id": created["id"]})


@pytest.fixture
def visitor(anonymous: Client, openid: OpenIdProvider, gateway: Gateway) -> Visitor:
    return Visitor(anonymous, openid)


def new(openid: OpenIdProvider, **changes: Any) -> dict[str, Any]:
    given = {
        "name": f"p{name()}",
        "title": "Example <ID>",
        "issuer": openid.url,
        "clientId": CLIENT_ID,
        "clientSecret": CLIENT_SECRET,
    }
    return given | changes


async def update(owner: Client, stored: dict[str, Any], via: Transport = "rest", **changes: Any) -> dict[str, Any]:
    request = {"id": stored["id"], "identityProvider": changes, "updateMask": ",".join(changes)}
    return await owner.call("IdentityProviderService/UpdateIdentityProvider", request, via)


async def test_people_sign_in_at_a_stored_provider(
    visitor: Visitor, stored: dict[str, Any], owner: Client, pool: asyncpg.Pool, via: Transport
) -> None:
    assert "clientSecret" not in stored
    assert (stored["hasClientSecret"], stored["scopes"], stored["algorithms"]) == (
        True,
        "openid profile email",
        ["RS256", "ES256"],
    )
    secret = await pool.fetchval("SELECT encrypted_client_secret FROM identity_providers WHERE id = $1", stored["id"])
    assert secret.startswith("gAAAA")
    options = await visitor.client.call("AuthService/GetSignInOptions", {}, via)
    assert {"name": stored["name"], "title": "Example <ID>"} in options["providers"]
    ours = name()
    mapping = {"groupsClaim": "org.units", "groups": {"p-research": ours}, "roles": {"p-admins": "admin"}}
    changed = await update(owner, stored, via, mapping=mapping, title="Other")
    assert changed["mapping"].items() >= mapping.items()
    assert changed["title"] == "Other"
    visitor.provider.person["org"] = {"units": ["p-research", "p-admins"]}
    me = await visitor.me(await visitor.sign_in(at=stored["name"]))
    assert (me["groups"], me["roles"]) == ([ours], ["ROLE_USER", "ROLE_ADMIN"])
    await update(owner, stored, via, isActive=False)
    assert (await visitor.get(f"{visitor.client.http_url}/auth/oidc/{stored['name']}")).status == 404
    options = await visitor.client.call("AuthService/GetSignInOptions", {}, via)
    assert stored["name"] not in {each["name"] for each in options["providers"]}


async def test_a_removed_provider_takes_back_what_it_gave(
    visitor: Visitor, stored: dict[str, Any], owner: Client, via: Transport
) -> None:
    ours, manual = name(), name()
    await update(owner, stored, via, mapping={"groups": {"p-research": ours}, "roles": {"p-research": "admin"}})
    visitor.provider.person["groups"] = ["p-research"]
    response = await visitor.sign_in(at=stored["name"])
    me = await visitor.me(response)
    change = {"id": me["id"], "user": {"groups": [ours, manual]}, "updateMask": "groups"}
    await owner.call("UserService/UpdateUser", change, via)
    await owner.call("IdentityProviderService/DeleteIdentityProvider", {"id": stored["id"]}, via)
    with pytest.raises(UnauthenticatedError):
        await visitor.me(response)
    left = await owner.call("UserService/GetUser", {"id": me["id"]}, via)
    assert (left["groups"], left["roles"]) == ([manual], ["ROLE_USER"])
    assert (await visitor.get(f"{visitor.client.http_url}/auth/oidc/{stored['name']}")).status == 404
    # The issuer finds the same people when it is added again.
    again = await owner.call(
        "IdentityProviderService/CreateIdentityProvider", {"identityProvider": new(visitor.provider)}, via
    )
    assert (await visitor.me(await visitor.sign_in(at=again["name"])))["id"] == me["id"]
    await owner.call("IdentityProviderService/DeleteIdentityProvider", {"id": again["id"]}, via)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": ""}, "identityProvider.name"),
        ({"issuer": "http://id.example.org"}, "issuer"),
        ({"issuer": "https://id.example.org?x=1"}, "issuer"),
        ({"clientId": ""}, "identityProvider.clientId"),
        ({"scopes": "profile"}, "scopes"),
        ({"algorithms": ["none"]}, "algorithms"),
        ({"algorithms": ["HS256"]}, "algorithms"),
        ({"mapping": {"roles": {"p-admins": "owner"}}}, "roles"),
        ({"issuer": "https://accounts.google.com"}, "required_claims"),
    ],
)
async def test_what_no_provider_may_have(
    openid: OpenIdProvider, owner: Client, changes: dict[str, Any], field: str, via: Transport
) -> None:
    request = {"identityProvider": new(openid, **changes)}
    with pytest.raises(ValidationFailedError, match=f"{field}:") as raised:
        await owner.call("IdentityProviderService/CreateIdentityProvider", request, via)
    assert field in raised.value.metadata


async def test_the_name_stays_and_the_secret_belongs_to_a_server(stored: dict[str, Any], owner: Client) -> None:
    with pytest.raises(ValidationFailedError, match=r"identityProvider\.name: cannot be changed"):
        await update(owner, stored, name="another")
    with pytest.raises(ValidationFailedError, match="client_secret: must be entered again"):
        await update(owner, stored, issuer="https://evil.example.org")
    changed = await update(owner, stored, issuer="https://new.example.org", clientSecret="another")
    assert changed["issuer"] == "https://new.example.org"


async def test_providers_of_the_settings_are_shown_and_stay(
    openid: OpenIdProvider, owner: Client, api_settings: Settings, monkeypatch: pytest.MonkeyPatch, via: Transport
) -> None:
    settings = ProviderSettings(issuer=openid.url, client_id=CLIENT_ID, client_secret=SecretStr("of the settings"))
    monkeypatch.setitem(api_settings.auth.providers, "default", settings)
    found = (await owner.call("IdentityProviderService/ListIdentityProviders", {}, via))["identityProviders"]
    (shown,) = [each for each in found if each["name"] == "default"]
    assert (shown["isManaged"], shown["hasClientSecret"], "id" in shown) == (True, True, False)
    assert "of the settings" not in str(found)
    for changes in ({"name": "default", "issuer": "https://id.example.org"}, {}):
        request = {"identityProvider": new(openid, **changes)}
        with pytest.raises(AlreadyExistsError):
            await owner.call("IdentityProviderService/CreateIdentityProvider", request, via)


async def test_a_connection_is_tested(stored: dict[str, Any], openid: OpenIdProvider, owner: Client) -> None:
    request = {"name": stored["name"]}
    result = await owner.call("IdentityProviderService/TestIdentityProvider", request)
    assert result == {"ok": True, "message": f"People sign in at {openid.url}/authorize."}
    await update(owner, stored, issuer=f"{openid.url}/elsewhere")
    result = await owner.call("IdentityProviderService/TestIdentityProvider", request)
    assert not result.get("ok", False)
    assert "HTTP 404" in result["message"]
    with pytest.raises(NotFoundError):
        await owner.call("IdentityProviderService/TestIdentityProvider", {"name": "nobody"})


async def test_a_superadmin_tests_a_sign_in_and_nobody_is_signed_in(
    visitor: Visitor, stored: dict[str, Any], owner: Client, new_user: NewUser, gateway: Gateway, pool: asyncpg.Pool
) -> None:
    await update(owner, stored, mapping={"groups": {"p-research": "research"}, "roles": {"p-top": "superadmin"}})
    await update(owner, stored, isActive=False)
    address = f"{visitor.client.http_url}/auth/oidc/{stored['name']}?test=true"
    for role, status in (("", 403), ("user", 403), ("admin", 403), ("superadmin", 303)):
        visitor.cookies = {}
        if role:
            link = await owner.call("AuthService/CreateSignInLink", {"userId": (await new_user(role)).user_id})
            path = link["path"].partition("=")[2]
            token = await gateway.parts.sessions.begin_by_link(path, Browser("127.0.0.1"))
            visitor.cookies[visitor.client.cookie_name] = token
        begun = await visitor.get(address)
        assert begun.status == status
    visitor.provider.person |= {"groups": ["p-research", "p-top", "<b>"], "given_name": "<script>"}
    counted = "SELECT (SELECT count(*) FROM users), (SELECT count(*) FROM web_sessions)"
    before = await pool.fetchrow(counted)
    back = await visitor.provider.consent(begun.headers["Location"])
    response = await visitor.get(back)
    page = await response.text()
    assert response.status == 200
    assert "a new one is created" in page
    assert "research" in page
    assert "superadmin" in page
    assert "&lt;script&gt;" in page
    assert "<script>" not in page
    assert not any(each.startswith("echomind_session") for each in response.cookies)
    assert await pool.fetchrow(counted) == before
    assert (await visitor.get(back)).status == 401
    # Whom a SCIM client of the provider maintains has an account already.
    client, maintained = await rows.scim_client(pool, issuer=visitor.provider.url), await new_user("user")
    subject = visitor.provider.person["sub"]
    await rows.scim_user(pool, user_id=maintained.user_id, client_id=client["id"], external_id=subject)
    begun = await visitor.get(address)
    page = await (await visitor.get(await visitor.provider.consent(begun.headers["Location"]))).text()
    assert f"{(await maintained.call('UserService/GetCurrentUser'))['userName']} signs in" in page
    # What fails is shown in detail.
    visitor.provider.claims = {"aud": "another"}
    begun = await visitor.get(address)
    page = await (await visitor.get(await visitor.provider.consent(begun.headers["Location"]))).text()
    assert "the ID token is refused" in page


async def log_out(visitor: Visitor, at: str, token: str) -> int:
    address = f"{visitor.client.http_url}/auth/oidc/{at}/backchannel-logout"
    async with visitor.client.session.post(address, data={"logout_token": token}) as response:
        assert response.headers["Cache-Control"] == "no-store"
        return response.status


async def test_a_provider_ends_sessions(visitor: Visitor, stored: dict[str, Any]) -> None:
    responses = {}
    for session in ("first", "second", "third"):
        visitor.provider.claims = {"sid": session}
        visitor.cookies = {}
        responses[session] = await visitor.sign_in(at=stored["name"])
    browsers = {session: browser_of(visitor.client, response) for session, response in responses.items()}
    token = visitor.provider.logout_token(sid="first", exp=None)
    assert await log_out(visitor, stored["name"], token) == 200
    with pytest.raises(UnauthenticatedError):
        await browsers["first"].call("UserService/GetCurrentUser", via="rest")
    await browsers["second"].call("UserService/GetCurrentUser", via="rest")
    assert await log_out(visitor, stored["name"], token) == 400  # used before
    assert await log_out(visitor, stored["name"], visitor.provider.logout_token(sub=None, sid="second")) == 200
    assert await log_out(visitor, stored["name"], visitor.provider.logout_token(sub="somebody else")) == 200
    await browsers["third"].call("UserService/GetCurrentUser", via="rest")
    assert await log_out(visitor, stored["name"], visitor.provider.logout_token()) == 200
    with pytest.raises(UnauthenticatedError):
        await browsers["third"].call("UserService/GetCurrentUser", via="rest")


LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://evil.example"},
        {"iss": None},
        {"aud": "another"},
        {"aud": None},
        {"iat": None},
        {"iat": 1},
        {"iat": 4_000_000_000},
        {"exp": 1},
        {"jti": None},
        {"jti": ""},
        {"jti": 7},
        {"sub": None},
        {"sub": 7},
        {"nonce": "x"},
        {"events": None},
        {"events": {}},
        {"events": [LOGOUT_EVENT]},
        {"events": {LOGOUT_EVENT: "yes"}},
    ],
    ids=str,
)
async def test_a_wrong_logout_token_ends_nothing(
    visitor: Visitor, stored: dict[str, Any], claims: dict[str, Any]
) -> None:
    response = await visitor.sign_in(at=stored["name"])
    assert await log_out(visitor, stored["name"], visitor.provider.logout_token(**claims)) == 400
    await visitor.me(response)


async def test_a_logout_token_needs_a_signature_of_the_provider(visitor: Visitor, stored: dict[str, Any]) -> None:
    provider = visitor.provider
    response = await visitor.sign_in(at=stored["name"])
    claims = {
        "iss": provider.url,
        "aud": CLIENT_ID,
        "iat": 2_000_000_000,
        "jti": "x",
        "sub": provider.person["sub"],
        "events": {LOGOUT_EVENT: {}},
    }
    for token in (provider.unsigned(claims), provider.with_public_key(claims), "of.no.use"):
        assert await log_out(visitor, stored["name"], token) == 400
    address = f"{visitor.client.http_url}/auth/oidc/{stored['name']}/backchannel-logout"
    async with visitor.client.session.post(address) as missing:
        assert missing.status in (400, 422)
    await visitor.me(response)
    async with visitor.client.session.post(address.replace(stored["name"], "nobody"), data={"logout_token": "x"}) as no:
        assert no.status == 404
