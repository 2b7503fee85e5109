"""Alembic as people call it."""

import asyncio
import os
import sys

from tests.paths import ROOT


async def run_alembic(url: str, *arguments: str) -> None:
    """Runs a command of Alembic on a database: `await run_alembic(url, "downgrade", "base")`."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "alembic", "-c", str(ROOT / "db-schema" / "alembic.ini"), *arguments),
        env={**os.environ, "ECHOMIND_POSTGRES__URL": url},
    )
    assert await process.wait() == 0
