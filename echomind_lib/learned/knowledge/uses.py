"""Uses of knowledge: the entities that runs have found, and those that their answers cite."""

import re
from collections.abc import Sequence
from typing import Final
from uuid import UUID

import asyncpg
from sqlalchemy import BigInteger, Integer, Uuid, any_, bindparam, func, select, update
from sqlalchemy.dialects.postgresql import ARRAY, insert

from echomind_lib.db.models.knowledge import KnowledgeEntity, KnowledgeUse
from echomind_lib.db.models.runs import Run, Step
from echomind_lib.db.statements import Command, Query
from echomind_lib.learned.knowledge.evidence import recounted

_CITED: Final = re.compile(r"\[K(\d{1,15}(?:\s*,\s*K\d{1,15})*)\]")
_ids = bindparam("ids", type_=ARRAY(BigInteger))
_run_id = bindparam("run_id", type_=Uuid)


def _note_found() -> Command:
    """Returns the statement that records one use per run and entity: a call repeated after a crash counts once."""
    entity = func.unnest(_ids).column_valued("knowledge_id")
    step = select(func.max(Step.step_number)).where(Step.run_id == _run_id).scalar_subquery()
    recorded = (
        insert(KnowledgeUse)
        .from_select(
            ["knowledge_id", "run_id", "chat_session_id", "step_number"],
            select(KnowledgeEntity.id, Run.id, Run.chat_session_id, step)
            .join_from(Run, KnowledgeEntity, KnowledgeEntity.id.in_(select(entity)))
            .where(Run.id == _run_id),
        )
        .on_conflict_do_nothing()
        .returning(KnowledgeUse.knowledge_id)
        .cte("recorded")
    )
    return Command(
        update(KnowledgeEntity)
        .where(KnowledgeEntity.id == recorded.c.knowledge_id)
        .values(usage_count=KnowledgeEntity.usage_count + 1, last_used_at=func.now())
    )


_NOTE_FOUND: Final = _note_found()
_NOTE_CITED: Final = Query(
    update(KnowledgeUse)
    .where(
        KnowledgeUse.chat_session_id == bindparam("session_id", type_=Integer),
        KnowledgeUse.knowledge_id == any_(_ids),
        ~KnowledgeUse.cited,
    )
    .values(cited=True)
    .returning(KnowledgeUse.knowledge_id),
    int,
)
_RECOUNT: Final = Command(recounted(KnowledgeEntity.id == any_(_ids)))


def cited_in(text: str) -> list[int]:
    """Returns the ids of the entities that an answer cites as `[K12]`, each once, in order."""
    found = (number for match in _CITED.finditer(text) for number in re.findall(r"\d+", match[1]))
    return list(dict.fromkeys(map(int, found)))


async def note_found(pool: asyncpg.Pool, run_id: UUID, ids: Sequence[int]) -> None:
    """Records that a run has found entities."""
    await _NOTE_FOUND.execute(pool, run_id=run_id, ids=sorted(ids))


async def note_cited(pool: asyncpg.Pool, session_id: int, ids: Sequence[int]) -> None:
    """Records that an answer of a session cites entities; those that no run of the session has found are ignored."""
    async with pool.acquire() as connection, connection.transaction():
        cited = await _NOTE_CITED.fetch_all(connection, session_id=session_id, ids=list(ids))
        if cited:
            await _RECOUNT.execute(connection, ids=sorted(set(cited)))
