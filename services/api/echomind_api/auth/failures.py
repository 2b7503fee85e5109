"""Rate limits of failed credentials by address and by account.

These limits apply to every credential, over both transports and from loopback too. Only failures count. Credentials
that this process has already seen as valid are not limited; others are not looked up while their address is over its
limit, so that guesses cause no queries.
"""

import asyncio
from collections.abc import AsyncIterator, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final, Literal

from echomind_api.auth.addresses import network_of
from echomind_api.token_buckets import TokenBuckets
from echomind_lib.errors import NotFoundError, PermissionDeniedError, UnauthenticatedError
from echomind_lib.identity.failures import Failure, SignInFailedError

Kind = Literal["api_key", "web_session"]

_LOOKUPS: Final = 8
"""Unknown credentials that are looked up at the same time; the others wait, and then meet the limit again."""


class FailedCredentials:
    """The failures that addresses and accounts have left. Kept in the process: each replica counts for itself.

    API keys, session cookies and sign-ins are counted apart, so that a program with a wrong key does not keep the
    people behind the same address from signing in.
    """

    def __init__(self) -> None:
        # Allowed failures a second and burst size, generous enough for an office behind one address.
        self._tokens: dict[Kind, TokenBuckets] = {
            "api_key": TokenBuckets(1.0, 60, "wrong API keys from your network address"),
            "web_session": TokenBuckets(1.0, 60, "sessions that are over from your network address"),
        }
        self._sign_ins = TokenBuckets(0.3, 30, "failed sign-ins from your network address")
        self._begun = TokenBuckets(1.0, 100, "sign-ins begun from your network address")
        self._shared_links = TokenBuckets(0.3, 30, "share links that do not work from your network address")
        self._accounts = TokenBuckets(0.1, 10, "wrong passwords for this account")
        self._lookups = asyncio.Semaphore(_LOOKUPS)

    @asynccontextmanager
    async def lookup(self, kind: Kind, address: str) -> AsyncIterator[None]:
        """Surrounds the query for an API key or a session cookie.

        Raises:
            OverloadedError: The address is over its limit; the error says when to retry.
        """
        key = network_of(address)
        self._tokens[kind].require(key)
        async with self._lookups:
            self._tokens[kind].require(key)
            yield

    def charge(self, kind: Kind, address: str) -> None:
        """Counts an API key or a session cookie that is not valid."""
        self._tokens[kind].charge(network_of(address))

    @contextmanager
    def sign_in(self, address: str) -> Iterator[None]:
        """Surrounds an attempt to sign in by a link or a password.

        Raises:
            OverloadedError: The address is over its limit; the error says when to retry.
        """
        with _attempt(self._sign_ins, network_of(address)):
            yield

    def begin(self, address: str) -> None:
        """Counts a sign-in that begins at a provider.

        Raises:
            OverloadedError: The address has begun too many; the error says when to retry.
        """
        self._begun.take(network_of(address))

    @contextmanager
    def shared_link(self, address: str) -> Iterator[None]:
        """Surrounds the opening of a share link.

        Raises:
            OverloadedError: The address is over its limit; the error says when to retry.
        """
        with _attempt(self._shared_links, network_of(address)):
            yield

    @contextmanager
    def password(self, account: Hashable) -> Iterator[None]:
        """Surrounds the check of a password.

        Args:
            account: The account's id, or the given name if there is no such account.

        Raises:
            OverloadedError: The account is over its limit; the error says when to retry.
        """
        with _attempt(self._accounts, account):
            yield


@contextmanager
def _attempt(buckets: TokenBuckets, key: Hashable) -> Iterator[None]:
    """Takes a token before an attempt, as several may run concurrently; returns it unless the attempt fails."""
    buckets.take(key)
    failed = False
    try:
        yield
    except (UnauthenticatedError, PermissionDeniedError, NotFoundError):
        failed = True
        raise
    except SignInFailedError as error:
        failed = error.failure != Failure.UNAVAILABLE
        raise
    finally:
        if not failed:
            buckets.refund(key)
