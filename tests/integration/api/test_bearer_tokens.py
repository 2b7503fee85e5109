"""Bearer tokens of providers over both transports: whose they are, what they may do, and every forgery, refused."""

import time
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
import pytest_asyncio
from joserfc import jwt
from pydantic import SecretStr

from echomind_api.main import Gateway
from echomind_lib.config import Settings
from echomind_lib.config.providers import ProviderSettings
from echomind_lib.errors import DependencyUnavailableError, PermissionDeniedError, UnauthenticatedError
from tests.drivers.client import Client, Transport
from tests.drivers.openid_provider import CLIENT_ID, CLIENT_SECRET, OpenIdProvider, openid_provider, rsa_key
from tests.drivers.visitor import Visitor
from tests.factories.world import name

AUDIENCE = "the API of the tests"
NOW = int(time.time())
FORGED: dict[str, dict[str, Any]] = {
    "an ID token": {"aud": CLIENT_ID},
    "an ID token for both": {"aud": [CLIENT_ID, AUDIENCE], "nonce": "x"},
    "a logout token": {"events": {}},
    "of another audience": {"aud": "another"},
    "of another audience, with our azp": {"aud": "another", "azp": AUDIENCE},
    "without audience": {"aud": None},
    "without subject": {"sub": None},
    "with an empty subject": {"sub": ""},
    "with a number as subject": {"sub": 1},
    "expired": {"exp": NOW - 60},
    "without end": {"exp": None},
    "with an end as text": {"exp": str(NOW + 300)},
    "issued a year ago": {"iat": NOW - 365 * 86_400},
    "issued in the future": {"iat": NOW + 3600},
    "without time": {"iat": None},
    "not valid yet": {"nbf": NOW + 3600},
    "of another issuer": {"iss": "https://evil.example"},
    "without issuer": {"iss": None},
    "with a number as issuer": {"iss": 7},
    "of somebody without an account": {"sub": "nobody"},
}


@pytest_asyncio.fixture(loop_scope="session")
async def openid() -> AsyncIterator[OpenIdProvider]:
    async with openid_provider() as provider:
        provider.person |= {"sub": name(), "email": f"{name()}@example.org", "preferred_username": name()}
        yield provider


