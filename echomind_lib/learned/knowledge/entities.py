"""Entities learned from conversations and runs: read on behalf of their owner, stored, changed and merged.

They belong to one person, and all sources of the conversation are sources of theirs, so that they reveal nothing of
documents that a reader may not read. Learning never changes entities that a person has written or edited, proposed
ones, and shared ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Double,
    Integer,
    Text,
    Uuid,
    and_,
    any_,
    bindparam,
    cast,
    delete,
    false,
    func,
    literal,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, insert

from echomind_lib.access import Principal
from echomind_lib.access.knowledge import knowledge_of_scopes
from echomind_lib.db.models import ChatSession, ChatSessionSource, InstallationSettings, User
from echomind_lib.db.models.knowledge import KnowledgeEntity, KnowledgeSource
from echomind_lib.db.statements import Command, Connection, Query, columns
from echomind_lib.db.words import KnowledgeLevel, KnowledgeReviewStatus, KnowledgeSourceType
from echomind_lib.learned.knowledge.confidence import MAX_PRIOR, STATED_AGAIN, learned_prior
from echomind_lib.learned.knowledge.revisions import CHANGED_COLUMNS, record_revision
from echomind_lib.learned.knowledge.search import text_of

ERROR_LESSON: Final = "error_lesson"
"""The category of lessons from failed runs."""
_UNREVIEWED: Final = ("none", "rejected")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownEntity:
    """An entity that a person may read, for comparison with new ones."""

    id: int
    user_id: int | None
    title: str
    content: str
    category: str | None
    level: KnowledgeLevel
    source_type: KnowledgeSourceType
    review_status: KnowledgeReviewStatus

    @property
    def text(self) -> str:
        """Returns the text that is embedded."""
        return text_of(self.title, self.content)

    @property
    def may_change(self) -> bool:
        """Returns whether learning may change it."""
        is_own = self.level == "individual" and self.source_type == "conversation"
        return is_own and self.review_status in _UNREVIEWED


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEntity:
    """An entity to be stored."""

    title: str
    content: str
    category: str
    session_id: int
    tags: Sequence[str] = ()
    confidence: float = 0.5
    """Confidence of the model, 0 to 1."""
    is_stated: bool = True
    """Whether the user said it themselves; otherwise it comes at least in part from an answer."""
    message_ids: Sequence[int] = ()
    """The person's messages that it is based on."""
    run_id: UUID | None = None
    """The failed run that the lesson is based on."""

    @property
    def text(self) -> str:
        """Returns the text that is embedded."""
        return text_of(self.title, self.content)


_user_id = bindparam("user_id", type_=Integer)
_ids = bindparam("ids", type_=ARRAY(BigInteger))
_session_id = bindparam("session_id", type_=Integer)
_message_ids = bindparam("message_ids", type_=ARRAY(BigInteger))
_run_id = bindparam("run_id", type_=Uuid)
_COLUMNS: Final = columns(KnownEntity, KnowledgeEntity)
_rule = knowledge_of_scopes()
_READ: Final = Query(
    select(*_COLUMNS).where(KnowledgeEntity.id == any_(_ids), _rule.where()).order_by(KnowledgeEntity.id), KnownEntity
)
NEWEST_OWN: Final = Query(
    select(*_COLUMNS)
    .where(KnowledgeEntity.user_id == _user_id, KnowledgeEntity.level == "individual", _rule.where())
    .order_by(KnowledgeEntity.id.desc())
    .limit(bindparam("limit", type_=Integer)),
    KnownEntity,
)
"""Selects a person's newest individual entities."""


async def read_known(connection: Connection, reader: Principal, ids: Sequence[int]) -> list[KnownEntity]:
    """Returns those of the given entities that may be used in the reader's answers."""
    return await _READ.fetch_all(connection, ids=list(ids), **_rule.values(reader)) if ids else []


_MAY_READ_ANY: Final = Query(
    select(or_(User.has_facts, func.coalesce(InstallationSettings.has_shared_knowledge, false())))
    .outerjoin(InstallationSettings, true())
    .where(User.id == bindparam("user_id", type_=Integer)),
    bool,
)


async def may_read_any(connection: Connection, user_id: int) -> bool:
    """Returns False if there is no knowledge that a person may read: nothing needs to be searched then."""
    return bool(await _MAY_READ_ANY.fetch_one(connection, user_id=user_id))


