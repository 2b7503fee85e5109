"""An OpenID provider, by the authorization code flow with PKCE.

Authlib makes the authorization address and exchanges the code; joserfc checks every token (`id_tokens.py`).
"""

import asyncio
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, TypeVar
from urllib.parse import urlencode

import httpx2
import msgspec
import structlog
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.httpx_client import AsyncOAuth2Client
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from echomind_lib.config.providers import ProviderSettings
from echomind_lib.identity.failures import Failure, SignInFailedError
from echomind_lib.identity.id_tokens import (
    Logout,
    UnknownKeyError,
    check_bearer_token,
    check_id_token,
    check_logout_token,
    not_proven,
    read_claims,
)
from echomind_lib.identity.profiles import has_groups
from echomind_lib.identity.requests import TIMEOUT_SECONDS, CheckedTransport, is_safe

_FRESH_SECONDS: Final = 900.0
"""How long the provider's document and keys are used before they are read again."""
_AGAIN_SECONDS: Final = 30.0
"""Least time between two readings of the keys for tokens whose key is unknown."""
_FAILED_SECONDS: Final = 5.0
"""How long a provider that did not answer is not asked again, so that people do not wait behind each other."""
_KEY_TYPES: Final = frozenset({"RSA", "EC", "OKP"})

T = TypeVar("T")

log = structlog.get_logger(__name__)


