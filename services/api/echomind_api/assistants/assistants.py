"""Assistants. Everyone uses the visible ones, superadmins manage. One of them is always the default."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Integer, Select, func, select, type_coerce, update
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.assistants import members
from echomind_api.assistants.differences import differences
from echomind_api.assistants.drafts import delete_drafts, save_draft
from echomind_api.assistants.mcp_servers import check_programs, check_servers
from echomind_api.assistants.server_states import read_server_states
from echomind_api.assistants.tools import check_tools, list_tools
from echomind_api.assistants.versions import COLUMNS, find_version, list_versions, record_version, restored_columns
from echomind_api.people import with_updaters
from echomind_api.rows import audit, lock_table, missing, reload, unique
from echomind_lib.access import Principal, require_role
from echomind_lib.access import assistants as rule_of
from echomind_lib.config import McpSettings
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import Page, read_page
from echomind_lib.errors import PermissionDeniedError, ValidationFailedError
from echomind_lib.mappers import assistant_versions, assistants
from echomind_lib.messaging import Bus
from echomind_lib.models import public
from echomind_lib.secrets import Secrets

_UNIQUE = {"idx_assistants_name": "name"}
_FIELDS = (*COLUMNS, "groups")
"""Columns that are written from the request; `groups` is no part of versions, so that restoring one shares nothing."""
_HIDDEN = {"is_default": False, "is_visible": False}


class Assistants(public.AssistantService):
    """The service `AssistantService`."""

    def __init__(self, database: Database, secrets: Secrets, bus: Bus, mcp: McpSettings) -> None:
        self._database = database
        self._secrets = secrets
        self._bus = bus
        self._mcp = mcp

    @override
    async def list_assistant_tools(
        self, request: public.ListAssistantToolsRequest, call: CallContext
    ) -> public.ListAssistantToolsResponse:
        async with self._database.session() as session:
            row = await _find(session, call.principal, request.id)
        # Outside the transaction, because the agent may wait for MCP servers.
        reply = await list_tools(self._bus, row.id)
        async with self._database.session() as session:
            servers = await read_server_states(session, row.id)
        return public.ListAssistantToolsResponse(
            tools=[public.ToolInfo.from_pb(tool) for tool in reply.tools], servers=servers
        )

    @override
    async def list_assistants(
        self, request: public.ListAssistantsRequest, call: CallContext
    ) -> public.ListAssistantsResponse:
        principal: Principal = call.principal
        sees_hidden = principal.has_role("superadmin")
        reader = (sees_hidden, sorted(principal.groups))
        page = read_page(request.page_size, request.page_token, tuple[int, int], "assistants", *reader)
        async with self._database.session() as session:
            query = page_of_assistants(principal, page)
            found, token = page.cut((await session.scalars(query)).all(), lambda row: (row.display_priority, row.id))
            shown = await _shown(session, principal, found)
        return public.ListAssistantsResponse(assistants=shown, next_page_token=token)

    @override
    async def get_assistant(self, request: public.GetAssistantRequest, call: CallContext) -> public.Assistant:
        async with self._database.session() as session:
            return await _shown_one(session, call.principal, await _find(session, call.principal, request.id))

    @override
    async def create_assistant(self, request: public.CreateAssistantRequest, call: CallContext) -> public.Assistant:
        require_role(call.principal, "superadmin")
        _check_config(request.assistant)
        await check_programs(self._bus, self._mcp, request.assistant.config)
        await check_tools(self._bus, request.assistant.config)
        async with self._database.session() as session:
            await lock_table(session, rows.Assistant)  # exactly one is the default
            columns = assistants.to_columns(request.assistant, _FIELDS, self._secrets)
            await _check(session, columns)
            row = rows.Assistant(**columns, created_by=call.principal.user_id)
            if row.is_default:
                _check_default(row.is_visible, row.groups)
                await _clear_default(session, call)
            session.add(row)
            with unique("assistant", _UNIQUE):
                await session.flush()
            await members.write_members(session, call.principal, row, request.assistant.members)
            await record_version(session, row, call.principal.user_id)
            audit(session, call, f"assistants/{row.id}", name=row.name)
            await reload(session, row)
            return await _shown_one(session, call.principal, row)

    @override
    async def update_assistant(self, request: public.UpdateAssistantRequest, call: CallContext) -> public.Assistant:
        require_role(call.principal, "superadmin")
        _check_config(request.assistant)
        if "config" in (request.update_mask or ()):
            async with self._database.session() as session:
                stored = (await _find(session, call.principal, request.id)).config
            await check_programs(self._bus, self._mcp, request.assistant.config, stored)
            await check_tools(self._bus, request.assistant.config, stored)
        async with self._database.session() as session:
            await lock_table(session, rows.Assistant)  # exactly one is the default
            row = await _find(session, call.principal, request.id)
            columns = assistants.to_columns(request.assistant, request.update_mask, self._secrets, row.config)
            await _check(session, columns)
            if row.is_draft and (columns.get("is_default") or columns.get("is_visible")):
                raise ValidationFailedError.of("is_visible", "cannot be true for a draft: save the assistant instead")
            if row.is_default and columns.get("is_default") is False:
                raise ValidationFailedError.of(
                    "is_default", "cannot be false: make another assistant the default instead"
                )
            if columns.get("is_default", row.is_default):
                _check_default(columns.get("is_visible", row.is_visible), columns.get("groups", row.groups))
            if columns.get("is_default") and not row.is_default:
                await _clear_default(session, call)
            row = await _write(session, row.id, columns, call)
            if members.FIELD in request.update_mask:
                await members.write_members(session, call.principal, row, request.assistant.members)
            await record_version(session, row, call.principal.user_id)
            audit(session, call, f"assistants/{row.id}", fields=sorted(request.update_mask))
            return await _shown_one(session, call.principal, row)

    @override
    async def duplicate_assistant(
        self, request: public.DuplicateAssistantRequest, call: CallContext
    ) -> public.Assistant:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            row = await _find(session, call.principal, request.id)
            columns = {name: getattr(row, name) for name in _FIELDS}
            copy = rows.Assistant(**columns | _HIDDEN | {"name": request.name}, created_by=call.principal.user_id)
            session.add(copy)
            with unique("assistant", _UNIQUE):
                await session.flush()
            team = (await members.read_members(session, [row.id]))[row.id]
            await members.write_members(session, call.principal, copy, team)
            await record_version(session, copy, call.principal.user_id)
            audit(session, call, f"assistants/{copy.id}", name=copy.name, copy_of=row.id)
            await reload(session, copy)
            return await _shown_one(session, call.principal, copy)

    @override
    async def save_assistant_draft(
        self, request: public.SaveAssistantDraftRequest, call: CallContext
    ) -> public.Assistant:
        require_role(call.principal, "superadmin")
        stored = None
        if request.id:
            async with self._database.session() as session:
                stored = (await _find(session, call.principal, request.id)).config
        _check_config(request.assistant)
        await check_programs(self._bus, self._mcp, request.assistant.config, stored)
        await check_tools(self._bus, request.assistant.config, stored)
        async with self._database.session() as session:
            columns = assistants.to_columns(request.assistant, _FIELDS, self._secrets, stored)
            await _check(session, columns)
            draft = await save_draft(session, call.principal, request.id or None, columns | _HIDDEN)
            await members.write_members(session, call.principal, draft, request.assistant.members)
            return await _shown_one(session, call.principal, draft)

    @override
    async def list_assistant_versions(
        self, request: public.ListAssistantVersionsRequest, call: CallContext
    ) -> public.ListAssistantVersionsResponse:
        require_role(call.principal, "superadmin")
        page = read_page(request.page_size, request.page_token, tuple[int], "assistant versions", request.id)
        async with self._database.session() as session:
            await _find(session, call.principal, request.id)
            found = await list_versions(session, request.id, page.limit, page.after[0] if page.after else None)
        kept, token = page.cut(found, lambda each: (each[0].version,))
        before = [row.config for row, _ in found[1:]] + [None]
        return public.ListAssistantVersionsResponse(
            versions=[_version(row, name, earlier) for (row, name), earlier in zip(kept, before, strict=False)],
            next_page_token=token,
        )

    @override
    async def get_assistant_version(
        self, request: public.GetAssistantVersionRequest, call: CallContext
    ) -> public.AssistantVersion:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            await _find(session, call.principal, request.id)
            row, name = await find_version(session, request.id, request.version)
            before = await list_versions(session, request.id, 1, row.version)
        return _version(row, name, before[0][0].config if before else None)

    @override
    async def diff_assistant_versions(
        self, request: public.DiffAssistantVersionsRequest, call: CallContext
    ) -> public.DiffAssistantVersionsResponse:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            await _find(session, call.principal, request.id)
            later, _ = await find_version(session, request.id, request.version)
            if request.base_version:
                before = [await find_version(session, request.id, request.base_version)]
            else:
                before = [*await list_versions(session, request.id, 1, later.version)]
        base = before[0][0] if before else None
        return public.DiffAssistantVersionsResponse(
            base_version=base.version if base else 0,
            version=later.version,
            changes=differences(base.config if base else None, later.config),
        )

    @override
    async def restore_assistant_version(
        self, request: public.RestoreAssistantVersionRequest, call: CallContext
    ) -> public.Assistant:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            stored = (await _find(session, call.principal, request.id)).config
            version, _ = await find_version(session, request.id, request.version)
        snapshot = assistants.of_snapshot(version.config)
        _check_config(snapshot)
        await check_programs(self._bus, self._mcp, snapshot.config, stored)
        async with self._database.session() as session:
            await lock_table(session, rows.Assistant)
            row = await _find(session, call.principal, request.id)
            columns = await restored_columns(session, version.config, row)
            row = await _write(session, row.id, columns, call)
            team = await members.without_removed(session, snapshot.members)
            await members.write_members(session, call.principal, row, team)
            await record_version(session, row, call.principal.user_id, version.version)
            audit(session, call, f"assistants/{row.id}", restored_version=version.version)
            return await _shown_one(session, call.principal, row)

    @override
    async def delete_assistant(self, request: public.DeleteAssistantRequest, call: CallContext) -> Empty:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            await lock_table(session, rows.Assistant)  # exactly one is the default
            row = await _find(session, call.principal, request.id)
            if row.is_default:
                raise PermissionDeniedError("The default assistant cannot be removed: make another the default first.")
            await _write(session, row.id, {"deleted_date": func.now()}, call)
            await delete_drafts(session, row.id)
            audit(session, call, f"assistants/{row.id}", name=row.name)
        return Empty()


def _visible(principal: Principal) -> Select[rows.Assistant]:
    rule = rule_of("read")
    return (
        select(rows.Assistant)
        .where(rows.Assistant.deleted_date.is_(None), rule.where(rows.Assistant))
        .params(rule.values(principal))
    )


def page_of_assistants(principal: Principal, page: Page[tuple[int, int]]) -> Select[rows.Assistant]:
    """Returns the statement of a page of the assistants that a user may see."""
    visible = _visible(principal).where(~rows.Assistant.is_draft)
    return page.select(visible, rows.Assistant.display_priority, rows.Assistant.id)


async def _shown(
    session: AsyncSession, principal: Principal, found: Sequence[rows.Assistant]
) -> list[public.Assistant]:
    teams = await members.read_members(session, [row.id for row in found])
    to_manage = principal.has_role("superadmin")
    shown = [assistants.to_model(row, teams[row.id], to_manage=to_manage) for row in found]
    return await with_updaters(session, zip(found, shown, strict=True)) if to_manage else shown


async def _shown_one(session: AsyncSession, principal: Principal, row: rows.Assistant) -> public.Assistant:
    (assistant,) = await _shown(session, principal, [row])
    return assistant


def _version(row: rows.AssistantVersion, name: str | None, before: Mapping[str, Any] | None) -> public.AssistantVersion:
    changed = [change.field for change in differences(before, row.config)] if before is not None else []
    return assistant_versions.to_model(row, name, changed)


def _check_config(assistant: public.Assistant) -> None:
    if assistant.config is not None:
        check_servers(assistant.config.mcp_servers)


async def _find(session: AsyncSession, principal: Principal, assistant_id: int) -> rows.Assistant:
    # Ids in the contract are 32-bit, the column 16-bit.
    row = await session.scalar(_visible(principal).where(type_coerce(rows.Assistant.id, Integer) == assistant_id))
    if row is None:
        raise missing("assistant", assistant_id)
    return row


async def _check(session: AsyncSession, columns: dict[str, Any]) -> None:
    if llm_id := columns.get("llm_id"):
        known = select(rows.Llm.id).where(type_coerce(rows.Llm.id, Integer) == llm_id, rows.Llm.deleted_date.is_(None))
        if await session.scalar(known) is None:
            raise missing("chat model", llm_id)
    if groups := columns.get("groups"):
        # Locked, so that none is removed meanwhile.
        named = select(rows.Group.name).where(rows.Group.name.in_(groups)).with_for_update(read=True, key_share=True)
        if unknown := sorted(set(groups) - set(await session.scalars(named))):
            raise missing("group", unknown[0])


def _check_default(is_visible: bool, groups: Sequence[str]) -> None:
    """Raises `ValidationFailedError` unless everyone sees the default assistant."""
    if not is_visible:
        raise ValidationFailedError.of("is_visible", "must be true for the default assistant")
    if groups:
        raise ValidationFailedError.of("groups", "must be empty for the default assistant, as everyone has it")


async def _write(session: AsyncSession, row_id: int, columns: dict[str, Any], call: CallContext) -> rows.Assistant:
    change = (
        update(rows.Assistant)
        .where(rows.Assistant.id == row_id)
        .values(**columns, user_id_last_update=call.principal.user_id)
        .returning(rows.Assistant)
    )
    with unique("assistant", _UNIQUE):
        return (await session.scalars(change, execution_options={"populate_existing": True})).one()


async def _clear_default(session: AsyncSession, call: CallContext) -> None:
    default = select(rows.Assistant).where(rows.Assistant.is_default, rows.Assistant.deleted_date.is_(None))
    for row in await session.scalars(default):
        row.is_default, row.user_id_last_update = False, call.principal.user_id
        await record_version(session, row, call.principal.user_id)
