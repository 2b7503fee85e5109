"""Which open streams end when their credentials are looked at again."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

from echomind_api.calls.recheck import recheck
from echomind_lib.access import Principal
from echomind_lib.errors import DependencyUnavailableError, EchoMindError, UnauthenticatedError

LATER = datetime.now(UTC) + timedelta(hours=1)
AWAY = DependencyUnavailableError("Authentik does not answer: try again.", dependency="identity provider")


@dataclass
class _Stream:
    """An open stream, with what becomes of its credential."""

    principal: Principal
    answer: Principal | EchoMindError
    ends: list[EchoMindError] = field(default_factory=list)

    @property
    def call(self) -> Any:
        return self

    def end(self, error: EchoMindError) -> None:
        self.ends.append(error)


class _Authentication:
    async def principal_of(self, call: Any) -> Principal:
        if isinstance(call.answer, EchoMindError):
            raise call.answer
        return cast("Principal", call.answer)


async def test_a_provider_that_is_away_keeps_nobody_from_being_looked_at() -> None:
    def stream(answer: Principal | EchoMindError, expires_at: datetime | None = None) -> _Stream:
        return _Stream(Principal(1, token_expires_at=expires_at), answer)

    waits = stream(AWAY, LATER)
    expired = stream(AWAY, datetime.now(UTC) - timedelta(seconds=1))
    deactivated = stream(UnauthenticatedError("Gone."))
    demoted = stream(Principal(1, groups=frozenset({"other"})))
    unchanged = stream(Principal(1))
    limits = cast("Any", SimpleNamespace(streams=[waits, expired, deactivated, demoted, unchanged]))
    await recheck(limits, cast("Any", _Authentication()))
    ends = [[type(error) for error in each.ends] for each in limits.streams]
    assert ends == [[], [UnauthenticatedError], [UnauthenticatedError], [DependencyUnavailableError], []]
