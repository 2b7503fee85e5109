"""Connections to PostgreSQL: a plain asyncpg pool for hot paths, ORM sessions for administration."""

import asyncio
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from urllib.parse import urlsplit
from weakref import WeakSet

import asyncpg
import msgspec

from echomind_lib.db.pool import StatementPool
from echomind_lib.process.retries import RetryPolicy

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

_JSONB_VERSION = b"\x01"  # the first byte of jsonb's binary form
_RETRY_SECONDS = 0.2
_STARTING = (OSError, asyncpg.CannotConnectNowError, asyncpg.TooManyConnectionsError)

_CROWDED = RetryPolicy(first=0.05, longest=0.5, seconds=5.0)
"""Delays of a connection for which the server has no room: others give theirs back when their work is done."""

_T = TypeVar("_T")

DATABASE_FAILURES = (OSError, asyncpg.InterfaceError, asyncpg.InternalClientError, asyncpg.PostgresError)
"""What a statement raises when the database, or the connection to it, fails; time-outs are `OSError`s."""

_CLOSE_SECONDS = 10.0
"""Time to wait for connections in use when closing."""


class DatabaseUnavailableError(ConnectionError):
    """PostgreSQL cannot be reached or refuses the connection; the message names the server and the cause."""


def is_of_database(error: BaseException | None) -> bool:
    """Returns whether an exception is PostgreSQL's, or of the connection to it.

    Time-outs and broken connections have the same classes wherever they come from: only those that were raised within
    the driver are the database's.
    """
    if isinstance(error, asyncpg.PostgresError | asyncpg.InterfaceError | asyncpg.InternalClientError):
        return True
    if not isinstance(error, OSError) or isinstance(error, DatabaseUnavailableError):
        return isinstance(error, DatabaseUnavailableError)
    modules = (frame.f_globals.get("__name__", "") for frame, _ in traceback.walk_tb(error.__traceback__))
    return any(module.startswith("asyncpg.") for module in modules)


class Database:
    """One process's access to PostgreSQL.

    `pool` has asyncpg connections, on which JSONB is any JSON value of Python (dicts, lists, ...) in both
    directions, UUID is `uuid.UUID` and timestamps are aware datetimes in UTC. A connection returns to the pool as
    it is, apart from an open transaction, which is rolled back: use `SET LOCAL` and transaction-level advisory
    locks, nothing that outlives a transaction. Each statement is planned once on a connection, for all values; one that
    must be planned for the values of the call is executed in `planned_for_values`.

    `session()` returns a SQLAlchemy session, whose statements are planned for their values. The ORM is loaded at its
    first use, so a process that only needs the pool does not pay for it.
    """

    def __init__(self, pool: asyncpg.Pool, url: str, settings: Mapping[str, str], max_sessions: int) -> None:
        self.pool = pool
        self._url = url
        self._settings = settings
        self._max_sessions = max_sessions
        self._engine: AsyncEngine | None = None
        self._sessions: set[asyncio.Future[None]] = set()
        """Open sessions, each as a future that completes at its end."""
        self._session_connections: WeakSet[asyncpg.Connection] = WeakSet()

    @classmethod
    async def connect(
        cls,
        url: str,
        *,
        application_name: str = "echomind",
        min_size: int = 1,
        max_size: int = 10,
        max_sessions: int = 5,
        statement_timeout: float = 30.0,
        wait: float = 10.0,
    ) -> Self:
        """Connect to the server.

        Args:
            url: `postgresql://user:password@host:port/database`.
            application_name: Shown in `pg_stat_activity`.
            min_size: Connections that the pool opens now and keeps.
            max_size: Maximum connections of the pool.
            max_sessions: Maximum connections of `session()`, in addition to those of the pool.
            statement_timeout: Seconds after which the server cancels a statement.
            wait: Seconds to retry while the server is unreachable or starting.

        Raises:
            DatabaseUnavailableError: The server does not respond in time, or rejects the user or the database.
            ValueError: The URL is not one of PostgreSQL.
        """
        settings = _server_settings(application_name, statement_timeout)

        async def connect_pool() -> asyncpg.Pool:
            return await StatementPool(
                url,
                min_size=min_size,
                max_size=max_size,
                connect=_connect,
                connection_class=_Connection,
                init=_set_up,
                reset=_reset,
                server_settings=dict(settings),
                statement_cache_size=200,
                max_cached_statement_lifetime=0,
                # Slightly more than the server's own limit; ends the wait for a frozen server.
                command_timeout=statement_timeout + 5,
            )

        pool = await _with_retries(connect_pool, url, wait)
        return cls(pool, url, settings, max_sessions)

    @asynccontextmanager
    async def session(self) -> AsyncIterator["AsyncSession"]:
        """Opens a session in one transaction: committed at the end of the block, rolled back on an error."""
        from sqlalchemy.ext.asyncio import AsyncSession

        ended = asyncio.get_running_loop().create_future()
        self._sessions.add(ended)
        try:
            async with AsyncSession(self._get_engine(), expire_on_commit=False) as session, session.begin():
                yield session
        finally:
            self._sessions.discard(ended)
            ended.set_result(None)

    async def close(self) -> None:
        """Closes all connections; waits for those in use, and terminates them after a time-out."""
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                if self._sessions:
                    await asyncio.wait(self._sessions)
                await self.pool.close()
        except TimeoutError:
            self.pool.terminate()
        finally:
            if self._engine is not None:
                await self._engine.dispose()
            # Disposing of an engine does not close connections that are returned to it later.
            for connection in self._session_connections:
                connection.terminate()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _get_engine(self) -> "AsyncEngine":
        if self._engine is None:
            from sqlalchemy.ext.asyncio import create_async_engine

            async def connect() -> asyncpg.Connection:
                connection = await _connect(self._url, server_settings=dict(self._settings))
                self._session_connections.add(connection)
                return connection

            self._engine = create_async_engine(
                "postgresql+asyncpg://",
                async_creator=connect,
                pool_size=self._max_sessions,
                max_overflow=0,
                pool_pre_ping=True,
                hide_parameters=True,  # parameters hold users' texts and keys
                json_serializer=_to_json_text,
                json_deserializer=msgspec.json.decode,
            )
        return self._engine


