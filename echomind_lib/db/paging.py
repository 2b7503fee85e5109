"""Keyset pagination: a page begins after the last row of the previous one, so its cost does not grow with its position.

Example:
    page = read_page(request.page_size, request.page_token, tuple[int], "documents", connector_id)
    query = select(Document).where(Document.connector_id == connector_id)
    rows = (await session.scalars(page.select(query, Document.id, descending=True))).all()
    rows, next_page_token = page.cut(rows, lambda row: (row.id,))

The condition is omitted on the first page rather than disabled by a NULL parameter: a plan for both cases would not use
the index to find the start of the page.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Generic, TypeVar, TypeVarTuple

import msgspec

from echomind_lib.errors import InvalidPageTokenError

if TYPE_CHECKING:
    from sqlalchemy import Select, SQLColumnExpression

DEFAULT_PAGE_SIZE = 50
MAX_PAGE_SIZE = 1000

_CHECKSUM_BYTES = 8

KeyT = TypeVar("KeyT", bound=tuple[object, ...])
RowT = TypeVar("RowT")
Ts = TypeVarTuple("Ts")


@dataclass(frozen=True, slots=True)
class Page(Generic[KeyT]):
    """One page of a query that is sorted by a unique key."""

    size: int
    """Maximum rows to return to the caller."""
    after: KeyT | None
    """The sort key of the last row of the previous page; None for the first page."""
    query: bytes
    """Identifies the query, its filters and its reader."""

    @property
    def limit(self) -> int:
        """Returns the number of rows to select: one more than the page's size, to detect a next page."""
        return self.size + 1

    def select(self, query: Select[*Ts], *key: SQLColumnExpression[Any], descending: bool = False) -> Select[*Ts]:
        """Returns the statement of the page: its rows and one more, sorted by the key.

        Args:
            query: Selects all rows.
            key: The columns of the sort key, in order.
            descending: Whether the largest key comes first.
        """
        from sqlalchemy import tuple_

        if self.after is not None:
            position = tuple_(*key)
            query = query.where(position < self.after if descending else position > self.after)
        return query.order_by(*(column.desc() if descending else column for column in key)).limit(self.limit)

    def cut(self, rows: Sequence[RowT], key: Callable[[RowT], KeyT]) -> tuple[list[RowT], str]:
        """Returns the page's rows, and the token of the next page (empty on the last one).

        Args:
            rows: Up to `limit` rows, in order.
            key: The sort key of a row.
        """
        if len(rows) <= self.size:
            return list(rows), ""
        kept = list(rows[: self.size])
        body = msgspec.msgpack.encode(key(kept[-1]))
        token = urlsafe_b64encode(_checksum(self.query, body) + body).rstrip(b"=").decode()
        return kept, token


def read_page(page_size: int, page_token: str, key_type: type[KeyT], *query: object) -> Page[KeyT]:
    """Reads the paging fields of a list request.

    Args:
        page_size: Rows per page; 0 means 50, at most 1000.
        page_token: Token of `Page.cut`, or empty for the first page.
        key_type: Type of the sort key, such as `tuple[datetime, int]`; of int, str, datetime, UUID.
        query: Values that identify the query: its name, filters and reader. A token is valid for the same
            values only.

    Raises:
        InvalidPageTokenError: The token is damaged or belongs to another query.
        ValueError: `page_size` is negative.
    """
    if page_size < 0:
        message = f"page_size must not be negative, it is {page_size}"
        raise ValueError(message)
    size = min(page_size or DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)
    identity = msgspec.msgpack.encode(query)
    return Page(size, _decode(page_token, key_type, identity) if page_token else None, identity)


def _decode(token: str, key_type: type[KeyT], query: bytes) -> KeyT:
    try:
        raw = urlsafe_b64decode(token.encode("ascii") + b"=" * (-len(token) % 4))
        checksum, body = raw[:_CHECKSUM_BYTES], raw[_CHECKSUM_BYTES:]
        if checksum == _checksum(query, body):
            return msgspec.msgpack.decode(body, type=key_type)
    except (ValueError, msgspec.MsgspecError) as error:
        raise _invalid() from error
    raise _invalid()


def _checksum(query: bytes, body: bytes) -> bytes:
    # Binds the token to its query. `contract/page_tokens.py` has verified before that this server issued it.
    return blake2b(body, digest_size=_CHECKSUM_BYTES, key=blake2b(query, digest_size=32).digest()).digest()


def _invalid() -> InvalidPageTokenError:
    return InvalidPageTokenError("The page token is damaged or belongs to another query: begin again without one.")
