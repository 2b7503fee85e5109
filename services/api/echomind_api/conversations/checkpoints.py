"""Checkpoints: stored states of conversations that can be restored."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Select, inspect, select
from typing_extensions import override

from echomind_api.conversations.access import require_session
from echomind_api.conversations.session_rows import read_session
from echomind_api.rows import missing
from echomind_lib.access.rules import Action
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.conversations.checkpoints import create, remove
from echomind_lib.conversations.restore import restore
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import Page, read_page
from echomind_lib.events.log import EventLog
from echomind_lib.mappers import checkpoints
from echomind_lib.models import public

_WITHOUT_STATE = [column for column in inspect(rows.Checkpoint).columns if column.name != "session_state"]
"""Columns of a checkpoint in a list, where its state, which may be long, is left out."""


def page_of_checkpoints(session_id: int, page: Page[Any]) -> Select[Any]:
    """Returns the statement of a page of a session's checkpoints, newest first."""
    of_session = select(*_WITHOUT_STATE).where(rows.Checkpoint.chat_session_id == session_id)
    return page.select(of_session, rows.Checkpoint.id, descending=True)


class Checkpoints(public.CheckpointService):
    """The service `CheckpointService`."""

    def __init__(self, database: Database, log: EventLog) -> None:
        self._database = database
        self._log = log

    @override
    async def list_checkpoints(
        self, request: public.ListCheckpointsRequest, call: CallContext
    ) -> public.ListCheckpointsResponse:
        session = request.chat_session_id
        await require_session(self._database, call, session, "read")
        page = read_page(request.page_size, request.page_token, tuple[int], "checkpoints", session)
        query = page_of_checkpoints(session, page)
        async with self._database.session() as orm:
            found, token = page.cut((await orm.execute(query)).all(), lambda row: (row.id,))
        return public.ListCheckpointsResponse(
            checkpoints=[checkpoints.to_model(row) for row in found], next_page_token=token
        )

    @override
    async def get_checkpoint(self, request: public.GetCheckpointRequest, call: CallContext) -> public.Checkpoint:
        return checkpoints.to_model(await self._read(request.id, call, "read"))

    @override
    async def create_checkpoint(self, request: public.CreateCheckpointRequest, call: CallContext) -> public.Checkpoint:
        await require_session(self._database, call, request.chat_session_id, "manage")
        checkpoint = request.checkpoint
        name = checkpoint.name or f"Checkpoint of {datetime.now(UTC):%d %B %Y, %H:%M} UTC"
        made = await create(self._log, request.chat_session_id, "manual", name, description=checkpoint.description)
        return await self.get_checkpoint(public.GetCheckpointRequest(id=made.checkpoint_id), call)

    @override
    async def restore_checkpoint(
        self, request: public.RestoreCheckpointRequest, call: CallContext
    ) -> public.ChatSession:
        await self._read(request.id, call, "manage")
        session_id = await restore(self._log, request.id, call.principal.user_id)
        return await read_session(self._database, session_id, call.principal)

    @override
    async def delete_checkpoint(self, request: public.DeleteCheckpointRequest, call: CallContext) -> Empty:
        await self._read(request.id, call, "manage")
        await remove(self._log, request.id)
        return Empty()

    async def _read(self, checkpoint_id: int, call: CallContext, action: Action) -> rows.Checkpoint:
        """Returns a checkpoint when the caller may do this with its session.

        Raises:
            NotFoundError: There is no such checkpoint, or they may not see it.
            PermissionDeniedError: They may read it and not change it.
        """
        async with self._database.session() as session:
            row = await session.get(rows.Checkpoint, checkpoint_id)
        if row is None:
            raise missing("checkpoint", checkpoint_id)
        await require_session(self._database, call, row.chat_session_id, action, "checkpoint", checkpoint_id)
        return row
