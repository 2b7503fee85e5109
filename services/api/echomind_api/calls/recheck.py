"""Ends streams whose credential is no longer valid. A stream lasts for days, and is signed in only when it begins."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

import structlog

from echomind_api.calls.authentication import Authentication
from echomind_api.calls.limits import Limits
from echomind_lib.db.database import DATABASE_FAILURES
from echomind_lib.errors import DependencyUnavailableError, UnauthenticatedError

RECHECK_SECONDS: Final = 30.0
"""How often every open stream's credential is looked at again; answers are as old as `CACHE_SECONDS` at most."""

log = structlog.get_logger(__name__)


async def keep_rechecking(limits: Limits, authentication: Authentication) -> None:
    """Checks the credentials of all open streams periodically, until it is cancelled."""
    while True:
        await asyncio.sleep(RECHECK_SECONDS)
        try:
            await recheck(limits, authentication)
        except DATABASE_FAILURES as error:
            log.warning("credentials of open streams were not looked at", error=repr(error))


async def recheck(limits: Limits, authentication: Authentication, user_id: int | None = None) -> None:
    """Checks the credentials of all open streams once, or of those of one user.

    A stream whose credential is revoked or expired, or whose account is deactivated, ends with `UNAUTHENTICATED`. One
    whose account has other roles or groups than at its beginning ends too, and may connect again. While the provider of
    a bearer token does not respond, its streams last as long as the token is valid.
    """
    for stream in limits.streams:
        if user_id is not None and (stream.call.principal is None or stream.call.principal.user_id != user_id):
            continue
        try:
            principal = await authentication.principal_of(stream.call)
        except UnauthenticatedError as error:
            stream.end(error)
            continue
        except DependencyUnavailableError as error:
            begun = stream.call.principal
            if begun is not None and begun.token_expires_at is not None and begun.token_expires_at <= datetime.now(UTC):
                stream.end(UnauthenticatedError("The bearer token has expired."))
            else:
                log.warning("a credential was not looked at", error=repr(error))
            continue
        if replace(principal, rates=stream.call.principal.rates) != stream.call.principal:
            stream.end(DependencyUnavailableError("Your rights have changed: connect again.", dependency="api"))
