"""Access tokens: when they are requested, the requests, and errors."""

import asyncio
import time
from email.utils import formatdate

import jwt
import pytest
from aiohttp import web
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from echomind_ingestor.connectors.http_session import SourceSession
from echomind_ingestor.connectors.protocol import CredentialsRejectedError, SourceError, SourceUnavailableError
from echomind_ingestor.connectors.tokens import RefreshToken, SignedAssertion
from tests.drivers.vendor import ScriptedVendor

Acme = tuple[ScriptedVendor, SourceSession]


@pytest.fixture(scope="module")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def written(key: rsa.RSAPrivateKey) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()


def refusal(error: str, status: int = 400) -> web.Response:
    return web.json_response({"error": error, "error_description": "Because."}, status=status)


async def test_many_askers_share_one_token(acme: Acme) -> None:
    vendor, session = acme
    tokens = vendor.tokens(session)
    assert set(await asyncio.gather(*(tokens.get() for _ in range(10)))) == {"token-1"}
    assert len(vendor.forms) == 1
    tokens.discard("another")
    assert await tokens.get() == "token-1"


async def test_a_token_is_replaced_before_it_expires(acme: Acme) -> None:
    vendor, session = acme
    vendor.token_answers = [web.json_response({"access_token": "short", "expires_in": 0})]
    tokens = vendor.tokens(session)
    assert await tokens.get() == "short"
    assert await tokens.get() == "token-2"


async def test_a_refresh_token_that_is_replaced_is_stored_and_used(acme: Acme) -> None:
    vendor, session = acme
    saved: list[str] = []

    async def save(token: str) -> None:
        saved.append(token)

    grant = RefreshToken(refresh_token="first", client_id="app", client_secret="s3cret", save=save, scopes=["a", "b"])
    vendor.token_answers = [
        web.json_response({"access_token": "x", "expires_in": 0, "refresh_token": "second"}),
        web.json_response({"access_token": "y", "refresh_token": "second"}),
    ]
    tokens = vendor.tokens(session, grant)
    assert [await tokens.get(), await tokens.get()] == ["x", "y"]
    assert [form["refresh_token"] for form in vendor.forms] == ["first", "second"]
    assert vendor.forms[0]["scope"] == "a b"
    assert saved == ["second"]


@pytest.mark.parametrize("error", ["invalid_grant", "invalid_client"])
async def test_revoked_credentials_are_rejected_without_being_repeated(acme: Acme, error: str) -> None:
    vendor, session = acme

    async def save(_token: str) -> None:
        raise AssertionError("saved")

    grant = RefreshToken(refresh_token="r3fresh", client_id="app", client_secret="s3cret", save=save)
    said = "Because r3fresh of s3cret."
    vendor.token_answers = [web.json_response({"error": error, "error_description": said}, status=400)]
    with pytest.raises(CredentialsRejectedError, match=rf"{error}: Because \*\*\* of \*\*\*\.") as caught:
        await vendor.tokens(session, grant).get()
    assert "r3fresh" not in caught.value.message
    assert "s3cret" not in caught.value.message
    assert len(vendor.forms) == 1


async def test_a_token_endpoint_that_fails_is_tried_again(acme: Acme) -> None:
    vendor, session = acme
    vendor.token_answers = [web.Response(status=500), refusal("temporarily_unavailable"), web.Response(text="<html>")]
    assert await vendor.tokens(session).get() == "token-4"
    vendor.token_answers = [web.Response(status=500) for _ in range(4)]
    with pytest.raises(SourceUnavailableError):
        await vendor.tokens(session).get()


def assertion(private_key: str) -> SignedAssertion:
    return SignedAssertion(
        issuer="robot@project.test",
        private_key=private_key,
        key_id="k1",
        audience="https://oauth2.googleapis.com/token",
        scopes=["a", "b"],
        subject="ann@example.org",
        advice="Delegate these scopes.",
    )


async def test_an_assertion_is_signed_for_a_person(acme: Acme, key: rsa.RSAPrivateKey) -> None:
    vendor, session = acme
    grant = assertion(written(key))
    assert written(key) not in repr(grant)
    await vendor.tokens(session, grant).get()
    (form,) = vendor.forms
    claims = jwt.decode(
        form["assertion"], key.public_key(), algorithms=["RS256"], audience="https://oauth2.googleapis.com/token"
    )
    assert (claims["iss"], claims["sub"], claims["scope"]) == ("robot@project.test", "ann@example.org", "a b")
    assert claims["exp"] - claims["iat"] == 3600
    vendor.token_answers = [refusal("unauthorized_client")]
    with pytest.raises(CredentialsRejectedError, match="Delegate these scopes"):
        await vendor.tokens(session, grant).get()


@pytest.mark.parametrize("ahead", [-600, 600])
async def test_an_assertion_is_dated_by_the_clock_of_the_vendor(acme: Acme, key: rsa.RSAPrivateKey, ahead: int) -> None:
    vendor, session = acme
    there = time.time() + ahead

    def issue(form: dict[str, str]) -> web.Response:
        issued = jwt.decode(form["assertion"], options={"verify_signature": False})["iat"]
        answer = refusal("invalid_grant") if abs(issued - there) > 60 else web.json_response({"access_token": "x"})
        answer.headers["Date"] = formatdate(there, usegmt=True)
        return answer

    vendor.issue = issue
    tokens = vendor.tokens(session, assertion(written(key)))
    assert await tokens.get() == "x"
    tokens.discard("x")
    assert await tokens.get() == "x"
    assert len(vendor.forms) == 3, "once with the wrong time, and never again"


async def test_a_private_key_that_cannot_be_read_is_not_repeated(acme: Acme) -> None:
    vendor, session = acme
    with pytest.raises(SourceError, match="private key") as caught:
        await vendor.tokens(session, assertion("-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----")).get()
    assert "abc" not in caught.value.message
