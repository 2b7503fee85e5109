"""Access tokens issued by vendors for stored credentials: cached until shortly before they expire, never stored.

A vendor's token endpoint accepts a form (RFC 6749); a `Grant` provides its fields.
"""

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Any, ClassVar, Final, TypeVar

import aiohttp
import msgspec
from typing_extensions import override

from echomind_ingestor.connectors.http_session import SourceSession
from echomind_ingestor.connectors.protocol import CredentialsRejectedError, SourceError, SourceUnavailableError
from echomind_lib.network.bodies import read_at_most
from echomind_lib.network.retry_after import retry_after
from echomind_lib.process.retries import RetryPolicy
from echomind_lib.text import single_line

RETRIES: Final = RetryPolicy(first=0.5, longest=10.0, attempts=4, seconds=60.0)
_EARLY = 300.0
"""Seconds before its expiry when a token is no longer used, or a tenth of its lifetime if that is less."""
_USUAL_LIFE = 3600.0
_LOOKS: Final = 4
_LOOK_SECONDS: Final = 0.25
"""Number and interval of looks for a refresh token stored by another process."""
_SECRETS: Final = ("refresh_token", "client_secret", "assertion")
"""Fields of a form that are never included in errors."""
_TRANSIENT_CODES = frozenset({"temporarily_unavailable", "server_error", "slow_down"})
_CLOCK_SECONDS: Final = 60.0
"""Clock difference above which dated requests may be rejected."""


T = TypeVar("T")


class TokenAnswer(msgspec.Struct, frozen=True):
    """The response of a token endpoint."""

    access_token: str
    expires_in: float = _USUAL_LIFE
    refresh_token: str = ""
    scope: str = ""


class _Refusal(msgspec.Struct, frozen=True):
    error: str = ""
    error_description: str = ""


class Grant(ABC):
    """The grant for an access token."""

    is_dated: ClassVar[bool] = False
    """Whether requests are signed with the time, so that they are rejected if this machine's clock is wrong."""

    @abstractmethod
    def form(self, now: float) -> dict[str, str]:
        """Returns the form for the token endpoint.

        Args:
            now: The server's time, in seconds since the epoch.
        """

    async def accept(self, answer: TokenAnswer) -> None:
        """Stores credentials that a response has replaced, if any."""
        del answer

    async def renew(self) -> bool:
        """Returns whether there are newer credentials than the rejected ones, and uses these from then on."""
        return False

    @abstractmethod
    def remedy(self, code: str) -> str:
        """Returns advice for users about an error code of the token endpoint, as a sentence."""


class RefreshToken(Grant):
    """A person's own access."""

    def __init__(
        self,
        *,
        refresh_token: str,
        client_id: str,
        client_secret: str,
        save: Callable[[str], Awaitable[None]],
        read_again: Callable[[], Awaitable[str]] | None = None,
        scopes: Sequence[str] = (),
    ) -> None:
        """Initializes the grant without a request.

        Args:
            refresh_token: Refresh token of the user's sign-in.
            client_id: The application to which it was issued.
            client_secret: Its secret.
            save: Stores the refresh token that replaces this one.
            read_again: Returns the refresh token that another process has stored since; empty for none.
            scopes: Requested scopes; empty to request all granted ones.
        """
        self._refresh_token = refresh_token
        self._client = {"client_id": client_id, "client_secret": client_secret}
        self._save = save
        self._read_again = read_again
        self._scope = {"scope": " ".join(scopes)} if scopes else {}

    @override
    def form(self, now: float) -> dict[str, str]:
        return {"grant_type": "refresh_token", "refresh_token": self._refresh_token, **self._client, **self._scope}

    @override
    async def accept(self, answer: TokenAnswer) -> None:
        if answer.refresh_token and answer.refresh_token != self._refresh_token:
            await self._save(answer.refresh_token)
            self._refresh_token = answer.refresh_token

    @override
    async def renew(self) -> bool:
        # The refresh token was used by another process, which stores its successor a moment later.
        for attempt in range(_LOOKS):
            if self._read_again is not None and (found := await self._read_again()) not in ("", self._refresh_token):
                self._refresh_token = found
                return True
            if attempt + 1 < _LOOKS:
                await asyncio.sleep(_LOOK_SECONDS)
        return False

    @override
    def remedy(self, code: str) -> str:
        if code in ("invalid_client", "unauthorized_client"):
            return "The OAuth application of this server is not accepted: an administrator checks its id and secret."
        return "The access was revoked or has expired: connect it again."


class ClientCredentials(Grant):
    """An application's own access."""

    def __init__(self, *, client_id: str, client_secret: str, scope: str) -> None:
        self._form = {
            "grant_type": "client_credentials",
            "client_id": client_id,
            "client_secret": client_secret,
            "scope": scope,
        }

    @override
    def form(self, now: float) -> dict[str, str]:
        return self._form

    @override
    def remedy(self, code: str) -> str:
        if code == "invalid_client":
            return "Check the application's secret: it expires, and a new one is made there."
        return "Check the application's id and its tenant."


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedAssertion(Grant):
    """The access of an application by a signed assertion (RFC 7523), possibly on behalf of a person.

    Attributes:
        issuer: The issuer.
        private_key: Its key, as PEM.
        key_id: ID of its key.
        audience: The audience of the assertion.
        scopes: Requested scopes.
        subject: User on whose behalf it acts; itself if empty.
        advice: Advice for users if it is rejected.
    """

    issuer: str
    private_key: str = field(repr=False)
    key_id: str
    audience: str
    scopes: Sequence[str]
    subject: str = ""
    advice: str
    is_dated: ClassVar[bool] = True

    @override
    def form(self, now: float) -> dict[str, str]:
        claims: dict[str, Any] = {"iss": self.issuer, "aud": self.audience, "scope": " ".join(self.scopes)}
        claims |= {"iat": int(now), "exp": int(now + _USUAL_LIFE)}
        if self.subject:
            claims["sub"] = self.subject
        assertion = _sign(claims, self.private_key, {"kid": self.key_id})
        return {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion}

    @override
    def remedy(self, code: str) -> str:
        return self.advice


