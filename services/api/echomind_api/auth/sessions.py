"""Web sessions and the two ways into one: a one-time link, a name with a password."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import (
    CTE,
    TIMESTAMP,
    ColumnElement,
    Insert,
    LargeBinary,
    Select,
    Text,
    bindparam,
    delete,
    func,
    insert,
    literal,
    null,
    or_,
    select,
    update,
)

from echomind_api.auth import tokens
from echomind_api.auth.failures import FailedCredentials
from echomind_api.auth.local_accounts import LocalAccounts
from echomind_api.auth.passwords import verify_password
from echomind_lib.db.database import Database
from echomind_lib.db.models.audit import AuditEntry
from echomind_lib.db.models.identity import Credential, SignInToken, User, UserIdentity, WebSession
from echomind_lib.db.statements import Command, Query
from echomind_lib.db.words import LinkPurpose
from echomind_lib.errors import UnauthenticatedError
from echomind_lib.text import single_line

_DEAD_LINK: Final = "This sign-in link has been used or has expired."
_USER_AGENT_CHARACTERS: Final = 500
LINK_LIFETIME: Final = timedelta(hours=24)
SESSION_LIFETIME: Final = timedelta(days=30)
PROVIDER_SESSION_LIFETIME: Final = timedelta(hours=12)
"""How long a session lasts that was begun at a provider, which is asked again then whether the person may sign in."""
ATTEMPT_LIFETIME: Final = timedelta(minutes=10)
"""How long a sign-in at a provider may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Whom a link signs in."""

    user_id: int
    user_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A session that was ended."""

    user_id: int
    issuer: str
    """Issuer of the provider that it was begun at; empty if it was begun otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Password:
    """An account with its password, if it has one."""

    user_id: int
    password_hash: str | None


_TOKEN_HASH: Final = bindparam("token_hash", type_=LargeBinary)


def _begin(account: CTE) -> Insert:
    """Returns the statement that begins a session for `account (id, authenticated_at)`, if there is a row."""
    seen = update(User).values(last_login=func.now()).where(User.id == account.c.id).cte("seen")
    expired = delete(WebSession).where(WebSession.expires_at < func.now()).cte("expired")
    begun = select(
        account.c.id,
        bindparam("session_hash", type_=LargeBinary),
        bindparam("session_end", type_=TIMESTAMP(timezone=True)),
        func.coalesce(account.c.authenticated_at, func.now()),
        bindparam("user_agent", type_=Text),
        bindparam("address", type_=Text),
    )
    recorded = _note(account.c.id, bindparam("action", type_=Text)).cte("recorded")
    return (
        insert(WebSession)
        .from_select(["user_id", "token_hash", "expires_at", "authenticated_at", "user_agent", "address"], begun)
        .add_cte(account, seen, expired, recorded)
    )


def _note(user_id: ColumnElement[int], action: ColumnElement[str]) -> Insert:
    """Returns the statement that records what somebody does with their own web sessions, for the audit log."""
    target = func.concat("users/", user_id, type_=Text)
    entry = select(user_id, action, target, bindparam("address", type_=Text))
    return insert(AuditEntry).from_select(["actor_id", "action", "target", "address"], entry)


def _by_link() -> Insert:
    # Lock the account first, so that an account that is deactivated at the same time gets no session.
    person = (
        select(User.id)
        .join(SignInToken, SignInToken.user_id == User.id)
        .where(SignInToken.token_hash == _TOKEN_HASH, User.is_active)
        .with_for_update(key_share=True, of=User)
        .cte("person")
    )
    account = (
        update(SignInToken)
        .values(used_at=func.now())
        .where(SignInToken.token_hash == _TOKEN_HASH, SignInToken.used_at.is_(None))
        .where(SignInToken.expires_at > func.now(), SignInToken.user_id == person.c.id)
        .where(SignInToken.purpose == "sign_in")
        .returning(person.c.id, SignInToken.authenticated_at)
        .cte("account")
    )
    return _begin(account)


def _by_id() -> Insert:
    account = (
        select(User.id, null().cast(TIMESTAMP(timezone=True)).label("authenticated_at"))
        .where(User.id == bindparam("user_id"), User.is_active)
        .with_for_update(key_share=True)
        .cte("account")
    )
    return _begin(account)


def _by_name() -> Select[int, str]:
    name = func.lower(bindparam("name", type_=Text))
    return (
        select(User.id.label("user_id"), Credential.password_hash)
        .outerjoin(Credential, Credential.user_id == User.id)
        .where(or_(func.lower(User.user_name) == name, func.lower(User.email) == name))
        .order_by((func.lower(User.user_name) == name).desc())
        .limit(1)
    )


_BEGIN_BY_LINK: Final = Command(_by_link())
_BEGIN_BY_ID: Final = Command(_by_id())
BY_NAME: Final = Query(_by_name(), _Password)
"""The account of a name or an e-mail address; names take precedence."""
_LINK_ACCOUNT: Final = Query(
    select(User.id.label("user_id"), User.user_name)
    .join(SignInToken, SignInToken.user_id == User.id)
    .where(SignInToken.token_hash == _TOKEN_HASH, SignInToken.used_at.is_(None))
    .where(SignInToken.expires_at > func.now(), SignInToken.purpose == "sign_in", User.is_active),
    Account,
)
_CREATE_LINK: Final = Command(
    insert(SignInToken)
    .values({name: bindparam(name) for name in ("user_id", "token_hash", "expires_at")})
    .add_cte(delete(SignInToken).where(SignInToken.expires_at < func.now()).cte("expired"))
)
_NAME: Final = Query(select(User.user_name).where(User.id == bindparam("user_id")), str)
_ISSUER: Final = select(UserIdentity.issuer).where(UserIdentity.id == WebSession.identity_id).scalar_subquery()
_ended = (
    delete(WebSession)
    .where(WebSession.token_hash == _TOKEN_HASH)
    .returning(WebSession.user_id, func.coalesce(_ISSUER, "").label("issuer"))
    .cte("ended")
)
_signed_out = _note(_ended.c.user_id, literal("Sign-out/Browser")).cte("recorded")
_END: Final = Query(select(_ended.c.user_id, _ended.c.issuer).add_cte(_signed_out), Ended)


@dataclass(frozen=True, slots=True)
class Link:
    """A link that signs one person in, once. `path` goes behind the server's address."""

    path: str = field(repr=False)
    expires_at: datetime