@pytest_asyncio.fixture(loop_scope="session")
async def person(
    openid: OpenIdProvider,
    anonymous: Client,
    gateway: Gateway,
    api_settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> dict[str, Any]:
    """Somebody who has signed in at the provider."""
    settings = ProviderSettings(
        issuer=openid.url,
        client_id=CLIENT_ID,
        client_secret=SecretStr(CLIENT_SECRET),
        audience=AUDIENCE,
        roles={"p-top": "superadmin"},
    )
    monkeypatch.setitem(api_settings.auth.providers, "bearer", settings)
    openid.person["groups"] = ["p-top"]
    visitor = Visitor(anonymous, openid)
    return await visitor.me(await visitor.sign_in(at="bearer"))


async def whoami(client: Client, token: str, via: Transport) -> Any:
    return (await client.as_(token, 0).call("UserService/GetCurrentUser", {}, via))["id"]


@pytest.mark.parametrize("via", ["rest", "grpc"])
async def test_a_token_opens_the_account_of_its_person(
    anonymous: Client, openid: OpenIdProvider, person: dict[str, Any], via: Transport
) -> None:
    token = openid.access_token(AUDIENCE)
    assert await whoami(anonymous, token, via) == person["id"]
    assert await whoami(anonymous, openid.access_token(AUDIENCE, aud=["other", AUDIENCE]), via) == person["id"]
    client = anonymous.as_(token, 0)
    # It does not have the scope `administer`, whatever the role.
    with pytest.raises(PermissionDeniedError, match="administer"):
        await client.call("UserService/CreateUser", {"user": {"userName": name(), "email": "a@example.org"}}, via)
    with pytest.raises(PermissionDeniedError):
        await client.call("AuthService/CreateSignInLink", {}, via)
    # What it creates ends with it.
    with pytest.raises(Exception, match="no later than"):
        await client.call("ApiKeyService/CreateApiKey", {"name": name()}, via)


@pytest.mark.parametrize("via", ["rest", "grpc"])
async def test_a_deactivated_person_is_out(
    anonymous: Client,
    openid: OpenIdProvider,
    person: dict[str, Any],
    owner: Client,
    pool: asyncpg.Pool,
    via: Transport,
) -> None:
    token = openid.access_token(AUDIENCE)
    assert await whoami(anonymous, token, via) == person["id"]
    # A superadmin who can sign in must remain; the owner has links alone.
    await pool.execute("UPDATE users SET roles = '{user}' WHERE id = $1", person["id"])
    change = {"id": person["id"], "user": {"isActive": False}, "updateMask": "isActive"}
    await owner.call("UserService/UpdateUser", change, via)
    with pytest.raises(UnauthenticatedError, match="no active account"):
        await whoami(anonymous, token, via)


@pytest.mark.parametrize("via", ["rest", "grpc"])
@pytest.mark.parametrize("claims", FORGED.values(), ids=FORGED)
async def test_a_token_with_a_wrong_claim_is_refused(
    anonymous: Client, openid: OpenIdProvider, person: dict[str, Any], claims: dict[str, Any], via: Transport
) -> None:
    with pytest.raises(UnauthenticatedError):
        await whoami(anonymous, openid.access_token(AUDIENCE, **claims), via)


@pytest.mark.parametrize("via", ["rest", "grpc"])
async def test_a_token_with_a_wrong_signature_is_refused(
    anonymous: Client, openid: OpenIdProvider, person: dict[str, Any], via: Transport
) -> None:
    claims = {"iss": openid.url, "aud": AUDIENCE, "iat": NOW, "exp": NOW + 300, "sub": openid.person["sub"]}
    forged = jwt.encode({"alg": "RS256", "kid": "first"}, claims, rsa_key("of a forger"), algorithms=["RS256"])
    tokens = [
        openid.unsigned(claims),
        openid.with_public_key(claims),
        forged,
        openid.signed(claims, algorithm="RS384"),
        "eyJ.eyJ.x",
        "eyJhbGciOiJSUzI1NiJ9.W10.x",
    ]
    for token in tokens:
        with pytest.raises(UnauthenticatedError):
            await whoami(anonymous, token, via)
    assert openid.asked.count("/jwks") <= 1  # unknown keys cause no further readings


async def test_a_provider_without_an_audience_accepts_no_token(
    anonymous: Client,
    openid: OpenIdProvider,
    person: dict[str, Any],
    api_settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = api_settings.auth.providers["bearer"].model_copy(update={"audience": ""})
    monkeypatch.setitem(api_settings.auth.providers, "bearer", settings)
    for audience in ("", AUDIENCE, CLIENT_ID):
        with pytest.raises(UnauthenticatedError):
            await whoami(anonymous, openid.access_token(audience), "rest")


async def test_a_token_is_never_taken_from_an_address(
    anonymous: Client, openid: OpenIdProvider, person: dict[str, Any]
) -> None:
    token = openid.access_token(AUDIENCE)
    for parameter in ("access_token", "token", "authorization", "auth_token", "bearer"):
        address = f"{anonymous.http_url}/api/v1/users/me?{parameter}={token}"
        async with anonymous.session.get(address) as response:
            assert response.status in (400, 401)
    async with anonymous.session.get(f"{anonymous.http_url}/api/v1/users/me", headers={"X-API-Key": token}) as response:
        assert response.status == 401


async def test_a_provider_that_is_down_is_no_wrong_token(
    anonymous: Client, openid: OpenIdProvider, person: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("echomind_lib.identity.provider._FRESH_SECONDS", 0.0)
    openid.document = {"jwks_uri": f"{openid.url}/nowhere"}
    with pytest.raises(DependencyUnavailableError):
        await whoami(anonymous, openid.access_token(AUDIENCE), "rest")


def test_an_audience_is_not_the_client_id() -> None:
    with pytest.raises(ValueError, match="must differ from the client id"):
        ProviderSettings(issuer="https://id.example.org", client_id="echomind", audience="echomind")
