"""Purges: deletes the content of removed items from tables, files and indexes.

Removal hides an item immediately. Removed documents are deleted soon afterwards; conversations and accounts stay as
hidden rows until a purge deletes them. Active runs are cancelled first; later writes of their workers find no row and
fail.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from uuid import UUID

from sqlalchemy import Text, and_, case, cast, delete, exists, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from echomind_lib.access.notebooks import memberships
from echomind_lib.db.database import Database
from echomind_lib.db.deletion_lock import deletion_lock
from echomind_lib.db.holds import deletion_held
from echomind_lib.db.models import (
    BackgroundJob,
    ChatSession,
    Connector,
    Document,
    Invitation,
    KnowledgeEntity,
    KnowledgeFeedback,
    Notebook,
    NotebookMember,
    Run,
    User,
)
from echomind_lib.errors import DependencyUnavailableError
from echomind_lib.events.log import EventLog
from echomind_lib.indexes import Indexes
from echomind_lib.jobs import (
    EXTRACT_KNOWLEDGE,
    EXTRACT_MEMORIES,
    LEARN_FROM_RUN,
    REMOVE_DOCUMENTS,
    SUMMARIZE_SESSION,
    TITLE_SESSION,
    request,
)
from echomind_lib.learned.knowledge.evidence import recounted
from echomind_lib.objects import ObjectStore
from echomind_lib.runs.controls import move_run

_CANCEL_SECONDS = 5.0
"""How long workers get to end their runs. Their later writes fail in any case."""
_POLL_SECONDS = 0.05
_JOBS_OF_SESSIONS = [kind.name for kind in (SUMMARIZE_SESSION, TITLE_SESSION, EXTRACT_MEMORIES, EXTRACT_KNOWLEDGE)]
_SESSIONS_AT_ONCE = 50


class Purge:
    """Deletes conversations, documents and accounts permanently. The caller checks permissions."""

    def __init__(self, database: Database, log: EventLog, objects: ObjectStore, indexes: Indexes) -> None:
        self._database = database
        self._log = log
        self._objects = objects
        self._indexes = indexes

    async def sessions(self, session_ids: Sequence[int]) -> None:
        """Deletes conversations with messages, runs, steps, events, citations, todos and checkpoints.

        Forks of them are conversations of their own and stay.

        Raises:
            DeletionHeldError: A legal hold keeps one of them; then nothing is hidden or deleted.
        """
        held = select(ChatSession.id).where(
            ChatSession.id.in_(session_ids), func.is_held(ChatSession.user_id, ChatSession.id)
        )
        async with self._database.session() as session:
            if await session.scalar(held.limit(1)) is not None:
                raise deletion_held()
        await self._hide(ChatSession, session_ids)
        for run_id in await self._active_runs(session_ids):
            await move_run(self._log, run_id, "cancelled")
        give_up = time.monotonic() + _CANCEL_SECONDS
        while time.monotonic() < give_up and await self._active_runs(session_ids):  # noqa: ASYNC110
            await asyncio.sleep(_POLL_SECONDS)
        subjects = [str(session_id) for session_id in session_ids]
        runs = select(cast(Run.id, Text)).where(Run.chat_session_id.in_(session_ids))
        async with self._database.session() as session:
            await session.execute(
                delete(BackgroundJob).where(
                    or_(
                        and_(BackgroundJob.kind.in_(_JOBS_OF_SESSIONS), BackgroundJob.subject_id.in_(subjects)),
                        and_(BackgroundJob.kind == LEARN_FROM_RUN.name, BackgroundJob.subject_id.in_(runs)),
                    )
                )
            )
            await session.execute(delete(ChatSession).where(ChatSession.id.in_(session_ids)))

    async def document(self, document_id: int) -> None:
        """Deletes a document and the files within it, with passages, bytes and texts.

        Quotes of it in conversations stay until these are purged.

        Raises:
            DependencyUnavailableError: Vector index or object store do not respond, or a backup is being made. The
                document is then hidden, and deleted later.
        """
        await self._require_not_held(document_id)
        await self._hide(Document, [document_id], processing_session=None)
        ids = [document_id, *await self._members(document_id)]  # hidden with it
        async with deletion_lock(self._database.pool) as may_delete:
            if not may_delete:
                raise DependencyUnavailableError(
                    "A backup is being made: the document is hidden now, and deleted when the backup has ended.",
                    dependency="postgres",
                )
            await self._indexes.delete({"document_id": ids})
            for each in ids:
                await self._objects.delete_prefix(f"documents/{each}/")
            async with self._database.session() as session:
                await session.execute(delete(Document).where(Document.id.in_(ids), Document.deleted_date.is_not(None)))

    async def _require_not_held(self, document_id: int) -> None:
        """Raises `DeletionHeldError` if a legal hold keeps a document, before anything of it is deleted."""
        query = select(func.is_connector_held(Document.connector_id)).where(Document.id == document_id)
        async with self._database.session() as session:
            if await session.scalar(query):
                raise deletion_held()

    async def _members(self, document_id: int) -> Sequence[int]:
        """Returns the files within a document, on every level."""
        below = select(Document.id).where(Document.parent_id == document_id, Document.container_id.is_not(None))
        found = below.cte("below", recursive=True)
        inner = aliased(Document)
        found = found.union(
            select(inner.id).join(found, found.c.id == inner.parent_id).where(inner.container_id.is_not(None))
        )
        async with self._database.session() as session:
            return (await session.scalars(select(found.c.id))).all()

    async def sessions_of_user(
        self, user_id: int, require: Callable[[AsyncSession], Awaitable[None]] | None = None
    ) -> None:
        """Deletes all conversations of an account, some at a time.

        Args:
            user_id: ID of the account.
            require: Called in a transaction before each batch; what it raises ends the deletion.
        """
        some = (
            select(ChatSession.id)
            .where(ChatSession.user_id == user_id)
            .order_by(ChatSession.id)
            .limit(_SESSIONS_AT_ONCE)
        )
        while True:
            async with self._database.session() as session:
                if require is not None:
                    await require(session)
                session_ids = (await session.scalars(some)).all()
            if not session_ids:
                return
            await self.sessions(session_ids)

    @staticmethod
    async def user(session: AsyncSession, user_id: int, heir_id: int) -> None:
        """Deletes an account with keys, sign-ins, memories, own knowledge and feedback, in the caller's transaction.

        Its private connectors are removed, and an ingestor deletes their documents; its shared connectors are
        transferred to `heir_id`. Its notebooks with other members are transferred to another owner, or else to
        `heir_id`. Its conversations must have been purged.
        """
        own = Connector.user_id == user_id
        await session.execute(
            update(Connector)
            .where(own, Connector.scope == "user")
            .values(
                deleted_date=func.coalesce(Connector.deleted_date, func.now()),
                encrypted_credentials=None,
                is_owner_erased=True,  # a hold on the heir does not apply to them
            )
        )
        # Names are unique among an owner's connectors that are not removed.
        other = aliased(Connector)
        is_named_so = exists(
            select(other.id).where(other.user_id == heir_id, other.name == Connector.name, other.deleted_date.is_(None))
        )
        renamed = func.left(Connector.name, 240).concat(" (").concat(cast(Connector.id, Text)).concat(")")
        name = case((and_(Connector.deleted_date.is_(None), is_named_so), renamed), else_=Connector.name)
        await session.execute(
            update(Connector).where(own).values(user_id=heir_id, user_id_last_update=heir_id, name=name)
        )
        # An accepted invitation has the person's e-mail address.
        await session.execute(delete(Invitation).where(Invitation.accepted_user_id == user_id))
        own_entities = delete(KnowledgeEntity).where(
            KnowledgeEntity.user_id == user_id, KnowledgeEntity.level == "individual"
        )
        await session.execute(own_entities)
        rated = select(KnowledgeFeedback.knowledge_id).where(KnowledgeFeedback.user_id == user_id)
        judged = (await session.scalars(rated)).all()
        await _hand_notebooks_over(session, user_id, heir_id)
        await session.execute(delete(User).where(User.id == user_id))
        counted = recounted(KnowledgeEntity.id.in_(judged))
        await session.execute(counted, execution_options={"synchronize_session": False})

    async def wake_ingestor(self) -> None:
        """Wakes the ingestor, which deletes removed connectors."""
        await request(self._database.pool, self._log.bus, REMOVE_DOCUMENTS)

    async def _hide(self, table: type[ChatSession | Document], ids: Sequence[int], **values: None) -> None:
        deleted = func.coalesce(table.deleted_date, func.now())
        async with self._database.session() as session:
            await session.execute(update(table).where(table.id.in_(ids)).values(deleted_date=deleted, **values))

    async def _active_runs(self, session_ids: Sequence[int]) -> Sequence[UUID]:
        active = select(Run.id).where(Run.chat_session_id.in_(session_ids), Run.completed_at.is_(None)).order_by(Run.id)
        async with self._database.session() as session:
            return (await session.scalars(active)).all()


async def _hand_notebooks_over(session: AsyncSession, user_id: int, heir_id: int) -> None:
    """Transfers the account's shared notebooks to another owner of the notebook, or else to the heir."""
    member = memberships("other_member").c
    others = [member.notebook_id == Notebook.id, member.user_id != user_id]
    owner = select(func.min(member.user_id)).where(*others, member.role == "owner").scalar_subquery()
    handed = (
        update(Notebook)
        .where(Notebook.user_id == user_id, exists().where(*others))
        .values(user_id=func.coalesce(owner, heir_id), user_id_last_update=heir_id)
        .returning(Notebook.id, Notebook.user_id)
        .execution_options(synchronize_session=False)
    )
    for notebook_id, new_owner in (await session.execute(handed)).all():
        values = {"notebook_id": notebook_id, "user_id": new_owner, "role": "owner"}
        await session.execute(
            insert(NotebookMember)
            .values(values)
            .on_conflict_do_update(index_elements=["notebook_id", "user_id"], set_={"role": "owner"})
        )
