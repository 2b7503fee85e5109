"""States of conversations to go back to."""

from datetime import UTC, datetime

from typing_extensions import override

from echomind_api.administration.rows import missing
from echomind_api.conversations.access import require_session
from echomind_api.conversations.sessions import read_session
from echomind_lib.access.rules import Action
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.conversations.checkpoints import create, remove, restore
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.events.log import publish
from echomind_lib.mappers import checkpoints
from echomind_lib.messaging import Bus
from echomind_lib.models.public import (
    ChatSession,
    Checkpoint,
    CheckpointService,
    CreateCheckpointRequest,
    DeleteCheckpointRequest,
    GetCheckpointRequest,
    ListCheckpointsRequest,
    ListCheckpointsResponse,
    RestoreCheckpointRequest,
)

_PAGE = """
SELECT id, chat_session_id, run_id, name, description, checkpoint_type, step_number, creation_date
FROM checkpoints WHERE chat_session_id = $1 {after} ORDER BY id DESC LIMIT $2
"""


class Checkpoints(CheckpointService):
    """The service `CheckpointService`."""

    def __init__(self, database: Database, bus: Bus) -> None:
        self._database = database
        self._pool = database.pool
        self._bus = bus

    @override
    async def list_checkpoints(self, request: ListCheckpointsRequest, call: CallContext) -> ListCheckpointsResponse:
        session = request.chat_session_id
        await require_session(self._database, call, session, "read")
        page = read_page(request.page_size, request.page_token, tuple[int], "checkpoints", session)
        statement = _PAGE.format(after="AND id < $3" if page.after else "")
        rows = await self._pool.fetch(statement, session, page.limit, *(page.after or ()))
        found, token = page.cut(rows, lambda row: (row["id"],))
        return ListCheckpointsResponse(checkpoints=[checkpoints.to_model(row) for row in found], next_page_token=token)

    @override
    async def get_checkpoint(self, request: GetCheckpointRequest, call: CallContext) -> Checkpoint:
        await self._require(request.id, call, "read")
        row = await self._pool.fetchrow("SELECT * FROM checkpoints WHERE id = $1", request.id)
        if row is None:
            raise missing("checkpoint", request.id)
        return checkpoints.to_model(row)

    @override
    async def create_checkpoint(self, request: CreateCheckpointRequest, call: CallContext) -> Checkpoint:
        await require_session(self._database, call, request.chat_session_id, "manage")
        wanted = request.checkpoint
        name = wanted.name or f"Checkpoint of {datetime.now(UTC):%d %B %Y, %H:%M} UTC"
        made = await create(self._pool, request.chat_session_id, "manual", name, description=wanted.description)
        await publish(self._bus, made.stored)
        return await self.get_checkpoint(GetCheckpointRequest(id=made.checkpoint_id), call)

    @override
    async def restore_checkpoint(self, request: RestoreCheckpointRequest, call: CallContext) -> ChatSession:
        await self._require(request.id, call, "manage")
        restored = await restore(self._pool, request.id, call.principal.user_id)
        for stored in restored.stored:
            await publish(self._bus, stored)
        return await read_session(self._database, restored.chat_session_id)

    @override
    async def delete_checkpoint(self, request: DeleteCheckpointRequest, call: CallContext) -> Empty:
        await self._require(request.id, call, "manage")
        await publish(self._bus, await remove(self._pool, request.id))
        return Empty()

    async def _require(self, checkpoint_id: int, call: CallContext, action: Action) -> None:
        """Lets pass who may do this with a checkpoint; who may do what with one is said of its session."""
        session = await self._pool.fetchval("SELECT chat_session_id FROM checkpoints WHERE id = $1", checkpoint_id)
        if session is None:
            raise missing("checkpoint", checkpoint_id)
        await require_session(self._database, call, session, action, "checkpoint", checkpoint_id)
