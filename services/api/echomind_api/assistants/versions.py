"""Versions of assistants: a snapshot after each change.

A version is a snapshot of the columns that users can change. Updates without effect and drafts create no version.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Integer, Select, select, type_coerce, update
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.assistants.members import read_members
from echomind_api.people import full_name
from echomind_api.rows import missing, reload
from echomind_lib.assistants.mcp_servers import with_newest_secrets
from echomind_lib.db.models import Assistant, AssistantVersion, Llm, User

COLUMNS: Final = (
    "name",
    "description",
    "llm_id",
    "system_prompt",
    "task_prompt",
    "starter_messages",
    "is_default",
    "is_visible",
    "display_priority",
    "config",
)
"""Columns of the assistant in a snapshot, which also has `members` if there are any."""

VersionRow = tuple[AssistantVersion, str | None]
"""A version and its author's name."""


async def record_version(
    session: AsyncSession, row: Assistant, user_id: int | None = None, restored_version: int | None = None
) -> None:
    """Stores the current state of an assistant as its next version if it has changed.

    Args:
        session: The transaction of the change, which must block other changes of the assistant.
        row: The assistant after the change, with `id`.
        user_id: ID of the user who changed it; None for EchoMind itself.
        restored_version: The restored version, if the change restored one.
    """
    if row.is_draft:
        return
    snapshot = {name: getattr(row, name) for name in COLUMNS}
    if team := (await read_members(session, [row.id]))[row.id]:
        snapshot["members"] = [
            {"assistant_id": member.assistant_id, "role": member.role, "version": member.version, "name": member.name}
            for member in team
        ]
    newest = await session.get(AssistantVersion, (row.id, row.version)) if row.version else None
    if newest is not None and newest.config == snapshot:
        return
    counted = update(Assistant).where(Assistant.id == row.id).values(version=Assistant.version + 1)
    version = (await session.scalars(counted.returning(Assistant.version))).one()
    session.add(
        AssistantVersion(
            assistant_id=row.id,
            version=version,
            config=snapshot,
            created_by=user_id,
            restored_version=restored_version,
        )
    )
    await reload(session, row)


async def list_versions(
    session: AsyncSession, assistant_id: int, limit: int, before: int | None = None
) -> Sequence[VersionRow]:
    """Returns the versions of an assistant, newest first, at most `limit` and only those below the number `before`."""
    query = _versions(assistant_id).order_by(AssistantVersion.version.desc()).limit(limit)
    if before is not None:
        query = query.where(AssistantVersion.version < before)
    return [(version, name) for version, name in await session.execute(query)]


async def find_version(session: AsyncSession, assistant_id: int, version: int) -> VersionRow:
    """Returns one version of an assistant.

    Raises:
        NotFoundError: There is no such version.
    """
    is_requested = type_coerce(AssistantVersion.version, Integer) == version
    found = (await session.execute(_versions(assistant_id).where(is_requested))).one_or_none()
    if found is None:
        raise missing("version of the assistant", version)
    return found[0], found[1]


async def restored_columns(session: AsyncSession, snapshot: Mapping[str, Any], row: Assistant) -> dict[str, Any]:
    """Returns the column values that restore an assistant to a snapshot.

    Whether the assistant is the default is not restored, and the default one stays visible. A removed chat model is
    replaced by the default one.
    """
    columns = {name: value for name, value in snapshot.items() if name in COLUMNS and name != "is_default"}
    if row.is_default:
        columns.pop("is_visible", None)
    known = select(Llm.id).where(Llm.id == snapshot.get("llm_id"), Llm.deleted_date.is_(None))
    columns["llm_id"] = await session.scalar(known)
    config: dict[str, Any] = columns.get("config") or {}
    if servers := config.get("mcpServers"):
        newer = (row.config or {}).get("mcpServers") or ()
        columns["config"] = {**config, "mcpServers": with_newest_secrets(servers, newer)}
    return columns


def _versions(assistant_id: int) -> Select[AssistantVersion, str | None]:
    return (
        select(AssistantVersion, full_name())
        .outerjoin(User, User.id == AssistantVersion.created_by)
        .where(AssistantVersion.assistant_id == assistant_id)
    )
