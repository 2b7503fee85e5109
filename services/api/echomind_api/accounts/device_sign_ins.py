"""Sign-in of programs by a code that a person types in their browser (RFC 8628), which ends in an API key.

Codes and wrong codes are in the database, so that all replicas count together.
"""

import secrets
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.auth import tokens
from echomind_api.auth.addresses import Proxies, network_of, own_address
from echomind_api.auth.credentials import Credential, hold
from echomind_api.auth.failures import FailedCredentials
from echomind_api.rows import action_of, audit, reload
from echomind_lib.access.principal import EVERYDAY_SCOPES, SCOPES
from echomind_lib.config import ApiSettings
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.errors import NotFoundError, OverloadedError, PermissionDeniedError, UnauthenticatedError
from echomind_lib.mappers import api_keys
from echomind_lib.models import public
from echomind_lib.text import single_line

LIFETIME: Final = timedelta(minutes=10)
"""How long both codes of a sign-in work, and how long wrong codes count."""
WRONG_CODES: Final = 5
"""After so many, an account can enter no code until the first of them is older than `LIFETIME`."""
INTERVAL_SECONDS: Final = 5
"""The initial interval of polls, and by how much it grows when a program polls earlier (RFC 8628, section 3.5)."""
DAYS: Final = 90
"""Days until an API key expires, if the program requests none."""
CLIENT_CHARACTERS: Final = 100
"""Longest name of a machine."""
_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
"""Consonants, so that no code is a word: the 20 of RFC 8628, section 6.1."""
_CODE_LETTERS: Final = 8
_MAX_OF_NETWORK: Final = 20
_LIMIT: Final = 2_000
"""Sign-ins that wait at a time: of one network, and of all."""
_OVER: Final = "This sign-in is over: it was used, denied or has expired. Start another one."


class DeviceSignIns(public.DeviceSignInService):
    """The service `DeviceSignInService`."""

    def __init__(
        self, database: Database, failures: FailedCredentials, settings: ApiSettings, proxies: Proxies
    ) -> None:
        self._database = database
        self._failures = failures
        self._settings = settings
        self._proxies = proxies

    @override
    async def start_device_sign_in(
        self, request: public.StartDeviceSignInRequest, call: CallContext
    ) -> public.StartDeviceSignInResponse:
        device, code = tokens.new_token(), new_user_code()
        words = {scope.word for scope in request.scopes} or EVERYDAY_SCOPES
        row = rows.DeviceSignIn
        network = network_of(call.address)
        async with self._database.session() as session:
            await session.execute(delete(row).where(row.expires_at < func.now()))
            waiting = (await session.scalars(select(row.network).limit(_LIMIT))).all()
            if len(waiting) >= _LIMIT or waiting.count(network) >= _MAX_OF_NETWORK:
                raise OverloadedError(
                    "Too many sign-ins of devices are waiting: try again in a few minutes.",
                    retry_after_seconds=int(LIFETIME.total_seconds()),
                )
            session.add(
                row(
                    device_code_hash=device.sha256,
                    user_code_hash=tokens.digest(code),
                    client_name=single_line(request.client_name, CLIENT_CHARACTERS),
                    address=call.address,
                    network=network,
                    scopes=[scope for scope in SCOPES if scope in words or "administer" in words],
                    days=request.days or DAYS,
                    interval_seconds=INTERVAL_SECONDS,
                    expires_at=datetime.now(UTC) + LIFETIME,
                )
            )
        url = own_address(self._settings, self._proxies, call.peer, call.metadata)
        return public.StartDeviceSignInResponse(
            device_code=device.text,
            user_code=f"{code[:4]}-{code[4:]}",
            verification_url=f"{url}/device",
            expires_in_seconds=int(LIFETIME.total_seconds()),
            interval_seconds=INTERVAL_SECONDS,
        )

    @override
    async def complete_device_sign_in(
        self, request: public.CompleteDeviceSignInRequest, call: CallContext
    ) -> public.CompleteDeviceSignInResponse:
        with self._failures.sign_in(call.address):
            return await self._complete(tokens.digest(request.device_code), call)

    async def _complete(self, sha256: bytes, call: CallContext) -> public.CompleteDeviceSignInResponse:
        row = rows.DeviceSignIn
        valid = select(row).where(row.device_code_hash == sha256, row.expires_at > func.now())
        async with self._database.session() as session:
            # The account is locked first, as by what revokes its credentials.
            approved_by = valid.with_only_columns(row.user_id).scalar_subquery()
            await session.execute(select(rows.User.id).where(rows.User.id == approved_by).with_for_update(read=True))
            found = await session.scalar(valid.with_for_update())
            if found is None:
                raise UnauthenticatedError(_OVER)
            now = datetime.now(UTC)
            due = found.polled_at and found.polled_at + timedelta(seconds=found.interval_seconds)
            found.polled_at = now
            if due is not None and now < due:
                found.interval_seconds += INTERVAL_SECONDS
                return public.CompleteDeviceSignInResponse(
                    state=public.DeviceSignInState.SLOW_DOWN, interval_seconds=found.interval_seconds
                )
            if found.approved is None:
                return public.CompleteDeviceSignInResponse(
                    state=public.DeviceSignInState.PENDING, interval_seconds=found.interval_seconds
                )
            await session.delete(found)
            if not found.approved:
                return public.CompleteDeviceSignInResponse(state=public.DeviceSignInState.DENIED)
            return await _key_of(session, found, call)

    @override
    async def find_device_sign_in(
        self, request: public.FindDeviceSignInRequest, call: CallContext
    ) -> public.DeviceSignIn:
        async with self._database.session() as session:
            await _hold_web_session(session, call)
            found = await _find(session, call, request.user_code)
        if found is None:
            raise _no_code()
        return public.DeviceSignIn.from_row(found)

    @override
    async def decide_device_sign_in(
        self, request: public.DecideDeviceSignInRequest, call: CallContext
    ) -> public.DeviceSignIn:
        async with self._database.session() as session:
            credential = await _hold_web_session(session, call)
            found = await _find(session, call, request.user_code)
            if found is not None:
                if request.approved and "administer" in found.scopes:
                    credential.require_recent("Signing in a device with the scope administer")
                found.approved, found.user_id = request.approved, call.principal.user_id
                audit(
                    session,
                    call,
                    f"device-sign-ins/{found.id}",
                    approved=request.approved,
                    client_name=found.client_name,
                    address=found.address,
                    scopes=found.scopes,
                )
        if found is None:
            raise _no_code()
        return public.DeviceSignIn.from_row(found)


