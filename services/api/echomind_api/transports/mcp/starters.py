"""Starters of assistants as prompts."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Integer, bindparam, select

from echomind_api.transports.openai.models import slug
from echomind_lib.access.assistant_choice import limits_of, usable, within_key
from echomind_lib.contract import CallContext
from echomind_lib.db.database import Database
from echomind_lib.db.models.catalog import Assistant
from echomind_lib.db.models.identity import User
from echomind_lib.db.statements import Query


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offering:
    id: int
    name: str
    starter_messages: list[str]


@dataclass(frozen=True, slots=True)
class Starter:
    """A question that an assistant offers."""

    name: str
    title: str
    text: str


_OFFERING: Final = Query(
    select(Assistant.id, Assistant.name, Assistant.starter_messages)
    .join(User, User.id == bindparam("user_id", type_=Integer))
    .where(usable(), within_key(), ~Assistant.is_draft)
    .order_by(Assistant.display_priority, Assistant.id)
    .limit(100),
    _Offering,
)


async def read_starters(database: Database, call: CallContext) -> list[Starter]:
    """Returns the starters of the assistants that the caller may use."""
    found = await _OFFERING.fetch_all(database.pool, user_id=call.principal.user_id, **limits_of(call.principal.limits))
    return [
        Starter(f"{slug(assistant.name)}-{assistant.id}-{number}", f"{assistant.name}: {text[:60]}", text)
        for assistant in found
        for number, text in enumerate(assistant.starter_messages, 1)
    ]
