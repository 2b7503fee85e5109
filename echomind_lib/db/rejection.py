"""Detects statements that fail because of their data, for which a retry would fail, too."""

import asyncpg

from echomind_lib.errors import DataRejectedError

# By SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html; the longest prefix applies. Values
# that the driver itself rejects have class 22, too.
_CAUSES = {
    "22": "a value of the wrong kind",
    "22001": "a text that is too long",
    "22003": "a number that is too large",
    "22008": "a date that is out of range",
    "22021": "a character that is not allowed",
    "22P05": "a character that is not allowed",
    "23502": "a value that is missing",
    "23514": "a value that breaks a rule",
    "54": "more than fits",
}
_LENGTHS = (5, 2)


def data_rejected(error: BaseException) -> DataRejectedError | None:
    """Returns the error to show to users if a statement failed because of its data; otherwise None.

    Args:
        error: Exception of a statement.
    """
    if not isinstance(error, asyncpg.PostgresError) or not error.sqlstate:
        return None
    for length in _LENGTHS:
        if (cause := _CAUSES.get(error.sqlstate[:length])) is not None:
            return DataRejectedError(f"Something in it cannot be stored: {cause}.", sqlstate=error.sqlstate)
    return None