def new_user_code() -> str:
    """Returns a code for a person to type: 8 consonants, of which there are 2.56e10."""
    return "".join(secrets.choice(_LETTERS) for _ in range(_CODE_LETTERS))


async def _hold_web_session(session: AsyncSession, call: CallContext) -> Credential:
    """Locks the caller's account, so that simultaneous guesses are counted one after the other.

    Raises:
        PermissionDeniedError: The call is not made in a web session.
    """
    if call.principal.web_session_id is None:
        raise PermissionDeniedError(
            "Codes of devices are entered in the browser, by a person who is signed in.", required="web_session"
        )
    return await hold(session, call.principal)


async def _find(session: AsyncSession, call: CallContext, typed: str) -> rows.DeviceSignIn | None:
    """Returns the sign-in of a code that nobody has used; otherwise counts a wrong code, for the caller to commit.

    Raises:
        OverloadedError: The account has entered too many wrong codes.
    """
    user_id, failure, row = call.principal.user_id, rows.DeviceCodeFailure, rows.DeviceSignIn
    await session.execute(delete(failure).where(failure.creation_date < func.now() - LIFETIME))
    wrong = (
        await session.scalars(
            select(failure.creation_date).where(failure.user_id == user_id).order_by(failure.creation_date)
        )
    ).all()
    if len(wrong) >= WRONG_CODES:
        seconds = (wrong[0] + LIFETIME - datetime.now(UTC)).total_seconds()
        raise OverloadedError(
            f"{WRONG_CODES} codes were wrong: wait, and start the sign-in on the device again.",
            retry_after_seconds=max(1, int(seconds)),
        )
    code = "".join(letter for letter in typed.upper() if letter.isalpha())
    found = await session.scalar(
        select(row)
        .where(row.user_code_hash == tokens.digest(code), row.expires_at > func.now(), row.approved.is_(None))
        .with_for_update()
    )
    if found is None:
        session.add(failure(user_id=user_id))
    return found


async def _key_of(
    session: AsyncSession, approved: rows.DeviceSignIn, call: CallContext
) -> public.CompleteDeviceSignInResponse:
    """Creates the API key of an approved sign-in.

    Raises:
        UnauthenticatedError: The account that approved it was deactivated.
    """
    is_active = select(rows.User.id).where(rows.User.id == approved.user_id, rows.User.is_active)
    if await session.scalar(is_active.with_for_update(key_share=True)) is None:
        raise UnauthenticatedError(_OVER)
    secret = tokens.new_api_key()
    key = rows.ApiKey(
        user_id=approved.user_id,
        name=f"{approved.client_name} (sign-in {approved.id})",
        prefix=tokens.prefix(secret.text),
        sha256=secret.sha256,
        scopes=approved.scopes,
        expires_at=datetime.now(UTC) + timedelta(days=approved.days),
    )
    session.add(key)
    await session.flush()
    session.add(
        rows.AuditEntry(
            actor_id=approved.user_id,
            action=action_of(call),
            target=f"api-keys/{key.id}",
            detail={"name": key.name, "scopes": key.scopes, "device_sign_in": approved.id},
        )
    )
    await reload(session, key)
    return public.CompleteDeviceSignInResponse(
        state=public.DeviceSignInState.APPROVED, api_key=api_keys.to_model(key), secret=secret.text
    )


def _no_code() -> NotFoundError:
    return NotFoundError(
        "There is no device with this code: it was used, has expired, or was mistyped. Start the sign-in on the device "
        "again if it is older than 10 minutes.",
        resource="device sign-in",
    )
