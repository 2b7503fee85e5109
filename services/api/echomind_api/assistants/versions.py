"""Versions of assistants: what each change of one has made of it.

A version is a snapshot of the columns that people change. Nothing is stored for a change that changes nothing, and
nothing for drafts.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Integer, Select, func, select, type_coerce, update
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.assistants.members import read_members
from echomind_api.rows import missing
from echomind_lib.db.models import Assistant, AssistantVersion, Llm, User
from echomind_lib.mcp_servers import with_newest_secrets

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
"""What a snapshot holds of the assistant's row; `members` is there too when it has some."""

VersionRow = tuple[AssistantVersion, str | None]
"""A version, and the name of whoever made it."""


async def record_version(
    session: AsyncSession, row: Assistant, user_id: int | None = None, restored_version: int | None = None
) -> None:
    """Stores what an assistant is now as its next version, unless it is what it was.

    Args:
        session: The transaction of the change, in which no other one can change the assistant.
        row: The assistant, with `id` and what it has become.
        user_id: ID of the user who changed it; None for EchoMind itself.
        restored_version: The version that it was made of, if one was restored.
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
    await session.flush()
    await session.refresh(row)


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
    wanted = type_coerce(AssistantVersion.version, Integer) == version
    found = (await session.execute(_versions(assistant_id).where(wanted))).one_or_none()
    if found is None:
        raise missing("version of the assistant", version)
    return found[0], found[1]


async def restored_columns(session: AsyncSession, snapshot: Mapping[str, Any], row: Assistant) -> dict[str, Any]:
    """Returns the columns that make an assistant what a snapshot says.

    Being the default is a matter of all assistants, so it stays as it is, and the default one stays visible. A chat
    model that was removed is left to the default one.
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
    name = func.nullif(func.btrim(func.concat_ws(" ", User.first_name, User.last_name)), "")
    return (
        select(AssistantVersion, func.coalesce(name, User.user_name))
        .outerjoin(User, User.id == AssistantVersion.created_by)
        .where(AssistantVersion.assistant_id == assistant_id)
    )
