"""Assistants as OpenAI's models: their ids, and which one a request names."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import asyncpg
from sqlalchemy import Integer, bindparam, select

from echomind_api.transports.openai.errors import OpenAiError
from echomind_lib.access import Principal
from echomind_lib.access.assistant_choice import limits_of, usable, within_key
from echomind_lib.db.models.catalog import Assistant
from echomind_lib.db.models.identity import User
from echomind_lib.db.statements import Query

BY_ID: Final = "assistants/"
"""Prefix of the id that an assistant always has, whatever its name is."""
_NO_WORD: Final = re.compile(r"[^\w.]+")
_LIMIT: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Usable:
    id: int
    name: str
    creation_date: datetime


_ASSISTANTS: Final = Query(
    select(Assistant.id, Assistant.name, Assistant.creation_date)
    .join(User, User.id == bindparam("user_id", type_=Integer))
    .where(usable(), within_key(), ~Assistant.is_draft)
    .order_by(Assistant.id)
    .limit(_LIMIT),
    _Usable,
)


@dataclass(frozen=True, slots=True)
class NamedModel:
    """A model as clients list it."""

    id: str
    created: int
    """Seconds since 1970."""
    assistant_id: int = 0
    llm_id: int = 0
    """The chat model, for a plain model."""
    name: str = ""
    """What people call it."""

    def to_json(self) -> dict[str, Any]:
        """Returns it in OpenAI's form, with the name that front ends show instead of the id."""
        found = {"id": self.id, "object": "model", "created": self.created, "owned_by": "echomind"}
        return found | ({"name": self.name} if self.name else {})


def slug(name: str) -> str:
    """Returns a name in lower case, with hyphens between its words; accents are left out."""
    plain = name.casefold()
    if not plain.isascii():
        plain = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    return _NO_WORD.sub("-", plain).strip("-.") or "assistant"


def named(assistants: Sequence[_Usable]) -> list[NamedModel]:
    """Returns assistants with their ids: the slug of the name, which the oldest has where several have the same."""
    taken: set[str] = set()
    models = []
    for assistant in sorted(assistants, key=lambda each: each.id):
        name = slug(assistant.name)
        if name in taken:
            name = f"{name}-{assistant.id}"
        taken.add(name)
        models.append(NamedModel(name, int(assistant.creation_date.timestamp()), assistant.id, name=assistant.name))
    return models


async def list_models(pool: asyncpg.Pool, person: Principal) -> list[NamedModel]:
    """Returns the assistants that a person may use."""
    return named(await _ASSISTANTS.fetch_all(pool, user_id=person.user_id, **limits_of(person.limits)))


async def find_model(pool: asyncpg.Pool, person: Principal, name: str) -> NamedModel:
    """Returns the assistant that a request names.

    Args:
        pool: The database.
        person: The person, who must be allowed to use it.
        name: `assistants/ID`, or an id of `list_models`.

    Raises:
        OpenAiError: There is none.
    """
    models = await list_models(pool, person)
    for model in models:
        if name in (model.id, f"{BY_ID}{model.assistant_id}"):
            return NamedModel(name, model.created, model.assistant_id, name=model.name)
    known = ", ".join(model.id for model in models[:10])
    raise OpenAiError(
        f"There is no model {name!r} that you may use. Models are assistants: {known}.",
        status=404,
        code="model_not_found",
        param="model",
    )
