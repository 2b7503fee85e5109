"""Who may see what, said once more and independently of the product: the table of docs/architecture.md."""

from dataclasses import dataclass, field

from tests.drivers.client import Client

PERSONAL = frozenset(
    {
        "agent_memories",
        "api_keys",
        "evaluation_cases",
        "evaluation_datasets",
        "evaluation_results",
        "evaluation_runs",
        "session_shares",
        "sign_in_tokens",
        "web_sessions",
        "webhook_deliveries",
        "webhooks",
    }
)
"""Tables whose rows nobody but their person sees, whatever the role."""
OF_ADMINS = frozenset({"users", "groups", "invitations"})
"""Tables that admins see, whoever the rows are about."""
EVERYBODY = "org"
OFFICE = "office"
"""The place of what the installation has: groups, invitations, assistants that are not visible."""
ROOM = "room"
"""The place of a notebook that some people share, with their conversations in it."""


@dataclass
class Reader:
    """Somebody who calls, and has a place of the same name."""

    name: str
    role: str
    group: str
    client: Client
    rooms: bool = False
    """Whether they are a member of the shared notebook."""


@dataclass
class Place:
    """Where things belong: to a person, to a group, to everybody, to the installation."""

    name: str
    scope: str
    owner: int
    """The account that made what is there."""
    rows: dict[str, list[dict[str, object]]] = field(default_factory=dict)
    """What was made, by table."""


def may_see(reader: Reader, place: str, table: str) -> bool:
    """Returns whether somebody may be shown what a row of a table says."""
    if place in (reader.name, reader.group, EVERYBODY) or (place == ROOM and reader.rooms):
        return True
    if reader.role == "superadmin":
        return table not in PERSONAL
    return reader.role == "admin" and table in OF_ADMINS


def may_change(reader: Reader, place: str, table: str = "") -> bool:
    """Returns whether somebody may change some of what is at a place: there, refusals are not expected.

    Members of a notebook take part in it: they ask, rate and keep notes.
    """
    managed = reader.role == "admin" and place == reader.group
    if reader.role == "superadmin" and place != reader.name:
        return table not in PERSONAL
    return place == reader.name or managed or (place == ROOM and reader.rooms)
