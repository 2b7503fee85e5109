"""States of indexes beside the active one, and the switch to one of them."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from sqlalchemy import (
    SmallInteger,
    Text,
    and_,
    bindparam,
    delete,
    func,
    select,
    update,
)

from echomind_lib.db.models import EmbeddingModel, IndexDocument
from echomind_lib.db.statements import Command, Connection, Query
from echomind_lib.indexes.rows import EMBEDDER, IS_ACTIVE, Index

STANDBY: Final = timedelta(days=1)
"""How long an index is kept after another one became active."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRow:
    """An index that is, or was, filled."""

    id: int
    collection: str
    model_id: str
    dimension: int
    sparse_encoder: str
    is_active: bool
    state: str | None
    is_expired: bool
    """Whether it was kept long enough."""

    @property
    def index(self) -> Index:
        """Returns it as searches see it."""
        return Index(
            collection=self.collection,
            model_id=self.model_id,
            dimension=self.dimension,
            sparse_encoder=self.sparse_encoder,
        )


_COLUMNS: Final = (
    EmbeddingModel.id,
    EmbeddingModel.collection,
    EMBEDDER,
    EmbeddingModel.model_dimension.label("dimension"),
    EmbeddingModel.sparse_encoder,
    EmbeddingModel.is_active,
    EmbeddingModel.index_state.label("state"),
    and_(
        EmbeddingModel.index_state == "standby",
        EmbeddingModel.state_since < func.now() - func.make_interval(0, 0, 0, STANDBY.days),
    ).label("is_expired"),
)
_BESIDE: Final = Query(select(*_COLUMNS).where(EmbeddingModel.index_state.is_not(None)), IndexRow)
_ACTIVE: Final = Query(select(*_COLUMNS).where(IS_ACTIVE), IndexRow)

_index_id = bindparam("index_id", type_=SmallInteger)
_MESSAGE: Final = Command(
    update(EmbeddingModel)
    .where(EmbeddingModel.id == _index_id, EmbeddingModel.index_state.is_not(None))
    .where(EmbeddingModel.state_message.is_distinct_from(bindparam("message", type_=Text)))
    .values(state_message=bindparam("message", type_=Text))
)
_LOCK: Final = Query(select(EmbeddingModel.id).order_by(EmbeddingModel.id).with_for_update(), int)
_RETIRE: Final = Command(
    update(EmbeddingModel)
    .where(IS_ACTIVE, EmbeddingModel.id != _index_id)
    .values(is_active=False, index_state="standby", state_since=func.now(), state_message=None)
)
_ACTIVATE: Final = Command(
    update(EmbeddingModel)
    .where(
        EmbeddingModel.id == _index_id,
        EmbeddingModel.deleted_date.is_(None),
        EmbeddingModel.index_state == bindparam("state", type_=Text),
        EmbeddingModel.index_state.in_(["building", "standby"]),
    )
    .values(is_active=True, index_state=None, state_since=func.now(), state_message=None)
)
_BEGIN: Final = Command(
    update(EmbeddingModel)
    .where(EmbeddingModel.id == _index_id, EmbeddingModel.index_state.is_(None), ~EmbeddingModel.is_active)
    .values(index_state="building", state_since=func.now(), state_message=None)
)
_DROP: Final = Command(
    update(EmbeddingModel)
    .where(EmbeddingModel.id == _index_id, EmbeddingModel.index_state.in_(["building", "standby"]))
    .values(index_state="dropping", state_since=func.now(), state_message=None)
)
_FORGET: Final = Command(delete(IndexDocument).where(IndexDocument.index_id == _index_id))
_DROPPED: Final = Command(
    update(EmbeddingModel)
    .where(EmbeddingModel.id == _index_id, EmbeddingModel.index_state == "dropping")
    .values(index_state=None, state_since=None)
)


async def indexes_beside(connection: Connection) -> list[IndexRow]:
    """Returns the indexes that are filled, kept or dropped beside the active one; usually none."""
    return await _BESIDE.fetch_all(connection)


async def active_row(connection: Connection) -> IndexRow | None:
    """Returns the active index; None if there is none."""
    return await _ACTIVE.fetch_one(connection)


async def set_message(connection: Connection, index_id: int, message: str | None) -> None:
    """Stores why filling an index does not continue; None if it does."""
    await _MESSAGE.execute(connection, index_id=index_id, message=message)


async def begin(connection: Connection, index_id: int) -> bool:
    """Begins to fill an index; False if it is filled already, or being dropped."""
    return await _BEGIN.execute(connection, index_id=index_id) == 1


async def switch(connection: Connection, index_id: int, state: str) -> bool:
    """Makes an index the active one and keeps the previous one; call it in a transaction.

    Args:
        connection: The transaction.
        index_id: The index.
        state: The state that it must have.

    Returns:
        Whether it had that state. Otherwise the transaction has to be rolled back.
    """
    await _LOCK.fetch_all(connection)
    await _RETIRE.execute(connection, index_id=index_id)
    return await _ACTIVATE.execute(connection, index_id=index_id, state=state) == 1


async def drop(connection: Connection, index_id: int) -> bool:
    """Marks an index that is not active for being dropped; False if it has no collection."""
    return await _DROP.execute(connection, index_id=index_id) == 1


async def dropped(connection: Connection, index_id: int) -> None:
    """Records that the collection of an index was deleted."""
    await _FORGET.execute(connection, index_id=index_id)
    await _DROPPED.execute(connection, index_id=index_id)
