"""The setup checklist of each user: its steps and which of them are done."""

from typing import Final

from sqlalchemy import ColumnElement, exists, or_, select
from typing_extensions import override

from echomind_lib.access import Principal
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.documents.guide import GUIDE_MARK
from echomind_lib.mappers.columns import pick
from echomind_lib.models import public

_EVERYONES: Final = (public.SetupStepKind.PROFILE, public.SetupStepKind.PASSWORD)
_SUPERADMINS: Final = (
    public.SetupStepKind.PASSWORD,
    public.SetupStepKind.MODEL,
    public.SetupStepKind.DOCUMENTS,
    public.SetupStepKind.QUESTION,
)


class Setups(public.SetupService):
    """The service `SetupService`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    async def get_setup(self, request: Empty, call: CallContext) -> public.Setup:
        return await self._read(call.principal)

    @override
    async def update_setup(self, request: public.UpdateSetupRequest, call: CallContext) -> public.Setup:
        settings = {
            "skipped": sorted(kind.word for kind in request.setup.skipped),
            "is_hidden": request.setup.is_hidden,
        }
        changes = pick(public.Setup, settings, request.update_mask)
        async with self._database.session() as session:
            user = await session.get_one(rows.User, call.principal.user_id)
            user.skipped_setup_steps = changes.get("skipped", user.skipped_setup_steps)
            user.is_setup_hidden = changes.get("is_hidden", user.is_setup_hidden)
        return await self._read(call.principal)

    async def _read(self, principal: Principal) -> public.Setup:
        kinds = _SUPERADMINS if principal.has_role("superadmin") else _EVERYONES
        is_done = [_DONE[kind](principal.user_id).label(kind.word) for kind in kinds]
        query = select(rows.User, _has_identity(principal.user_id), *is_done).where(rows.User.id == principal.user_id)
        async with self._database.session() as session:
            user, has_identity, *done = (await session.execute(query)).one()
        skipped = [public.SetupStepKind.from_word(word) for word in user.skipped_setup_steps]
        steps = [
            public.SetupStep(kind=kind, status=_status(is_done=one, is_skipped=kind in skipped))
            for kind, one in zip(kinds, done, strict=True)
            if one or not (has_identity and kind is public.SetupStepKind.PASSWORD)
        ]
        return public.Setup(steps=steps, skipped=skipped, is_hidden=user.is_setup_hidden)


def _status(*, is_done: bool, is_skipped: bool) -> public.SetupStepStatus:
    if is_done:
        return public.SetupStepStatus.DONE
    return public.SetupStepStatus.SKIPPED if is_skipped else public.SetupStepStatus.OPEN


def _has_name(_: int) -> ColumnElement[bool]:
    return or_(rows.User.first_name.is_not(None), rows.User.last_name.is_not(None))


def _has_password(user_id: int) -> ColumnElement[bool]:
    return exists().where(rows.Credential.user_id == user_id)


def _has_identity(user_id: int) -> ColumnElement[bool]:
    """Returns whether the person signs in at a provider, and so needs no password."""
    return exists().where(rows.UserIdentity.user_id == user_id)


def _has_model(_: int) -> ColumnElement[bool]:
    return exists().where(rows.Llm.deleted_date.is_(None), rows.Llm.provider != "extractive")


def _has_documents(_: int) -> ColumnElement[bool]:
    return exists().where(
        rows.Document.deleted_date.is_(None),
        rows.Connector.id == rows.Document.connector_id,
        rows.Connector.deleted_date.is_(None),
        ~rows.Connector.config.contains(GUIDE_MARK),
    )


def _has_asked(user_id: int) -> ColumnElement[bool]:
    return exists().where(rows.ChatSession.user_id == user_id, rows.ChatSession.message_count > 0)


_DONE: Final = {
    public.SetupStepKind.PROFILE: _has_name,
    public.SetupStepKind.PASSWORD: _has_password,
    public.SetupStepKind.MODEL: _has_model,
    public.SetupStepKind.DOCUMENTS: _has_documents,
    public.SetupStepKind.QUESTION: _has_asked,
}
"""Whether a step is done for an account, in a query of `User`."""
