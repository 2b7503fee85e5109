"""Sign-ins at OpenID providers: begun in a browser, completed once in the same one.

State, nonce and PKCE's verifier are made here for each sign-in and kept in the database, so any replica completes it.
The row is deleted when the browser comes back, whatever the result, so nothing is accepted twice.
"""

import hmac
import re
import secrets as random
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import structlog
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from sqlalchemy import delete, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.auth import tokens
from echomind_api.auth.credentials import Credential
from echomind_api.auth.failures import FailedCredentials
from echomind_api.auth.identity_providers import IdentityProviders
from echomind_api.auth.principals import Principals
from echomind_api.auth.provider_accounts import AccountExistsError, account_of
from echomind_api.auth.provider_tests import TestedSignIn, meaning_of
from echomind_api.auth.sessions import ATTEMPT_LIFETIME, PROVIDER_SESSION_LIFETIME, Browser, new_session
from echomind_api.auth.superadmins import Superadmins
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import UnauthenticatedError
from echomind_lib.identity.failures import Failure, SignInFailedError
from echomind_lib.secrets import Secrets

if TYPE_CHECKING:
    from echomind_lib.identity.provider import Answer, Provider, SignedIn

_ACTION: Final = "Sign-in/Provider"
_TRIES: Final = 3
_PATH: Final = re.compile(r"/(?![/\\])[^\\\x00-\x1f\x7f]{0,2000}")
"""A path of this server: browsers read `//` and `/\\` as the beginning of another one's address."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Begun:
    """A sign-in that has begun."""

    url: str = field(repr=False)
    """The provider's address for the browser."""
    browser: str = field(repr=False)
    """The token for the browser's cookie."""


@dataclass(frozen=True, slots=True)
class Completed:
    """A browser that is signed in."""

    session: str = field(repr=False)
    """The session's token, for the cookie."""
    return_path: str


