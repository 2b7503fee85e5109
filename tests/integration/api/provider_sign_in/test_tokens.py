"""Forged tokens and answers of a provider: each is refused and makes no account."""

import time
from typing import Any

import asyncpg
import pytest
from joserfc import jwt

from tests.drivers.openid_provider import CLIENT_ID, rsa_key
from tests.drivers.sign_in_refusals import refused
from tests.drivers.visitor import Visitor

NOW = int(time.time())


FORGED: dict[str, dict[str, Any]] = {
    "of another client": {"aud": "another"},
    "of another client, with our azp": {"aud": "another", "azp": CLIENT_ID},
    "for another party": {"azp": "another"},
    "for several parties without azp": {"aud": [CLIENT_ID, "another"]},
    "of another issuer": {"iss": "https://evil.example"},
    "without issuer": {"iss": None},
    "without subject": {"sub": None},
    "with an empty subject": {"sub": ""},
    "with a number as subject": {"sub": 1},
    "with a long subject": {"sub": "x" * 256},
    "with another nonce": {"nonce": "another"},
    "without nonce": {"nonce": None},
    "expired": {"exp": NOW - 60},
    "without end": {"exp": None},
    "with an end as text": {"exp": str(NOW + 300)},
    "issued a year ago": {"iat": NOW - 365 * 86_400},
    "issued in the future": {"iat": NOW + 3600},
    "without time": {"iat": None},
    "not valid yet": {"nbf": NOW + 3600},
    "for another access token": {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"},
}


@pytest.mark.parametrize("claims", FORGED.values(), ids=FORGED)
async def test_a_token_with_a_wrong_claim_is_refused(
    visitor: Visitor, pool: asyncpg.Pool, claims: dict[str, Any]
) -> None:
    visitor.provider.claims = claims
    await refused(visitor, pool, "does not prove who you are")


@pytest.mark.parametrize("how", ["unsigned", "public key as secret", "another's key", "another algorithm", "no JWT"])
async def test_a_token_with_a_wrong_signature_is_refused(visitor: Visitor, pool: asyncpg.Pool, how: str) -> None:
    provider = visitor.provider
    provider.forged = {
        "unsigned": provider.unsigned,
        "public key as secret": provider.with_public_key,
        "another's key": lambda claims: jwt.encode(
            {"alg": "RS256", "kid": "first"}, claims, rsa_key("of a forger"), algorithms=["RS256"]
        ),
        "another algorithm": lambda claims: provider.signed(claims, algorithm="RS384"),
        "no JWT": lambda _: "of.no.use",
    }[how]
    await refused(visitor, pool, "does not prove who you are")


async def test_an_answer_without_an_id_token_is_refused(visitor: Visitor, pool: asyncpg.Pool) -> None:
    visitor.provider.answer = {"id_token": None}
    await refused(visitor, pool, "does not prove who you are")


@pytest.mark.parametrize(
    "document", [{"issuer": "https://evil.example"}, {"issuer": None}, {"token_endpoint": "http://evil.example/token"}]
)
async def test_a_document_of_another_issuer_or_without_tls_is_refused(
    visitor: Visitor, document: dict[str, Any]
) -> None:
    visitor.provider.document = document
    response = await visitor.get(f"{visitor.client.http_url}/auth/oidc/main")
    assert response.status == 502
    assert "does not answer at present" in await response.text()


@pytest.mark.parametrize("address", ["http://169.254.169.254", "https://[::ffff:169.254.169.254]"])
async def test_no_request_goes_to_a_metadata_address(visitor: Visitor, address: str) -> None:
    visitor.provider.document = {"jwks_uri": f"{address}/keys", "authorization_response_iss_parameter_supported": False}
    back = visitor.provider.consent
    response = await visitor.get(f"{visitor.client.http_url}/auth/oidc/main")
    if response.status == 303:
        response = await visitor.get(await back(response.headers["Location"]))
    assert response.status == 502


@pytest.mark.parametrize("brings", [{"iss": "https://evil.example"}, {}])
async def test_an_answer_of_another_issuer_is_refused(
    visitor: Visitor, pool: asyncpg.Pool, brings: dict[str, str]
) -> None:
    visitor.provider.brings = brings
    visitor.provider.document = {"authorization_response_iss_parameter_supported": True}
    await refused(visitor, pool, "does not prove who you are")
    visitor.provider.brings = {"iss": visitor.provider.url}
    assert (await visitor.sign_in()).status == 200


async def test_a_rotated_key_is_read_and_unknown_ones_seldom(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = visitor.provider
    assert (await visitor.sign_in()).status == 200
    provider.kid = "second"
    assert (await visitor.sign_in()).status == 401  # the keys were read a moment ago
    assert (await visitor.sign_in()).status == 401
    assert provider.asked.count("/jwks") == 1
    monkeypatch.setattr("echomind_lib.identity.provider._AGAIN_SECONDS", 0.0)
    assert (await visitor.sign_in()).status == 200
    assert provider.asked.count("/jwks") == 2
