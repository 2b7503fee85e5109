import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("echomind_lib.db", {"asyncpg", "sqlalchemy", "alembic"}),
        ("echomind_lib.db.words", {"asyncpg", "sqlalchemy", "alembic"}),
        ("echomind_lib.db.paging", {"asyncpg", "sqlalchemy", "alembic"}),
        ("echomind_lib.db.database", {"sqlalchemy", "alembic"}),
        ("echomind_lib.db.migrate", {"sqlalchemy", "alembic"}),
        ("echomind_lib.db.models", {"asyncpg", "alembic"}),
    ],
)
def test_a_module_loads_only_what_it_needs_and_prints_nothing(module: str, heavy: set[str]) -> None:
    program = f"import sys, {module}; sys.stderr.write(repr(sorted({heavy!r} & sys.modules.keys())))"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert (done.stdout, done.stderr) == ("", "[]")
