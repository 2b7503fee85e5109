"""Deactivation of accounts: the one way out, whoever asks for it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.auth.superadmins import Superadmins
from echomind_api.calls.revocations import Revocations
from echomind_api.conversations.controls import Controls
from echomind_api.rows import missing
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.words import ACTIVE_RUN_STATUSES


class Deactivations:
    """Deactivates accounts: keys, web sessions, links, streams and runs end within a minute, on every replica.

    The trigger `revoke_credentials` ends credentials in the transaction of the change. A password of somebody who signs
    in at a provider is removed, as it must not outlive their removal there, whoever activates the account again. A
    message makes every replica forget what it has cached and end open streams; where it is lost, the cache expires
    after 15 seconds and streams are checked every 30. Runs are cancelled at once, and those that start meanwhile by the
    agents' sweep.
    """

    def __init__(
        self, database: Database, revocations: Revocations, controls: Controls, superadmins: Superadmins
    ) -> None:
        self._database = database
        self._superadmins = superadmins
        self._revocations = revocations
        self._controls = controls

    @asynccontextmanager
    async def deactivating(self, user_id: int, *, actor_id: int | None, action: str) -> AsyncIterator[AsyncSession]:
        """Context of the transaction that deactivates an account; what the caller checks and writes belongs to it.

        Args:
            user_id: ID of the user.
            actor_id: Who deactivates it; None for a provider or a SCIM client.
            action: Action of the audit entries of cancelled runs.

        Yields:
            The transaction, before the account is deactivated; roles are locked.

        Raises:
            NotFoundError: There is no such account.
            ValidationFailedError: It is the last superadmin.
        """
        async with self._database.session() as session:
            await self._superadmins.lock(session)
            yield session
            change = (
                update(rows.User)
                .where(rows.User.id == user_id)
                .values(is_active=False, user_id_last_update=actor_id)
                .returning(rows.User.id)
            )
            if await session.scalar(change) is None:
                raise missing("user", user_id)
            await self._superadmins.require(session)
            identities = select(rows.UserIdentity.id).where(rows.UserIdentity.user_id == user_id)
            await session.execute(
                delete(rows.Credential).where(rows.Credential.user_id == user_id, identities.exists())
            )
            active = select(rows.Run.id).where(rows.Run.user_id == user_id, rows.Run.status.in_(ACTIVE_RUN_STATUSES))
            detail = {"cancelled": "the account was deactivated"}
            for run_id in await session.scalars(active):
                session.add(rows.AuditEntry(actor_id=actor_id, action=action, target=f"runs/{run_id}", detail=detail))
        await self._revocations.publish(user_id)
        await self._controls.cancel_all(user_id)
