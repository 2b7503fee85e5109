"""What a failed deletion of one kind of old data does to the others."""

from dataclasses import dataclass
from typing import Any, cast

import pytest
from sqlalchemy.exc import OperationalError

from echomind_api.retention import RetentionSweeper
from echomind_lib.db.holds import deletion_held
from echomind_lib.errors import DependencyUnavailableError

FAILURES = (
    OperationalError("DELETE", {}, TimeoutError("canceling statement due to statement timeout")),
    deletion_held(),
    DependencyUnavailableError("The object store does not answer.", dependency="s3"),
)


class _Rules:
    async def days(self) -> dict[str, int]:
        return {"run_steps": 30, "audit_log": 30}


@dataclass
class _Expiry:
    outcome: int | Exception

    def __call__(self, days: int) -> "_Expiry":
        return self

    async def sweep(self) -> int:
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: type(failure).__name__)
async def test_a_deletion_that_fails_keeps_no_other_from_being_done(failure: Exception) -> None:
    expiries = {"run_steps": _Expiry(failure), "audit_log": _Expiry(3)}
    sweeper = RetentionSweeper(cast("Any", _Rules()), cast("Any", expiries))
    assert await sweeper.sweep() == {"audit_log": 3}
    expiries["run_steps"].outcome = 2
    assert await sweeper.sweep() == {"run_steps": 2}, "it is tried again, and what was deleted is not"