class AccessTokens:
    """The access token of one grant."""

    def __init__(
        self, vendor: str, session: SourceSession, url: str, grant: Grant, *, retries: RetryPolicy | None = None
    ) -> None:
        """Initializes the object without a request.

        Args:
            vendor: Its name.
            session: The connections.
            url: The token endpoint, from the settings.
            grant: Grant for the tokens.
            retries: Policy for retries; `RETRIES` if None.
        """
        self._vendor = vendor
        self._session = session
        self._url = url
        self._grant = grant
        self._retries = retries or RETRIES
        self._lock = asyncio.Lock()
        self._token = ""
        self._valid_until = 0.0
        self._clock_ahead = 0.0
        """Seconds by which the vendor's clock is ahead of this machine's."""

    async def get(self) -> str:
        """Returns a token that remains valid for some time.

        Raises:
            CredentialsRejectedError: The vendor issues none for these credentials.
            SourceUnavailableError: The token endpoint does not respond.
        """
        async with self._lock:
            if time.monotonic() >= self._valid_until:
                try:
                    answer = await self._retries.call(self._request, _is_transient)
                except CredentialsRejectedError:
                    if not await self._grant.renew():
                        raise
                    answer = await self._retries.call(self._request, _is_transient)
                await self._grant.accept(answer)
                self._token = answer.access_token
                self._valid_until = time.monotonic() + answer.expires_in - min(_EARLY, answer.expires_in / 10)
            return self._token

    def discard(self, token: str) -> None:
        """Discards a token that was rejected."""
        if token == self._token:
            self._valid_until = 0.0

    async def _request(self) -> TokenAnswer:
        name, form = self._vendor, self._grant.form(time.time() + self._clock_ahead)
        try:
            async with self._session.http.post(
                self._url, data=form, headers={"Accept": "application/json"}, allow_redirects=False
            ) as response:
                body = await read_at_most(response, 256 * 1024) or b""
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            kind = type(error).__name__
            raise SourceUnavailableError(f"The sign-in at {name} cannot be reached ({kind}).") from None
        if response.status == 200 and (answer := _decode(body, TokenAnswer)) is not None:
            return answer
        if self._grant.is_dated and self._has_set_clock(response.headers):
            raise SourceUnavailableError(f"The clock of this machine differs from that of {name}: set it.")
        refusal = _decode(body, _Refusal) or _Refusal()
        if response.status in (400, 401, 403) and refusal.error and refusal.error not in _TRANSIENT_CODES:
            reason = f"{refusal.error}: {refusal.error_description}".rstrip(": ")
            for field_name in _SECRETS:
                if secret := form.get(field_name):
                    reason = reason.replace(secret, "***")
            reason = single_line(reason, 300)
            raise CredentialsRejectedError(
                f"{name} issues no access for these credentials ({reason}). {self._grant.remedy(refusal.error)}"
            )
        asked = retry_after(response.headers) or 0.0
        raise SourceUnavailableError(f"The sign-in at {name} failed (HTTP {response.status}).", retry_after=asked)

    def _has_set_clock(self, headers: Mapping[str, str]) -> bool:
        """Updates the clock difference from a response; returns whether it has changed."""
        try:
            ahead = parsedate_to_datetime(headers["Date"]).timestamp() - time.time()
        except (KeyError, ValueError):
            return False
        differs = abs(ahead - self._clock_ahead) > _CLOCK_SECONDS
        if differs:
            self._clock_ahead = ahead
        return differs


def _is_transient(error: BaseException) -> bool:
    return isinstance(error, SourceUnavailableError)


def _decode(body: bytes, type_: type[T]) -> T | None:
    """Returns a decoded body; None if it is not of this type."""
    try:
        return msgspec.json.decode(body, type=type_)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _sign(claims: dict[str, Any], private_key: str, headers: dict[str, str]) -> str:
    """Returns a JWT signed with RS256.

    Raises:
        SourceError: The private key cannot be read.
    """
    import jwt  # slow to import, and most sources sign nothing

    try:
        return jwt.encode(claims, _read_key(private_key), algorithm="RS256", headers=headers)
    except (ValueError, TypeError, jwt.PyJWTError):
        raise SourceError("The private key of the credentials cannot be read: paste the whole key again.") from None


@lru_cache(maxsize=8)  # reading checks the primes, and each person of an organization has tokens of their own
def _read_key(private_key: str) -> Any:
    from jwt.algorithms import RSAAlgorithm

    return RSAAlgorithm(RSAAlgorithm.SHA256).prepare_key(private_key)
