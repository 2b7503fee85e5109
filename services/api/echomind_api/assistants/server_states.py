"""The states of assistants' MCP servers when an agent last used them."""

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_lib.db.models import Assistant, McpServerState
from echomind_lib.models.public import HealthStatus, McpServerHealth


async def read_server_states(session: AsyncSession, assistant_id: int | None = None) -> list[McpServerHealth]:
    """Returns the states of servers that assistants still have, of all of them or of one."""
    state = McpServerState
    named = func.jsonb_build_array(func.jsonb_build_object("name", state.server_name))
    query = (
        select(state, Assistant.name)
        .join(Assistant, Assistant.id == state.assistant_id)
        .where(Assistant.deleted_date.is_(None), Assistant.config["mcpServers"].contains(named))
        .order_by(func.lower(Assistant.name), Assistant.id, state.server_name)
    )
    only = Assistant.id == assistant_id if assistant_id else ~Assistant.is_draft
    return [_to_health(row, name) for row, name in await session.execute(query.where(only))]


def _to_health(row: McpServerState, assistant_name: str) -> McpServerHealth:
    is_away = row.failed_at is not None and (row.reached_at is None or row.failed_at > row.reached_at)
    return McpServerHealth(
        assistant_id=row.assistant_id,
        assistant_name=assistant_name,
        server=row.server_name,
        status=HealthStatus.DEGRADED if is_away else HealthStatus.OK,
        last_error=row.error,
        failed_at=row.failed_at,
        reached_at=row.reached_at,
    )
