"""The rules for what is deleted because of its age: superadmins see, try and set them."""

from typing import cast, get_args

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import override

from echomind_api.auth.credentials import hold
from echomind_api.retention.expiries import Expiries
from echomind_api.retention.rules import RetentionRules
from echomind_api.rows import audit
from echomind_lib.access import require_role
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.words import RetentionData
from echomind_lib.mappers import retention_rules
from echomind_lib.models import public


class Retention(public.RetentionService):
    """The service `RetentionService`."""

    def __init__(self, database: Database, rules: RetentionRules, expiries: Expiries) -> None:
        self._database, self._rules, self._expiries = database, rules, expiries

    @override
    async def list_retention_rules(self, request: Empty, call: CallContext) -> public.ListRetentionRulesResponse:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            return public.ListRetentionRulesResponse(
                rules=[await self._read(session, data) for data in get_args(RetentionData)]
            )

    @override
    async def preview_retention_rule(
        self, request: public.PreviewRetentionRuleRequest, call: CallContext
    ) -> public.PreviewRetentionRuleResponse:
        require_role(call.principal, "superadmin")
        found = await self._expiries[_word(request.data)](request.days).preview()
        return public.PreviewRetentionRuleResponse(
            count=found.count, has_more=found.has_more, oldest_at=found.oldest_at
        )

    @override
    async def set_retention_rule(
        self, request: public.SetRetentionRuleRequest, call: CallContext
    ) -> public.RetentionRule:
        require_role(call.principal, "superadmin")
        data, table = _word(request.data), rows.RetentionRule
        async with self._database.session() as session:
            await hold(session, call.principal)
            before = (await self._read(session, data)).days
            if request.days is None:
                await session.execute(delete(table).where(table.data == data))
            else:
                values = {"days": request.days, "user_id_last_update": call.principal.user_id}
                await session.execute(
                    insert(table)
                    .values(data=data, **values)
                    .on_conflict_do_update(index_elements=[table.data], set_=values)
                )
            rule = await self._read(session, data)
            audit(session, call, f"retention-rules/{data}", days=rule.days, before=before, is_set=rule.is_set)
        return rule

    async def _read(self, session: AsyncSession, data: RetentionData) -> public.RetentionRule:
        query = (
            select(rows.RetentionRule, rows.User.user_name)
            .outerjoin(rows.User, rows.User.id == rows.RetentionRule.user_id_last_update)
            .where(rows.RetentionRule.data == data)
        )
        found = (await session.execute(query, execution_options={"populate_existing": True})).one_or_none()
        row, set_by = (None, None) if found is None else found
        return retention_rules.to_model(data, row, self._rules.defaults[data], set_by or "")


def _word(data: public.RetentionData) -> RetentionData:
    return cast("RetentionData", data.word)
