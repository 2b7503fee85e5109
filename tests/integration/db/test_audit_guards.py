"""Nobody changes the audit log in the database: by mistake, or as an ordinary user of it."""

from urllib.parse import urlsplit
from uuid import uuid4

import asyncpg
import pytest

from echomind_api.audit.sealing import AuditSeals
from echomind_api.audit.verification import Verified
from echomind_api.retention.audit_entries import AuditExpiry
from echomind_lib.db import migrate
from echomind_lib.db.database import Database
from tests.drivers.audit_log import SETTING, add, attempt, verified
from tests.drivers.snippets import to_run


@pytest.mark.parametrize("table", ["audit_log", "audit_seals"])
@pytest.mark.parametrize("change", ["UPDATE {} SET count = 2", "DELETE FROM {}", "TRUNCATE {}"])
async def test_not_even_a_superuser_of_the_database_changes_it_by_mistake(
    log: Database, table: str, change: str
) -> None:
    async with log.pool.acquire() as connection:
        for settings in ("SELECT 1", SETTING):
            with pytest.raises(asyncpg.InsufficientPrivilegeError, match="append-only"):
                await attempt(connection, settings, change.format(table))


async def test_an_ordinary_user_of_the_database_has_no_way(log: Database, postgres_admin: asyncpg.Connection) -> None:
    role = f"application_{uuid4().hex[:8]}"
    await postgres_admin.execute(f"CREATE ROLE {role}")
    try:
        async with log.pool.acquire() as connection:
            async with connection.transaction():
                await connection.execute(f"GRANT SELECT, INSERT ON audit_log, audit_seals TO {role}")
                await connection.execute(f"SET LOCAL ROLE {role}")
                await connection.execute("INSERT INTO audit_log (action, target) VALUES ('a', 'b')")
            for change in (
                "DELETE FROM audit_log",
                "TRUNCATE audit_log",
                "UPDATE audit_seals SET ids = NULL, digests = NULL",
                "ALTER TABLE audit_log DISABLE TRIGGER ALL",
                "DROP TRIGGER guard_audit_log ON audit_log",
                "SET LOCAL session_replication_role = replica",
                "SELECT remove_audit_entries(now() - interval '40 days')",
            ):
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    await attempt(connection, f"SET LOCAL ROLE {role}", SETTING, change)
            await connection.execute(f"DROP OWNED BY {role}")
    finally:
        await postgres_admin.execute(f"DROP ROLE {role}")


async def give_as_the_guide_says(url: str, role: str) -> None:
    """What the guide tells an administrator to type, but making the role, which other databases have made."""
    (snippet,) = to_run("audit-log.md", "sql")
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(snippet.text.replace("TO echomind;", f"TO {role};"))
    finally:
        await connection.close()


@pytest.mark.parametrize("can_make_roles", [True, False])
async def test_the_log_gets_an_owner_of_its_own_where_it_can(
    empty_url: str, postgres_admin: asyncpg.Connection, *, can_make_roles: bool
) -> None:
    """The migrations as the owner of the database, who is no superuser: with and without the right to make roles."""
    role, parts = f"owner_{uuid4().hex[:8]}", urlsplit(empty_url)
    name = parts.path.strip("/")
    option = "CREATEROLE" if can_make_roles else "NOCREATEROLE"
    await postgres_admin.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'pw' {option}")
    if can_make_roles:  # as if this one had made it: other databases of these tests share the role
        await postgres_admin.execute(f"GRANT echomind_audit TO {role} WITH ADMIN TRUE, INHERIT FALSE, SET FALSE")
    await postgres_admin.execute(f"ALTER DATABASE {name} OWNER TO {role}")
    url = parts._replace(netloc=f"{role}:pw@{parts.netloc.rpartition('@')[2]}").geturl()
    try:
        await migrate.upgrade_async(url)
        async with await Database.connect(url) as database:
            owner = "SELECT pg_get_userbyid(relowner) FROM pg_class WHERE relname = 'audit_log'"
            await add(database, 3, 40)
            seals = AuditSeals(database)
            assert await seals.seal() == 3
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await database.pool.execute("DELETE FROM audit_log")
            assert await AuditExpiry(database, 30).sweep() == 3
            if not can_make_roles:
                assert await database.pool.fetchval(owner) == role
                await give_as_the_guide_says(empty_url, role)
            assert await database.pool.fetchval(owner) == "echomind_audit"
            assert await database.pool.fetchval("SELECT protect_audit()")
            for change in (
                "CREATE OR REPLACE FUNCTION guard_audit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
                "ALTER FUNCTION remove_audit_entries SECURITY INVOKER",
                "ALTER FUNCTION protect_audit RESET ALL",
                "ALTER TABLE audit_log DISABLE TRIGGER ALL",
                "SET LOCAL ROLE echomind_audit",
                "DELETE FROM audit_log",
                "UPDATE audit_seals SET count = 2",
            ):
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    async with database.pool.acquire() as application:
                        await attempt(application, SETTING, change)
            await add(database, 2, 40)
            assert await seals.seal() == 3
            assert await verified(database) == Verified(seals=2, entries=3, expired=3)
    finally:
        await postgres_admin.execute(f"ALTER DATABASE {name} OWNER TO CURRENT_USER")
        connection = await asyncpg.connect(empty_url)
        await connection.execute(f"DROP OWNED BY {role} CASCADE")
        await connection.close()
        await postgres_admin.execute(f"DROP ROLE {role}")