async def connect_once(
    url: str,
    application_name: str,
    *,
    statement_timeout: float = 0,
    command_timeout: float | None = None,
    settings: Mapping[str, str] | None = None,
    wait: float = 10.0,
) -> asyncpg.Connection:
    """Opens one connection, outside of any pool, for work such as migrations.

    Args:
        url: As for `Database.connect`.
        application_name: Shown in `pg_stat_activity`.
        statement_timeout: Seconds after which the server cancels a statement; 0: never.
        command_timeout: Seconds after which the client gives up, for a frozen server; None: never.
        settings: Further settings of the session.
        wait: Seconds to retry while the server is unreachable or starting.

    Raises:
        DatabaseUnavailableError: As for `Database.connect`.
        ValueError: As for `Database.connect`.
    """
    server_settings = {**_server_settings(application_name, statement_timeout), **(settings or {})}

    async def connect() -> asyncpg.Connection:
        return await asyncpg.connect(url, server_settings=server_settings, command_timeout=command_timeout)

    return await _with_retries(connect, url, wait)


class _Connection(asyncpg.Connection):
    """A connection that knows whether its last exchange with the server may have been left open.

    asyncpg prepares a statement without ending the exchange, and then encodes and sends the values. If a value does not
    fit its type, or the caller is cancelled just then, PostgreSQL waits for the rest, and cancels whatever the
    connection does after `statement_timeout`: some other caller's statement would fail.
    """

    has_open_exchange = False

    async def _do_execute(self, *arguments: Any, **options: Any) -> Any:
        self.has_open_exchange = True
        result = await super()._do_execute(*arguments, **options)  # type: ignore[misc]
        self.has_open_exchange = False
        return result


async def _connect(*arguments: Any, **options: Any) -> asyncpg.Connection:
    """Connects as asyncpg does; waits for a while if the server, or the user, has as many connections as it may."""

    async def connect() -> asyncpg.Connection:
        return await asyncpg.connect(*arguments, **options)

    return await _CROWDED.call(connect, lambda error: isinstance(error, asyncpg.TooManyConnectionsError))


async def _with_retries(make: Callable[[], Awaitable[_T]], url: str, wait: float) -> _T:
    """Calls `make`, with retries while the server is unreachable or starting, for up to `wait` seconds."""
    server = _describe(url)
    policy = RetryPolicy(first=_RETRY_SECONDS, factor=1.0, seconds=wait)
    try:
        return await policy.call(make, lambda error: isinstance(error, _STARTING))
    except _STARTING as error:
        message = f"PostgreSQL at {server} cannot be reached: {error or type(error).__name__}"
        raise DatabaseUnavailableError(message) from error
    except asyncpg.PostgresError as error:
        message = f"PostgreSQL at {server} refuses the connection: {error}"
        raise DatabaseUnavailableError(message) from error


def _describe(url: str) -> str:
    """Returns server and database of a URL, without the password.

    Raises:
        ValueError: It is not a URL of PostgreSQL.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"postgresql", "postgres"}:
        # The message omits the URL, which may hold a password.
        message = "the database URL must look like postgresql://user:password@host:port/database"
        raise ValueError(message)
    return f"{parts.netloc.rpartition('@')[2] or 'the local socket'}{parts.path}"


def _server_settings(application_name: str, statement_timeout: float) -> dict[str, str]:
    return {
        "application_name": application_name,
        "statement_timeout": str(round(statement_timeout * 1000)),
        "idle_in_transaction_session_timeout": "60000",
        "timezone": "UTC",
        # All statements are short: compiling one costs more than running it.
        "jit": "off",
    }


async def _set_up(connection: asyncpg.Connection) -> None:
    # Not among the settings of the start, which PgBouncer would have to know. See decision 0055.
    await connection.execute("SET plan_cache_mode = force_generic_plan")
    await connection.set_type_codec(
        "jsonb",
        schema="pg_catalog",
        format="binary",
        encoder=lambda value: _JSONB_VERSION + msgspec.json.encode(value),
        decoder=lambda data: msgspec.json.decode(data[1:]),
    )


async def _reset(connection: Any) -> None:
    """Ends an exchange that was left open; replaces asyncpg's reset, which costs a round trip per release.

    Open transactions are rolled back anyway.
    """
    if connection.has_open_exchange:
        connection.has_open_exchange = False
        await connection.execute("SELECT")


def _to_json_text(value: object) -> str:
    return msgspec.json.encode(value).decode()


async def connection_of(session: "AsyncSession") -> asyncpg.Connection:
    """Returns the driver's connection of a session that has executed a statement, for statements in its transaction."""
    raw = await (await session.connection()).get_raw_connection()
    return cast("asyncpg.Connection", raw.driver_connection)
