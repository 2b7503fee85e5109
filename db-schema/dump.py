"""Writes `schema.sql`, the schema that the migrations make, for people to read and review.

`--check` compares instead, and compares the tables with the ORM's classes too: the dump holds triggers, functions and
CHECKs, which alembic does not see; alembic sees columns and indexes of classes without a migration.
"""

import argparse
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import unified_diff
from pathlib import Path
from tempfile import TemporaryDirectory

from echomind.local.embedded.postgres import PostgresServer, binaries
from echomind.local.embedded.process import free_port, spawn, stop, wait_ready
from echomind_lib.db.migrate import upgrade

HERE = Path(__file__).resolve().parent
SCHEMA = HERE / "schema.sql"
HEADER = "-- Made by db-schema/dump.py from the migrations. Do not edit.\n\n"


@contextmanager
def migrated_database() -> Iterator[str]:
    """A PostgreSQL server of our own, for as long as the block lasts; gives the URL of a migrated database."""
    with TemporaryDirectory() as folder:
        server = PostgresServer(Path(folder) / "data", free_port(), secrets.token_hex(16), {"fsync": "off"})
        server.prepare()
        spec, log = server.spec(), Path(folder) / "log"
        process = spawn(spec, log)
        try:
            wait_ready(process, spec, log)
            upgrade(server.url)
            yield server.url
        finally:
            stop(process, spec)


def dump(url: str) -> str:
    """Returns the schema of a migrated database, the same text for the same schema."""
    done = subprocess.run(
        [
            *(binaries() / "pg_dump", "--schema-only", "--no-owner", "--no-privileges", "--restrict-key=echomind"),
            *("--exclude-table=alembic_version", f"--dbname={url}"),
        ],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    # The servers' versions differ from machine to machine.
    lines = [line for line in done.stdout.splitlines() if not line.startswith("-- Dumped ")]
    return HEADER + "\n".join(lines).strip() + "\n"


def check(url: str) -> bool:
    """Returns whether `schema.sql` and the ORM's classes agree with a migrated database; prints what does not."""
    written, made = SCHEMA.read_text(encoding="utf-8"), dump(url)
    sys.stdout.writelines(
        unified_diff(written.splitlines(keepends=True), made.splitlines(keepends=True), str(SCHEMA), "the migrations")
    )
    command = [sys.executable, "-m", "alembic", "-c", str(HERE / "alembic.ini"), "check"]
    classes = subprocess.run(command, env={**os.environ, "ECHOMIND_POSTGRES__URL": url}, check=False)
    return written == made and classes.returncode == 0


def main() -> int:
    """Write or check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare instead of writing; exit 1 when it differs")
    parser.add_argument("--url", help="a migrated database; without it a server is started for the purpose")
    arguments = parser.parse_args()
    if arguments.url:
        return run(arguments.url, checking=arguments.check)
    with migrated_database() as url:
        return run(url, checking=arguments.check)


def run(url: str, *, checking: bool) -> int:
    """Write or check against this database; gives the exit status."""
    if checking:
        return 0 if check(url) else 1
    SCHEMA.write_text(dump(url), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
