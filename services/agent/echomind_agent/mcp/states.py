"""The states of MCP servers as seen by an agent, stored for the health page."""

import time
from typing import Final

import asyncpg
from sqlalchemy import Integer, String, Text, bindparam, case, func, null, select
from sqlalchemy.dialects.postgresql import insert

from echomind_lib.db.models import Assistant, McpServerState
from echomind_lib.db.statements import Command

_AGAIN_SECONDS: Final = 60.0
"""Interval at which an unchanged state is stored again."""


def _store() -> Command:
    state = McpServerState
    error = bindparam("error", type_=Text)
    has_failed = error != ""
    # Selects no row if the assistant was deleted meanwhile.
    now = select(
        Assistant.id,
        bindparam("server_name", type_=String),
        case((has_failed, null()), else_=func.now()),
        case((has_failed, func.now())),
        error,
    ).where(Assistant.id == bindparam("assistant_id", type_=Integer))
    stored = insert(state).from_select(["assistant_id", "server_name", "reached_at", "failed_at", "error"], now)
    new = stored.excluded
    return Command(
        stored.on_conflict_do_update(
            index_elements=[state.assistant_id, state.server_name],
            set_={
                "reached_at": func.coalesce(new.reached_at, state.reached_at),
                "failed_at": func.coalesce(new.failed_at, state.failed_at),
                # A success keeps the last error and its time.
                "error": case((new.error != "", new.error), else_=state.error),
            },
        )
    )


_STORE: Final = _store()


class McpServerStates:
    """Stores whether MCP servers are reachable, on changes and once a minute."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool
        self._stored: dict[tuple[int, str], tuple[str, float]] = {}

    async def note(self, assistant_id: int, errors: dict[str, str]) -> None:
        """Stores the current states of an assistant's servers.

        Args:
            assistant_id: The assistant.
            errors: Error of each server, by its name; empty if it was reached.
        """
        for name, error in errors.items():
            before, when = self._stored.get((assistant_id, name), (None, 0.0))
            if error != before or time.monotonic() - when > _AGAIN_SECONDS:
                self._stored[assistant_id, name] = error, time.monotonic()
                await _STORE.execute(self._pool, assistant_id=assistant_id, server_name=name, error=error)