class Connection(BaseModel):
    """A provider that people sign in at, and an account."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True)

    name: str = Field(description="The provider's name.")
    title: str = Field(description="What people know the provider by.")
    is_connected: bool = Field(description="Whether somebody at the provider opens the account.")


class ProviderSignIns:
    """Begins and completes sign-ins at providers."""

    def __init__(
        self,
        database: Database,
        secrets: Secrets,
        principals: Principals,
        failures: FailedCredentials,
        providers: IdentityProviders,
        superadmins: Superadmins,
    ) -> None:
        self._database = database
        self._secrets = secrets
        self._principals = principals
        self._failures = failures
        self._providers = providers
        self._superadmins = superadmins

    async def begin(
        self,
        name: str,
        redirect_uri: str,
        return_path: str,
        present_session: int | None,
        address: str,
        *,
        is_test: bool = False,
        is_connection: bool = False,
    ) -> Begun:
        """Begins a sign-in.

        Args:
            name: The provider's name.
            redirect_uri: Where the provider sends the browser back.
            return_path: Where the browser goes afterwards: a path of this server; anything else means its first page.
            present_session: Web session of the browser, which ends when the sign-in is completed.
            address: IP address of the browser.
            is_test: Whether nobody is signed in, and the result is shown; the caller checks that it may be.
            is_connection: Whether the person at the provider is connected to the account of the present session.

        Raises:
            NotFoundError: There is no such provider.
            UnauthenticatedError: A connection has no present session.
            PermissionDeniedError: The session that begins a connection was not signed in a moment ago.
            SignInFailedError: The provider does not answer.
            OverloadedError: The address has begun too many.
        """
        provider = await self._providers.get(name, even_inactive=is_test)
        self._failures.begin(address)
        state, browser = tokens.new_token(), tokens.new_token()
        nonce, verifier = random.token_urlsafe(32), random.token_urlsafe(64)
        url = await provider.authorization_url(redirect_uri, state.text, nonce, verifier)
        async with self._database.session() as session:
            await session.execute(delete(rows.SignInAttempt).where(rows.SignInAttempt.expires_at < func.now()))
            present = None
            if present_session is not None:  # it may have ended meanwhile
                lock = {"read": True, "key_share": True}
                present = await session.get(rows.WebSession, present_session, with_for_update=lock)
            if is_connection:
                if present is None:
                    raise UnauthenticatedError("Sign in to the account that you want to connect.")
                Credential(authenticated_at=present.authenticated_at).require_recent("Connecting your account")
            session.add(
                rows.SignInAttempt(
                    provider=name,
                    state_hash=state.sha256,
                    browser_hash=browser.sha256,
                    nonce=nonce,
                    encrypted_verifier=self._secrets.encrypt(verifier),
                    redirect_uri=redirect_uri,
                    return_path=return_path if _PATH.fullmatch(return_path) else "/",
                    web_session_id=present.id if present is not None else None,
                    is_test=is_test,
                    is_connection=is_connection,
                    expires_at=datetime.now(UTC) + ATTEMPT_LIFETIME,
                )
            )
        return Begun(url, browser.text)

    async def connections(self, user_id: int) -> list[Connection]:
        """Returns the active providers, and which of them open an account."""
        titles, names = await self._providers.titles(), await self._providers.names_by_issuer()
        async with self._database.session() as session:
            issuers = await session.scalars(
                select(rows.UserIdentity.issuer).where(rows.UserIdentity.user_id == user_id)
            )
            connected = {names.get(issuer) for issuer in issuers}
        return [Connection(name=name, title=title, is_connected=name in connected) for name, title in titles.items()]

    async def complete(
        self, name: str, state: str, answer: "Answer", cookie: str, browser: Browser
    ) -> Completed | TestedSignIn:
        """Completes a sign-in and begins a web session, unless it is a test.

        Args:
            name: The provider that sent the browser back.
            state: What it has brought back.
            answer: The provider's answer.
            cookie: Token of the browser's cookie; empty if it has none.
            browser: Request of the browser.

        Raises:
            NotFoundError: There is no such provider.
            SignInFailedError: The sign-in failed.
            OverloadedError: The address has had too many failures.
        """
        provider = await self._providers.get(name, even_inactive=True)
        with self._failures.sign_in(browser.address):
            attempt = await self._take(name, state, cookie)
            if attempt.is_test:
                return await self._test(provider, attempt, answer)
            provider = await self._providers.get(name)
            signed_in = await self._answered(provider, attempt, answer)
            try:
                session = await self._sign_in(provider, signed_in, attempt, browser)
            except SignInFailedError as error:
                await self._note_refused(name, signed_in, error)
                raise
        return Completed(session, attempt.return_path)

    async def _answered(self, provider: "Provider", attempt: rows.SignInAttempt, answer: "Answer") -> "SignedIn":
        verifier = self._secrets.decrypt(attempt.encrypted_verifier)
        return await provider.complete(answer, attempt.redirect_uri, attempt.nonce, verifier)

    async def _test(self, provider: "Provider", attempt: rows.SignInAttempt, answer: "Answer") -> TestedSignIn:
        from echomind_lib.identity.profiles import read_profile

        claims: dict[str, Any] = {}
        try:
            claims = (await self._answered(provider, attempt, answer)).claims
            profile = read_profile(claims, provider.settings)
        except SignInFailedError as error:
            return TestedSignIn(failure=error.failure, detail=str(error), claims=claims)
        async with self._database.session() as session:
            return TestedSignIn(claims=claims, meaning=await meaning_of(session, provider.settings, profile))

    async def sign_out_url(self, issuer: str, return_to: str) -> str:
        """Returns where a browser signs out at the provider of a session that has ended; empty if nowhere.

        Args:
            issuer: The issuer of its identity.
            return_to: Where the browser comes back.
        """
        provider = await self._providers.of_issuer(issuer)
        return await provider.sign_out_url(return_to) if provider is not None else ""

    async def title(self, name: str) -> str:
        """Returns what people know a provider by."""
        return (await self._providers.get(name, even_inactive=True)).title

    async def _take(self, name: str, state: str, cookie: str) -> rows.SignInAttempt:
        async with self._database.session() as session:
            attempt: rows.SignInAttempt | None = await session.scalar(
                delete(rows.SignInAttempt)
                .where(rows.SignInAttempt.state_hash == tokens.digest(state))
                .returning(rows.SignInAttempt)
            )
        if attempt is None or attempt.expires_at < datetime.now(UTC):
            raise SignInFailedError(Failure.ATTEMPT_OVER, "the state is unknown, used or expired")
        if attempt.provider != name:
            raise SignInFailedError(Failure.ATTEMPT_OVER, "the state is of another provider")
        if not hmac.compare_digest(attempt.browser_hash, tokens.digest(cookie)):
            raise SignInFailedError(Failure.ATTEMPT_OVER, "the state is of another browser")
        return attempt

    async def _sign_in(
        self, provider: "Provider", signed_in: "SignedIn", attempt: rows.SignInAttempt, browser: Browser
    ) -> str:
        for number in range(_TRIES):
            try:
                return await self._begin_session(provider, signed_in, attempt, browser)
            except IntegrityError:  # another sign-in has taken the name, or made the same account
                if number == _TRIES - 1:
                    raise
        raise AssertionError  # the loop has returned or raised

    async def _begin_session(
        self, provider: "Provider", signed_in: "SignedIn", attempt: rows.SignInAttempt, browser: Browser
    ) -> str:
        from echomind_lib.identity.profiles import read_profile

        profile = read_profile(signed_in.claims, provider.settings)
        async with self._database.session() as session:
            connected = await _owner_of(session, attempt.web_session_id) if attempt.is_connection else None
            settings = provider.settings
            found = await account_of(session, provider.name, settings, profile, self._superadmins, connected)
            replaced = None
            if attempt.web_session_id is not None:
                ended = delete(rows.WebSession).where(rows.WebSession.id == attempt.web_session_id)
                replaced = await session.scalar(ended.returning(rows.WebSession.user_id))
            row, text = new_session(
                found.user.id,
                browser,
                PROVIDER_SESSION_LIFETIME,
                identity_id=found.identity.id,
                provider_session=signed_in.provider_session,
            )
            if signed_in.authenticated_at is not None:
                row.authenticated_at = signed_in.authenticated_at
            session.add(row)
            session.add(
                rows.AuditEntry(
                    actor_id=found.user.id,
                    action=_ACTION,
                    target=f"users/{found.user.id}",
                    detail={"provider": provider.name, **found.changes},
                )
            )
            user_id = found.user.id
        self._principals.forget(user_id)
        if replaced is not None:
            self._principals.forget(replaced)
        return text

    async def _note_refused(self, name: str, signed_in: "SignedIn", error: SignInFailedError) -> None:
        """Records in the audit log who was not let in although the provider has proven who they are."""
        target = f"users/{error.user_id}" if isinstance(error, AccountExistsError) else ""
        detail = {
            "reason": error.failure.name,
            "provider": name,
            "subject": signed_in.claims["sub"],
        }
        async with self._database.session() as session:
            session.add(rows.AuditEntry(actor_id=None, action=_ACTION, target=target, detail=detail, denied=True))


async def _owner_of(session: AsyncSession, web_session_id: int | None) -> int:
    """Returns the account of the web session that has begun a connection.

    Raises:
        SignInFailedError: The session has ended, so that nothing proves the account any more.
    """
    valid = select(rows.WebSession.user_id).where(
        rows.WebSession.id == web_session_id, rows.WebSession.expires_at > func.now()
    )
    owner = await session.scalar(valid)
    if owner is None:
        raise SignInFailedError(Failure.ATTEMPT_OVER, "the session that began the connection has ended")
    return owner
