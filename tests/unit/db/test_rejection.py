"""Which failures of statements are the data's own fault."""

import asyncpg

from echomind_lib.db.rejection import data_rejected
from tests.drivers.tables import for_each


@for_each(
    ("error", "cause"),
    [
        (asyncpg.CharacterNotInRepertoireError("x"), "a character that is not allowed"),
        (asyncpg.UntranslatableCharacterError("x"), "a character that is not allowed"),
        (asyncpg.StringDataRightTruncationError("x"), "a text that is too long"),
        (asyncpg.NumericValueOutOfRangeError("x"), "a number that is too large"),
        (asyncpg.DataError("invalid input for query argument $1"), "a value of the wrong kind"),
        (asyncpg.CheckViolationError("x"), "a value that breaks a rule"),
        (asyncpg.ProgramLimitExceededError("index row size 2712 exceeds maximum"), "more than fits"),
    ],
)
def test_data_errors_are_permanent_and_describe_the_problem(error: asyncpg.PostgresError, cause: str) -> None:
    rejected = data_rejected(error)
    assert rejected is not None
    assert not rejected.retryable
    assert rejected.message == f"Something in it cannot be stored: {cause}."
    assert rejected.metadata == {"sqlstate": error.sqlstate}


@for_each(
    "error",
    [
        asyncpg.AdminShutdownError("x"),
        asyncpg.TooManyConnectionsError("x"),
        asyncpg.DiskFullError("x"),
        asyncpg.DeadlockDetectedError("x"),
        asyncpg.UniqueViolationError("x"),
        asyncpg.InterfaceError("the connection is closed"),
        ConnectionResetError(),
        TimeoutError(),
    ],
)
def test_failures_that_may_pass_are_not_the_datas_fault(error: Exception) -> None:
    assert data_rejected(error) is None
