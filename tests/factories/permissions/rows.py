"""What a row of the table of permissions is made of: a resource, a request, and what each role is answered."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.factories.world import Make

OK, HIDDEN, FORBIDDEN = "OK", "NOT_FOUND", "PERMISSION_DENIED"
ROLES = ("user", "admin", "superadmin")
OWNERSHIPS = ("own", "group", "org", "foreign", "foreign group")
Outcome = tuple[str, str, str]
"""For user, admin, superadmin."""
Table = dict[str, Outcome]
"""By the ownership of the resource."""
EVERYONE: Outcome = (OK, OK, OK)
NOBODY_ELSE: Outcome = (HIDDEN, HIDDEN, HIDDEN)
ADMINS: Outcome = (FORBIDDEN, OK, OK)
SUPERADMINS: Outcome = (FORBIDDEN, FORBIDDEN, OK)
SHARED: Table = {
    "own": EVERYONE,
    "group": EVERYONE,
    "org": EVERYONE,
    "foreign": (HIDDEN, HIDDEN, OK),
    "foreign group": (HIDDEN, HIDDEN, OK),
}


MANAGED: Table = SHARED | {"group": ADMINS, "org": SUPERADMINS}
DISABLED: Table = SHARED | dict.fromkeys(("own", "group", "org"), SUPERADMINS)
PERSONAL: Table = {"own": EVERYONE, "foreign": NOBODY_ELSE}
SESSIONS_READ: Table = {"own": EVERYONE, "foreign": (HIDDEN, HIDDEN, OK)}
SESSIONS_WRITTEN: Table = {"own": EVERYONE, "foreign": (HIDDEN, HIDDEN, FORBIDDEN)}
IN_BROWSER: Outcome = (FORBIDDEN, FORBIDDEN, FORBIDDEN)
"""What no API key may do."""
Ask = Callable[[Any], dict[str, Any]]


@dataclass(frozen=True)
class Row:
    """What a method is tried on, with which request, and what is expected."""

    make: Make
    ask: Ask
    expected: Table


def by_id(resource: Any) -> dict[str, Any]:
    return {"id": resource}


def empty(_: Any) -> dict[str, Any]:
    return {}


def patch(field: str, mask: str, value: Any) -> Ask:
    return lambda resource: {"id": resource, field: {mask: value() if callable(value) else value}, "updateMask": mask}


ANYTHING = {"": EVERYONE}
