import pytest
from asyncpg import ServerVersion

from echomind_lib.db.migrate import SchemaError, require_server


@pytest.mark.parametrize("major", [18, 19])
def test_a_server_that_is_new_enough_passes(major: int) -> None:
    require_server(ServerVersion(major, 0, 0, "final", 0))


def test_an_older_server_is_refused_by_name() -> None:
    with pytest.raises(SchemaError, match=r"needs PostgreSQL 18 or newer, the server is 17\.4"):
        require_server(ServerVersion(17, 4, 0, "final", 0))