async def newest_own(connection: Connection, owner: Principal, limit: int) -> list[KnownEntity]:
    """Returns a person's newest individual entities whose source documents they may all read."""
    return await NEWEST_OWN.fetch_all(connection, user_id=owner.user_id, limit=limit, **_rule.values(owner))


def _may_change() -> ColumnElement[bool]:
    """Returns `KnownEntity.may_change` as an SQL condition on a person's own entities."""
    return and_(
        KnowledgeEntity.user_id == _user_id,
        KnowledgeEntity.level == "individual",
        KnowledgeEntity.source_type == "conversation",
        KnowledgeEntity.review_status.in_(_UNREVIEWED),
    )


def _message_list(ids: ColumnElement[Any]) -> ColumnElement[Any]:
    return func.jsonb_build_object("messageIds", func.to_jsonb(ids))


_new = (
    insert(KnowledgeEntity)
    .from_select(
        [
            KnowledgeEntity.user_id,
            KnowledgeEntity.level,
            KnowledgeEntity.source_type,
            KnowledgeEntity.title,
            KnowledgeEntity.content,
            KnowledgeEntity.category,
            KnowledgeEntity.tags,
            KnowledgeEntity.prior_alpha,
            KnowledgeEntity.prior_beta,
            KnowledgeEntity.alpha,
            KnowledgeEntity.beta,
            KnowledgeEntity.source_session_id,
            KnowledgeEntity.source_run_id,
            KnowledgeEntity.session_time,
            KnowledgeEntity.metadata_,
            KnowledgeEntity.user_id_last_update,
        ],
        select(
            _user_id,
            literal("individual", Text),
            literal("conversation", Text),
            bindparam("title", type_=Text),
            bindparam("content", type_=Text),
            bindparam("category", type_=Text),
            bindparam("tags", type_=JSONB),
            bindparam("alpha", type_=Double),
            bindparam("beta", type_=Double),
            bindparam("alpha", type_=Double),
            bindparam("beta", type_=Double),
            ChatSession.id,
            _run_id,
            func.coalesce(ChatSession.last_message_at, ChatSession.creation_date),
            _message_list(_message_ids),
            _user_id,
        ).where(ChatSession.id == _session_id),
    )
    .returning(*CHANGED_COLUMNS)
)
_stored = _new.cte("stored")
_drawn_on = (
    insert(KnowledgeSource)
    .from_select(
        ["knowledge_id", "document_id", "connector_id"],
        select(_stored.c.id, ChatSessionSource.document_id, ChatSessionSource.connector_id).where(
            ChatSessionSource.chat_session_id == _session_id
        ),
    )
    .cte("drawn_on")
)
_INSERT: Final = Query(select(_stored.c.id).add_cte(_drawn_on, record_revision(_stored, _user_id, _session_id)), int)
_known_messages = func.coalesce(KnowledgeEntity.metadata_["messageIds"], cast([], JSONB))
_messages = KnowledgeEntity.metadata_.op("||", return_type=JSONB())(
    func.jsonb_build_object("messageIds", _known_messages.op("||")(func.to_jsonb(_message_ids)))
)
_changed = (
    update(KnowledgeEntity)
    .where(KnowledgeEntity.id == any_(_ids), _may_change())
    .values(
        title=bindparam("title", type_=Text),
        content=bindparam("content", type_=Text),
        category=bindparam("category", type_=Text),
        tags=bindparam("tags", type_=JSONB),
        revision=KnowledgeEntity.revision + 1,
        review_status="none",
        metadata_=_messages,
        source_run_id=func.coalesce(_run_id, KnowledgeEntity.source_run_id),
        user_id_last_update=_user_id,
    )
    .returning(*CHANGED_COLUMNS)
    .cte("changed")
)
_CHANGE: Final = Query(select(_changed.c.id).add_cte(record_revision(_changed, _user_id, _session_id)), int)
_more = func.greatest(0.0, func.least(literal(STATED_AGAIN, Double), MAX_PRIOR - KnowledgeEntity.prior_alpha))
_CONFIRM: Final = Command(
    update(KnowledgeEntity)
    .where(KnowledgeEntity.id == any_(_ids), _may_change())
    .values(
        prior_alpha=KnowledgeEntity.prior_alpha + _more,
        alpha=KnowledgeEntity.alpha + _more,
        metadata_=_messages,
        source_run_id=func.coalesce(_run_id, KnowledgeEntity.source_run_id),
    )
)
_DRAW_ON: Final = Command(
    insert(KnowledgeSource)
    .from_select(
        ["knowledge_id", "document_id", "connector_id"],
        select(
            func.unnest(_ids).column_valued("id"), ChatSessionSource.document_id, ChatSessionSource.connector_id
        ).where(ChatSessionSource.chat_session_id == _session_id),
    )
    .on_conflict_do_nothing()
)
_kept = bindparam("kept_id", type_=BigInteger)
_JOIN_SOURCES: Final = Command(
    insert(KnowledgeSource)
    .from_select(
        ["knowledge_id", "document_id", "connector_id"],
        select(_kept, KnowledgeSource.document_id, KnowledgeSource.connector_id).where(
            KnowledgeSource.knowledge_id == any_(_ids)
        ),
    )
    .on_conflict_do_nothing()
)
_LOCK_CHANGEABLE: Final = Query(
    select(KnowledgeEntity.id).where(KnowledgeEntity.id == any_(_ids), _may_change()).with_for_update(), int
)
_LEARNED: Final = Query(
    select(func.count()).where(
        KnowledgeEntity.source_session_id == _session_id,
        KnowledgeEntity.source_type == "conversation",
        KnowledgeEntity.source_run_id.is_(None),
    ),
    int,
)
_LOCK_CLASS: Final = 7004
"""First key of the advisory locks of learning; the second is the user's id."""
_LOCK: Final = Query(select(func.pg_advisory_xact_lock(_LOCK_CLASS, _user_id).is_(None)), bool)
_is_held = func.is_held(KnowledgeEntity.user_id, KnowledgeEntity.source_session_id)
_DELETE: Final = Command(delete(KnowledgeEntity).where(KnowledgeEntity.id == any_(_ids), _may_change(), ~_is_held))


