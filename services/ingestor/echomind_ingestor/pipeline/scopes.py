"""Changes of a connector's scope: its chunks follow.

Who may read is PostgreSQL's word, so what is no longer shared is hidden at once. What is newly shared is found once its
chunks carry the scope. The job is stored in the transaction of the change.
"""

from dataclasses import dataclass
from typing import Final

import asyncpg
from sqlalchemy import bindparam, select
from typing_extensions import override

from echomind_lib.access import scope_name
from echomind_lib.db.models import Connector
from echomind_lib.db.statements import Query
from echomind_lib.indexes import Indexes
from echomind_lib.jobs import CONNECTOR_SCOPE, Job, JobHandler


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scope:
    scope: str
    user_id: int
    scope_id: str | None


_SCOPE: Final = Query(
    select(Connector.scope, Connector.user_id, Connector.scope_id).where(
        Connector.id == bindparam("connector_id"), Connector.deleted_date.is_(None)
    ),
    _Scope,
)


class ConnectorScopes(JobHandler[None]):
    """Writes the scope of a connector to its chunks."""

    kind = CONNECTOR_SCOPE

    def __init__(self, pool: asyncpg.Pool, indexes: Indexes) -> None:
        self._pool = pool
        self._indexes = indexes

    @override
    async def work(self, job: Job) -> None:
        connector_id = int(job.subject_id)
        connector = await _SCOPE.fetch_one(self._pool, connector_id=connector_id)
        if connector is not None:
            scope = scope_name(connector.scope, connector.user_id, connector.scope_id)
            await self._indexes.set_payload({"scope": scope}, {"connector_id": connector_id})
