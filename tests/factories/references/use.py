"""A reference in a request to something else, and what comes of it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from tests.drivers.client import Client
from tests.factories.permissions.rows import HIDDEN, Ask
from tests.factories.world import Make, World

NOTHING = "OK, and nothing of it"


@dataclass(frozen=True)
class Use:
    """A reference to something else: how a request names it, and what comes of it."""

    make: Make
    """Makes what is referred to; with the ownership `hidden`, something that the caller may not see."""
    ask: Callable[[World, Client, Any], Awaitable[dict[str, Any]]]
    hidden: str = "foreign"
    """The ownership with which a plain user may not see it; empty when everyone sees it."""
    expected: str = HIDDEN
    role: str = "user"
    over_rest: bool = True
    """Whether the method's first route can say it."""


def asks(ask: Ask) -> Callable[[World, Client, Any], Awaitable[dict[str, Any]]]:
    """Returns a request that is about nothing but the reference."""

    async def request(_: World, __: Client, reference: Any) -> dict[str, Any]:
        return ask(reference)

    return request


def about(make: Make, ask: Callable[[Any, Any], dict[str, Any]]) -> Any:
    """Returns a request about a resource of the caller's own that refers to something else."""

    async def request(world: World, somebody: Client, reference: Any) -> dict[str, Any]:
        return ask(await make(world, "own", somebody), reference)

    return request
