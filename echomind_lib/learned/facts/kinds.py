"""The kinds of facts: their searchable rows, readers and texts. No other module defines them."""

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

from sqlalchemy import BigInteger, Integer, Text, bindparam, case, cast, func, literal, select, union_all
from sqlalchemy.dialects.postgresql import ARRAY

from echomind_lib.db.models import AgentMemory, KnowledgeEntity
from echomind_lib.db.statements import Connection, Query

FactKind: TypeAlias = Literal["memory", "knowledge"]
"""The kind of a fact, as stored in the payload field `kind`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactText:
    """A searchable fact."""

    id: int
    point_id: str
    """The id of its point, a UUID, which is the same in every collection."""
    scope: str
    """Scopes of its readers, as `access.scopes_of`."""
    text: str


# The searchable rows of each kind, with the scope of their readers; closed and expired rows are excluded.
_SOURCES: Final[dict[FactKind, Any]] = {
    "memory": select(
        cast(AgentMemory.id, BigInteger).label("id"),
        AgentMemory.embedding_id.label("point_id"),
        func.concat("user_", AgentMemory.user_id).label("scope"),
        AgentMemory.content.label("text"),
    ).where(AgentMemory.valid_to.is_(None)),
    "knowledge": select(
        KnowledgeEntity.id.label("id"),
        KnowledgeEntity.embedding_id.label("point_id"),
        case((KnowledgeEntity.level == "individual", func.concat("user_", KnowledgeEntity.user_id)), else_="org").label(
            "scope"
        ),
        func.concat(KnowledgeEntity.title, "\n", KnowledgeEntity.content).label("text"),
    ),
}

_ids = bindparam("ids", type_=ARRAY(BigInteger))
_limit = bindparam("limit", type_=Integer)


def _texts(source: Any) -> Query[FactText]:
    rows = source.subquery("facts")
    return Query(
        select(rows.c.id, rows.c.point_id, rows.c.scope, rows.c.text).where(rows.c.id == func.any(_ids)), FactText
    )


_TEXTS: Final = {kind: _texts(source) for kind, source in _SOURCES.items()}

_every = [
    select(literal(kind, Text).label("kind"), source.subquery(f"{kind}_facts").c.id)
    for kind, source in _SOURCES.items()
]
_IDS: Final = {
    kind: Query(
        select(rows.c.id).where(rows.c.id > bindparam("after", type_=BigInteger)).order_by(rows.c.id).limit(_limit), int
    )
    for kind, source in _SOURCES.items()
    for rows in [source.subquery("facts")]
}
ALL_FACTS: Final = union_all(*_every).subquery("all_facts")
"""Kind and id of all searchable facts."""

assert _SOURCES.keys() == set(get_args(FactKind))


async def fact_ids(connection: Connection, kind: FactKind, after: int, limit: int) -> list[int]:
    """Returns ids of searchable facts in ascending order, from `after` on."""
    return await _IDS[kind].fetch_all(connection, after=after, limit=limit)


async def fact_texts(connection: Connection, kind: FactKind, ids: list[int]) -> list[FactText]:
    """Returns the searchable facts among the given ones."""
    return await _TEXTS[kind].fetch_all(connection, ids=ids)
