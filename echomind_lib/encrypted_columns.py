"""The registry of encrypted columns, and how what they hold is encrypted again with another key.

A token is what `Secrets.encrypt` returns. The same secret of an assistant stands in its row and in its versions as the
same token, and versions are compared by their tokens: they are therefore encrypted again together, in one transaction.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from sqlalchemy import ColumnElement, Row, Select, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from echomind_lib.assistants.mcp_servers import SECRET_FIELDS
from echomind_lib.db.database import Database
from echomind_lib.db.models import (
    Assistant,
    AssistantVersion,
    Base,
    Connector,
    ConnectorSignIn,
    EmbeddingModel,
    IdentityProvider,
    Llm,
    Reranker,
    SignInAttempt,
    Webhook,
)

_PAGE: Final = 100
Replace = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class EncryptedColumn:
    """A column with encrypted text.

    Attributes:
        column: Its column: text that is one token, or JSON that contains tokens.
        parent: The column with the id of the row with which it is encrypted again; None for a row of its own.
    """

    column: InstrumentedAttribute[Any]
    parent: InstrumentedAttribute[Any] | None = None

    @property
    def name(self) -> str:
        """Table and column, such as `llms.api_key`."""
        return f"{self.column.class_.__tablename__}.{self.column.key}"

    @property
    def table(self) -> type[Base]:
        """The mapped class."""
        return cast("type[Base]", self.column.class_)

    @property
    def key(self) -> tuple[ColumnElement[Any], ...]:
        """The primary key."""
        return tuple(self.table.__table__.primary_key)


ENCRYPTED: Final[tuple[tuple[EncryptedColumn, ...], ...]] = (
    (EncryptedColumn(Llm.api_key),),
    (EncryptedColumn(EmbeddingModel.api_key),),
    (EncryptedColumn(Reranker.api_key),),
    (EncryptedColumn(Connector.encrypted_credentials),),
    (EncryptedColumn(ConnectorSignIn.encrypted_verifier),),
    (EncryptedColumn(IdentityProvider.encrypted_client_secret),),
    (EncryptedColumn(SignInAttempt.encrypted_verifier),),
    (EncryptedColumn(Webhook.encrypted_secret),),
    (EncryptedColumn(Webhook.encrypted_previous_secret),),
    (EncryptedColumn(Assistant.config), EncryptedColumn(AssistantVersion.config, AssistantVersion.assistant_id)),
)
"""Every encrypted column: those of one line are encrypted again together, and the first has the rows of their own."""


def tokens(value: Any) -> Iterator[str]:
    """Yields the tokens in the value of an encrypted column."""
    if isinstance(value, str):
        yield value
    elif value:
        for server in _servers(value):
            for field in SECRET_FIELDS:
                yield from (server.get(field) or {}).values()


def replaced(value: Any, replace: Replace) -> Any:
    """Returns the value of an encrypted column with each token replaced."""
    if isinstance(value, str):
        return replace(value)
    changed = {name: part for name, part in value.items() if name not in {"config", "mcpServers"}}
    if "config" in value:
        changed["config"] = value["config"] and replaced(value["config"], replace)
    if "mcpServers" in value:
        changed["mcpServers"] = [
            {
                **server,
                **{
                    field: {name: replace(token) for name, token in server[field].items()}
                    for field in SECRET_FIELDS
                    if server.get(field)
                },
            }
            for server in value["mcpServers"] or ()
        ]
    return {name: changed[name] for name in value}


async def stored_tokens(database: Database) -> AsyncIterator[list[str]]:
    """Yields all tokens that are stored, in pages."""
    for group in ENCRYPTED:
        for each in group:
            last: tuple[Any, ...] | None = None
            while True:
                async with database.session() as session:
                    page = (await session.execute(_page(each, last))).all()
                if not page:
                    break
                last = tuple(page[-1])[1:]
                yield [token for row in page for token in tokens(row[0])]


async def encrypt_page(
    session: AsyncSession, group: tuple[EncryptedColumn, ...], after: tuple[Any, ...] | None, replace: Replace
) -> tuple[Any, ...] | None:
    """Replaces the tokens of a page of rows, in the caller's transaction, which locks them.

    Args:
        session: The transaction.
        group: An element of `ENCRYPTED`.
        after: The primary key of the last row of the page before; None for the first page.
        replace: Returns the new token of a token, or the same.

    Returns:
        The primary key of the page's last row; None if there was no row.
    """
    first, *others = group
    page = (await session.execute(_page(first, after).with_for_update(key_share=True))).all()
    if not page:
        return None
    await _write(session, first, page, replace)
    for each in others:
        assert each.parent is not None
        ids = [row[1] for row in page]
        rows = select(each.column, *each.key).where(each.parent.in_(ids)).order_by(*each.key)
        await _write(session, each, (await session.execute(rows.with_for_update(key_share=True))).all(), replace)
    return tuple(page[-1])[1:]


async def _write(session: AsyncSession, each: EncryptedColumn, page: Sequence[Row[Any]], replace: Replace) -> None:
    for row in page:
        value, key = row[0], tuple(row)[1:]
        new = replaced(value, replace)
        if new != value:
            await session.execute(
                update(each.table)
                .where(tuple_(*each.key) == tuple_(*key))
                .values({each.column.key: new})
                .execution_options(synchronize_session=False)
            )


def _page(each: EncryptedColumn, after: tuple[Any, ...] | None) -> Select[Any]:
    query = select(each.column, *each.key).where(each.column.is_not(None)).order_by(*each.key).limit(_PAGE)
    return query if after is None else query.where(tuple_(*each.key) > tuple_(*after))


def _servers(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from value.get("mcpServers") or ()
    yield from (value.get("config") or {}).get("mcpServers") or ()