_PATHS: Final[dict[LinkPurpose, str]] = {"sign_in": "/auth/link?token=", "password": "/reset/"}


def new_link(purpose: LinkPurpose = "sign_in") -> tuple[Link, tokens.Token]:
    """Returns a link and the token in it, whose SHA-256 is to be stored."""
    token = tokens.new_token()
    return Link(_PATHS[purpose] + token.text, datetime.now(UTC) + LINK_LIFETIME), token


@dataclass(frozen=True, slots=True)
class Browser:
    """What is stored of the browser that signs in, for its user's list of devices."""

    address: str
    """IP address that it signed in from."""
    user_agent: str = ""
    """Its description of itself."""

    @property
    def description(self) -> str:
        """`user_agent` as it is stored."""
        return single_line(self.user_agent, _USER_AGENT_CHARACTERS)


def new_session(
    user_id: int,
    browser: Browser,
    lifetime: timedelta = SESSION_LIFETIME,
    *,
    identity_id: int | None = None,
    provider_session: str | None = None,
) -> tuple[WebSession, str]:
    """Returns the row of a session that begins now, and the token for its cookie.

    Args:
        user_id: Whose it is.
        browser: Where it begins.
        lifetime: How long it lasts.
        identity_id: The identity at a provider that it begins with.
        provider_session: The session there.
    """
    token = tokens.new_token()
    row = WebSession(
        user_id=user_id,
        token_hash=token.sha256,
        expires_at=datetime.now(UTC) + lifetime,
        identity_id=identity_id,
        provider_session=provider_session,
        user_agent=browser.description,
        address=browser.address,
    )
    return row, token.text