class Document(msgspec.Struct, frozen=True):
    """The part of a discovery document that is used: https://openid.net/specs/openid-connect-discovery-1_0.html."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str = ""
    end_session_endpoint: str = ""
    authorization_response_iss_parameter_supported: bool = False


class _Keys(msgspec.Struct, frozen=True):
    keys: list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a browser brings back from a provider, whose state was checked."""

    code: str
    error: str
    issuer: str
    """The parameter `iss` (RFC 9207)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """A person who has signed in at the provider."""

    claims: dict[str, Any]
    """Checked claims of the ID token, with those of the userinfo endpoint."""
    provider_session: str | None
    """The session at the provider (`sid`), if it says so."""
    authenticated_at: datetime | None
    """When they last proved who they are, if the provider says so."""


class Provider:
    """One provider. Safe for concurrent use in one event loop."""

    def __init__(self, name: str, settings: ProviderSettings) -> None:
        """Reads nothing yet.

        Args:
            name: Its name in the settings.
            settings: Its settings.
        """
        self.name = name
        self.settings = settings
        self._transport = CheckedTransport()
        self._reading = asyncio.Lock()
        self._document: Document | None = None
        self._document_time = 0.0
        self._failure: SignInFailedError | None = None
        self._keys = KeySet([])
        self._keys_time = 0.0

    @property
    def title(self) -> str:
        """What people know it by."""
        return self.settings.title or self.name

    async def authorization_url(self, redirect_uri: str, state: str, nonce: str, verifier: str) -> str:
        """Returns where a browser begins to sign in.

        Args:
            redirect_uri: Where it comes back.
            state: What it brings back.
            nonce: What the ID token must contain.
            verifier: PKCE's verifier.

        Raises:
            SignInFailedError: The provider does not answer.
        """
        document = await self._read_document()
        url, _ = self._client(redirect_uri).create_authorization_url(
            document.authorization_endpoint, state=state, code_verifier=verifier, nonce=nonce
        )
        return str(url)

    async def complete(self, answer: Answer, redirect_uri: str, nonce: str, verifier: str) -> SignedIn:
        """Exchanges a code and returns who has signed in.

        Raises:
            SignInFailedError: The sign-in was declined, proves nothing, or the provider does not answer.
        """
        document = await self._read_document()
        expected = document.authorization_response_iss_parameter_supported
        if (answer.issuer or expected) and answer.issuer != self.settings.issuer:
            raise not_proven(f"the answer is of the issuer {answer.issuer!r}")
        if answer.error or not answer.code:
            raise SignInFailedError(Failure.NOT_GRANTED, f"the provider answers {answer.error or 'without a code'!r}")
        token = await self._exchange(document, answer.code, redirect_uri, verifier)
        id_token, access_token = token.get("id_token"), token.get("access_token") or ""
        if not isinstance(id_token, str) or not isinstance(access_token, str):
            raise not_proven("the answer has no ID token")
        claims, algorithm = await self.verified(id_token)
        check_id_token(
            claims,
            algorithm,
            issuer=self.settings.issuer,
            client_id=self.settings.client_id,
            nonce=nonce,
            access_token=access_token,
        )
        if document.userinfo_endpoint and access_token and self._lacks(claims):
            claims = await self._userinfo(document.userinfo_endpoint, access_token, claims["sub"]) | claims
        authenticated = claims.get("auth_time")
        return SignedIn(
            claims=claims,
            provider_session=claims["sid"] if isinstance(claims.get("sid"), str) and claims["sid"] else None,
            authenticated_at=_past(authenticated) if isinstance(authenticated, int | float) else None,
        )

    async def sign_out_url(self, return_to: str) -> str:
        """Returns where a browser signs out at the provider; empty if it has no such page, or does not answer.

        Args:
            return_to: Where the browser comes back.
        """
        try:
            document = await self._read_document()
        except SignInFailedError as error:
            log.warning("the provider's page to sign out is unknown", provider=self.name, error=str(error))
            return ""
        if not document.end_session_endpoint:
            return ""
        query = urlencode({"client_id": self.settings.client_id, "post_logout_redirect_uri": return_to})
        separator = "&" if "?" in document.end_session_endpoint else "?"
        return f"{document.end_session_endpoint}{separator}{query}"

    async def check(self) -> str:
        """Reads the provider's document and keys, and returns where people sign in.

        Raises:
            SignInFailedError: The provider does not answer, or not as it should.
        """
        document = await self._read_document()
        if not (await self._read_keys(0.0)).keys:
            raise _unavailable("its keys", ValueError("there are none"))
        return document.authorization_endpoint

    async def verified_logout(self, token: str) -> Logout:
        """Returns whose sessions a logout token of the provider ends.

        Raises:
            SignInFailedError: It is not the provider's, or not valid.
        """
        claims, _ = await self.verified(token)
        return check_logout_token(claims, issuer=self.settings.issuer, client_id=self.settings.client_id)

    async def verified_bearer(self, token: str) -> dict[str, Any]:
        """Returns the claims of an access token of the provider for the configured audience.

        Raises:
            SignInFailedError: It is not the provider's, or not valid.
        """
        claims, _ = await self.verified(token)
        check_bearer_token(claims, issuer=self.settings.issuer, audience=self.settings.audience)
        return claims

    async def verified(self, token: str) -> tuple[dict[str, Any], str]:
        """Returns the claims of a token that the provider has signed, and its algorithm; they are not checked.

        Raises:
            SignInFailedError: It is not signed by the provider, or its keys cannot be read.
        """
        algorithms = self.settings.accepted_algorithms
        for oldest in (_FRESH_SECONDS, _AGAIN_SECONDS):
            try:
                return read_claims(token, await self._read_keys(oldest), algorithms)
            except UnknownKeyError as error:
                cause = error
        raise not_proven(f"the token's signature is not the provider's: {cause}") from cause

    def _client(self, redirect_uri: str) -> AsyncOAuth2Client:
        secret = self.settings.client_secret.get_secret_value()
        return AsyncOAuth2Client(
            self.settings.client_id,
            secret or None,
            token_endpoint_auth_method="client_secret_basic" if secret else "none",
            scope=self.settings.scopes,
            redirect_uri=redirect_uri,
            code_challenge_method="S256",
            transport=self._transport,
            timeout=TIMEOUT_SECONDS,
            follow_redirects=False,
            trust_env=False,
        )

    async def _exchange(self, document: Document, code: str, redirect_uri: str, verifier: str) -> dict[str, Any]:
        client = self._client(redirect_uri)
        try:
            token: dict[str, Any] = await client.fetch_token(
                document.token_endpoint, grant_type="authorization_code", code=code, code_verifier=verifier
            )
        except AuthlibBaseError as error:
            raise SignInFailedError(Failure.NOT_PROVEN, f"the provider refuses the code: {error.error}") from error
        except (httpx2.HTTPError, ValueError, UnicodeError) as error:
            raise _unavailable("its tokens", error) from error
        return token

    async def _userinfo(self, url: str, access_token: str, subject: str) -> dict[str, Any]:
        found = await self._get(url, dict[str, Any], {"Authorization": f"Bearer {access_token}"})
        if found.get("sub") != subject:
            raise not_proven("the userinfo endpoint answers about somebody else (sub)")
        return found

    def _lacks(self, claims: dict[str, Any]) -> bool:
        """Returns whether claims lack something that the userinfo endpoint may have."""
        settings = self.settings
        needs_groups = (settings.groups or settings.roles) and not has_groups(claims, settings)
        return bool(needs_groups or not {"email", "email_verified", "name", "preferred_username"} <= claims.keys())

    async def _read_document(self) -> Document:
        async with self._reading:
            if self._document and time.monotonic() - self._document_time < _FRESH_SECONDS:
                return self._document
            if self._failure and time.monotonic() - self._document_time < _FAILED_SECONDS:
                raise self._failure
            try:
                document = await self._get(
                    self.settings.issuer.rstrip("/") + "/.well-known/openid-configuration", Document
                )
                self._check(document)
            except SignInFailedError as error:
                if self._document is None:
                    self._failure, self._document_time = error, time.monotonic()
                    raise
                log.warning("the provider's document was not read again", provider=self.name, error=str(error))
                document = self._document
            self._document, self._document_time, self._failure = document, time.monotonic(), None
            return document

    def _check(self, document: Document) -> None:
        if document.issuer != self.settings.issuer:
            raise _unavailable("its document", ValueError(f"its issuer is {document.issuer!r}"))
        for address in (document.authorization_endpoint, document.token_endpoint, document.jwks_uri):
            if not is_safe(address):
                raise _unavailable("its document", ValueError(f"{address!r} has no TLS"))
        for address in filter(None, (document.userinfo_endpoint, document.end_session_endpoint)):
            if not is_safe(address):
                raise _unavailable("its document", ValueError(f"{address!r} has no TLS"))

    async def _read_keys(self, oldest: float) -> KeySet:
        """Returns the provider's keys, read again if they are older than `oldest` seconds."""
        document = await self._read_document()
        async with self._reading:
            if self._keys.keys and time.monotonic() - self._keys_time < oldest:
                return self._keys
            try:
                found = await self._get(document.jwks_uri, _Keys)
                keys = KeySet.import_key_set(
                    {"keys": [key for key in found.keys if key.get("kty") in _KEY_TYPES and key.get("use") != "enc"]}
                )
            except (JoseError, ValueError, TypeError) as error:
                raise _unavailable("its keys", error) from error
            self._keys, self._keys_time = keys, time.monotonic()
            return keys

    async def _get(self, url: str, kind: type[T], headers: dict[str, str] | None = None) -> T:
        asked = {"Accept": "application/json", "Accept-Encoding": "identity", **(headers or {})}
        async with httpx2.AsyncClient(
            transport=self._transport, timeout=TIMEOUT_SECONDS, follow_redirects=False, trust_env=False
        ) as client:
            try:
                response = await client.get(url, headers=asked)
                if response.status_code != 200:
                    raise _unavailable(url, ValueError(f"HTTP {response.status_code}"))
                return msgspec.json.decode(response.content, type=kind)
            except (httpx2.HTTPError, httpx2.InvalidURL, msgspec.DecodeError, UnicodeError) as error:
                raise _unavailable(url, error) from error


def _past(seconds: float) -> datetime:
    """Returns a time of the provider's clock that is not in the future."""
    return datetime.fromtimestamp(max(0.0, min(seconds, time.time())), UTC)


def _unavailable(what: str, error: Exception) -> SignInFailedError:
    return SignInFailedError(Failure.UNAVAILABLE, f"{what}: {error!r}")
