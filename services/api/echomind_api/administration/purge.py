"""Purges: what was removed leaves no text behind, in no table, file or index.

Removing hides at once and clears documents away soon; conversations and accounts stay as hidden rows. A purge deletes
them. Runs under way are cancelled first; what a worker still writes for them finds no row and is refused.
"""

import asyncio
import time
from collections.abc import Sequence

import asyncpg
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.conversations.controls import Controls
from echomind_lib.conversations.summaries import KIND as COMPRESSION
from echomind_lib.messaging import DOCUMENTS_DELETE, Bus
from echomind_lib.objects import ObjectStore
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import DocumentDelete
from echomind_lib.vectors import VectorIndex

_CANCEL_SECONDS = 5.0
"""How long workers get to end their runs. Longer makes no difference to what is left, only to what they notice."""
_POLL_SECONDS = 0.05
_SESSIONS_AT_ONCE = 50

_HIDE_SESSIONS = "UPDATE chat_sessions SET deleted_date = COALESCE(deleted_date, now()) WHERE id = ANY($1::int[])"
_ACTIVE_RUNS = "SELECT id FROM runs WHERE chat_session_id = ANY($1::int[]) AND completed_at IS NULL ORDER BY id"
_FORGET_SESSIONS = """
WITH jobs AS (
    DELETE FROM background_jobs WHERE kind = $2 AND subject_id = ANY($1::int[]::text[])
)
DELETE FROM chat_sessions WHERE id = ANY($1::int[])
"""
_SESSIONS_OF_USER = "SELECT id FROM chat_sessions WHERE user_id = $1 ORDER BY id LIMIT $2"
_HIDE_DOCUMENT = """
UPDATE documents SET deleted_date = COALESCE(deleted_date, now()), processing_session = NULL WHERE id = $1
"""
_FORGET_DOCUMENT = "DELETE FROM documents WHERE id = $1 AND deleted_date IS NOT NULL"
_REMOVE_PRIVATE = text("""
UPDATE connectors SET deleted_date = now(), encrypted_credentials = NULL
WHERE user_id = :user AND scope = 'user' AND deleted_date IS NULL
""")
# Names are unique among the live ones of an owner.
_BEQUEATH = text("""
UPDATE connectors SET user_id = :heir, user_id_last_update = :heir, name = CASE
    WHEN deleted_date IS NULL AND EXISTS (
        SELECT FROM connectors AS other
        WHERE other.user_id = :heir AND other.name = connectors.name AND other.deleted_date IS NULL)
    THEN left(name, 240) || ' (' || id || ')' ELSE name END
WHERE user_id = :user
""")
_FORGET_USER = text("DELETE FROM users WHERE id = :user")


class Purge:
    """Deletes conversations, documents and accounts for good. Who may do it is for the caller to say."""

    def __init__(
        self, pool: asyncpg.Pool, bus: Bus, objects: ObjectStore, vectors: VectorIndex, controls: Controls
    ) -> None:
        self._pool = pool
        self._bus = bus
        self._objects = objects
        self._vectors = vectors
        self._controls = controls

    async def sessions(self, session_ids: Sequence[int]) -> None:
        """Deletes conversations with messages, runs, steps, events, citations, todos and checkpoints.

        Forks of them are conversations of their own and stay.
        """
        await self._pool.execute(_HIDE_SESSIONS, session_ids)
        for row in await self._pool.fetch(_ACTIVE_RUNS, session_ids):
            await self._controls.move(row["id"], "cancelled")
        give_up = time.monotonic() + _CANCEL_SECONDS
        while time.monotonic() < give_up and await self._pool.fetch(_ACTIVE_RUNS, session_ids):  # noqa: ASYNC110
            await asyncio.sleep(_POLL_SECONDS)
        await self._pool.execute(_FORGET_SESSIONS, session_ids, COMPRESSION)

    async def document(self, document_id: int) -> None:
        """Deletes a document with its passages, its bytes and its text.

        What conversations have quoted of it stays with them until they are purged.

        Raises:
            DependencyUnavailableError: Vector index or object store do not answer. The document is hidden then, and
                cleared away later.
        """
        await self._pool.execute(_HIDE_DOCUMENT, document_id)
        known = await self._pool.fetch("SELECT collection FROM embedding_models")
        for collection in await self._vectors.collections() & {row["collection"] for row in known}:
            await self._vectors.delete(collection, {"document_id": document_id})
        await self._objects.delete_prefix(f"documents/{document_id}/")
        await self._pool.execute(_FORGET_DOCUMENT, document_id)

    async def sessions_of_user(self, user_id: int) -> None:
        """Deletes all conversations of an account."""
        while rows := await self._pool.fetch(_SESSIONS_OF_USER, user_id, _SESSIONS_AT_ONCE):
            await self.sessions([row["id"] for row in rows])

    @staticmethod
    async def user(session: AsyncSession, user_id: int, heir_id: int) -> None:
        """Deletes an account with keys, sign-ins, memories and feedback, in the caller's transaction.

        Its private connectors are removed, for the ingestor to clear away; those that it shares go to `heir_id`.
        Conversations are to be purged before.
        """
        await session.execute(_REMOVE_PRIVATE, {"user": user_id})
        await session.execute(_BEQUEATH, {"user": user_id, "heir": heir_id})
        await session.execute(_FORGET_USER, {"user": user_id})

    async def wake_ingestor(self) -> None:
        """Has removed connectors cleared away now."""
        await self._bus.wake(DOCUMENTS_DELETE, DocumentDelete())