class WebSessions:
    """Creates and ends web sessions."""

    def __init__(self, database: Database, failures: FailedCredentials, local_accounts: LocalAccounts) -> None:
        self._database = database
        self._failures = failures
        self._local_accounts = local_accounts

    async def create_link(self, user_id: int) -> Link:
        """Creates a link for an account; earlier ones stay good until they are used or expire."""
        link, token = new_link()
        await _CREATE_LINK.execute(
            self._database.pool, user_id=user_id, token_hash=token.sha256, expires_at=link.expires_at
        )
        return link

    async def account_of_link(self, token: str, address: str) -> Account:
        """Returns whom a link would sign in, and leaves it unused.

        Args:
            token: The link's token.
            address: IP address of the sender.

        Raises:
            UnauthenticatedError: The link is unknown, used or expired, or its account is deactivated.
            OverloadedError: The address has had too many failures.
        """
        with self._failures.sign_in(address):
            account = await _LINK_ACCOUNT.fetch_one(self._database.pool, token_hash=tokens.digest(token))
            if account is None:
                raise UnauthenticatedError(_DEAD_LINK)
        return account

    async def name_of(self, user_id: int) -> str:
        """Returns an account's name; nothing when the account was purged."""
        return await _NAME.fetch_one(self._database.pool, user_id=user_id) or ""

    async def begin_by_link(self, token: str, browser: Browser) -> str:
        """Uses a link up and begins a session.

        Args:
            token: The link's token.
            browser: Request of the browser.

        Returns:
            The session's token, for the cookie.

        Raises:
            UnauthenticatedError: The link is unknown, used or expired, or its account is deactivated.
            OverloadedError: The address has had too many failures.
        """
        with self._failures.sign_in(browser.address):
            session = await self._begin(_BEGIN_BY_LINK, browser, "Sign-in/Link", token_hash=tokens.digest(token))
            if session is None:
                raise UnauthenticatedError(_DEAD_LINK)
        return session

    async def begin_by_password(self, name: str, password: str, browser: Browser) -> str:
        """Creates a session for an account's name or e-mail address and its password.

        Args:
            name: The account's name or e-mail address.
            password: Its password.
            browser: Request of the browser.

        Returns:
            The session's token, for the cookie.

        Raises:
            UnauthenticatedError: Name or password are wrong; the error does not say which.
            OverloadedError: The address or the account has had too many failures.
            AuthModeError: Local accounts are off.
        """
        await self._local_accounts.require()
        with self._failures.sign_in(browser.address):
            account = await BY_NAME.fetch_one(self._database.pool, name=name)
            with self._failures.password(account.user_id if account else name.lower()):
                known = await verify_password(account.password_hash if account else None, password)
                session = (
                    await self._begin(_BEGIN_BY_ID, browser, "Sign-in/Password", user_id=account.user_id)
                    if known and account
                    else None
                )
                if session is None:
                    raise UnauthenticatedError("User name or password is wrong.")
        return session

    async def end(self, token: str, address: str) -> Ended | None:
        """Ends a session. Returns it if it was not over.

        Args:
            token: The session's token.
            address: IP address of the browser.
        """
        return await _END.fetch_one(self._database.pool, token_hash=tokens.digest(token), address=address)

    async def _begin(self, begin: Command, browser: Browser, action: str, **proof: object) -> str | None:
        token = tokens.new_token()
        begun = await begin.execute(
            self._database.pool,
            session_hash=token.sha256,
            session_end=datetime.now(UTC) + SESSION_LIFETIME,
            user_agent=browser.description,
            address=browser.address,
            action=action,
            **proof,
        )
        return token.text if begun else None