async def insert_entity(connection: Connection, user_id: int, new: NewEntity) -> int | None:
    """Stores an entity of a person with all sources of its session, and returns its id.

    Returns:
        None if the session was purged meanwhile.
    """
    alpha, beta = learned_prior(new.confidence)
    return await _INSERT.fetch_one(connection, alpha=alpha, beta=beta, **_values(user_id, new), **_text(new))


async def confirm_entity(connection: Connection, user_id: int, knowledge_id: int, new: NewEntity) -> bool:
    """Records that an entity of a user was confirmed: its confidence rises, up to that of manual ones.

    Returns:
        False if learning may no longer change it.
    """
    changed = await _CONFIRM.execute(connection, ids=[knowledge_id], **_without_session(_values(user_id, new)))
    if changed:
        await _DRAW_ON.execute(connection, ids=[knowledge_id], session_id=new.session_id)
    return changed == 1


async def merge_entities(connection: Connection, user_id: int, ids: Sequence[int], new: NewEntity) -> bool:
    """Merges entities of a user: changes the content of the first one and deletes the others, in one transaction.

    Returns:
        False, without changes, if learning may no longer change one of them.
    """
    if len(await _LOCK_CHANGEABLE.fetch_all(connection, user_id=user_id, ids=list(ids))) < len(ids):
        return False
    kept, *others = ids
    if others:
        await _JOIN_SOURCES.execute(connection, kept_id=kept, ids=others)
        await _DELETE.execute(connection, user_id=user_id, ids=others)
    await _CHANGE.fetch_one(connection, ids=[kept], **_values(user_id, new), **_text(new))
    await _DRAW_ON.execute(connection, ids=[kept], session_id=new.session_id)
    return True


async def learned_from(connection: Connection, session_id: int) -> int:
    """Returns how many entities were extracted from a session, excluding lessons from its runs."""
    return await _LEARNED.fetch_one(connection, session_id=session_id) or 0


async def lock_learned(connection: Connection, user_id: int) -> None:
    """Takes a lock so that no other transaction learns for a user until this one ends."""
    await _LOCK.fetch_one(connection, user_id=user_id)


def _values(user_id: int, new: NewEntity) -> dict[str, Any]:
    return {
        "user_id": user_id,
        "session_id": new.session_id,
        "message_ids": list(new.message_ids),
        "run_id": new.run_id,
    }


def _without_session(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name != "session_id"}


def _text(new: NewEntity) -> dict[str, Any]:
    return {"title": new.title, "content": new.content, "category": new.category, "tags": list(new.tags)}
