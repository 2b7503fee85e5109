"""Permissions of an item, as principals.

OneDrive for work and SharePoint list all effective permissions of an item, without telling whether they are inherited
(documentation of permission: `inheritedFrom`). So an item's readers are those in its own list; nothing is inherited.

Unsupported entries grant nobody: permissions by links alone, groups of a SharePoint site (whose members cannot be read
through Microsoft Graph), roles other than those in `_READING`.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from echomind_ingestor.connectors.graph import PROVIDER, Graph, parse_time, segment
from echomind_ingestor.connectors.onedrive.drives import Drive
from echomind_ingestor.connectors.protocol import UNKNOWN, Readers, group_key, tenant_key, user_key
from echomind_ingestor.connectors.vendor_client import Json, RequestRefusedError

_READING: Final = frozenset({"read", "write", "owner", "sp.full control"})
_NEVER: Final = "0001-01-01"
"""Prefix of an expiration date that means "never"."""
# SharePoint claims: learn.microsoft.com/sharepoint, "claim types"; issues 1737 and 3540 of elastic/connectors.
_M365_GROUP: Final = re.compile(r"^c:0o\.c\|federateddirectoryclaimprovider\|(?P<id>[0-9a-f-]{36})$", re.IGNORECASE)
_SECURITY_GROUP: Final = re.compile(r"^c:0t\.c\|tenant\|(?P<id>[0-9a-f-]{36})$", re.IGNORECASE)
_ALL_MEMBERS: Final = re.compile(r"^c:0-\.f\|rolemanager\|spo-grid-all-users/(?P<id>[0-9a-f-]{36})$", re.IGNORECASE)


async def read_readers(graph: Graph, drive: Drive, item_id: str) -> Readers:
    """Returns the readers of an item; `UNKNOWN` if its permissions cannot be read.

    Raises:
        SourceError: Nothing can be read.
    """
    path = f"drives/{segment(drive.id)}/items/{segment(item_id)}/permissions"
    try:
        permissions = [permission async for permission in graph.values(path)]
    except RequestRefusedError:
        return UNKNOWN
    return Readers(principals=frozenset(principals(permissions, drive, datetime.now(UTC))))


def principals(permissions: Iterable[Json], drive: Drive, now: datetime) -> set[str]:
    """Returns the principals to whom permissions grant reading.

    Args:
        permissions: The permissions of one item.
        drive: Its drive; the owner of the drive may read all of it without being listed.
        now: The current time, for expirations.
    """
    found = {user_key(PROVIDER, drive.owner_id)} if drive.owner_id else set()
    for permission in permissions:
        if not _READING.intersection(map(str.casefold, permission.get("roles") or ())):
            continue
        if _has_expired(permission.get("expirationDateTime") or "", now):
            continue
        # Only people named by a link are granted access: a link for anyone does not say who may find the item.
        scope = (permission.get("link") or {}).get("scope")
        if scope not in (None, "users"):
            continue
        for identity in (permission.get("grantedToV2"), *(permission.get("grantedToIdentitiesV2") or ())):
            found |= _principals_of(identity or {})
    return found


def _principals_of(identity: Json) -> set[str]:
    found = set()
    if user := (identity.get("user") or {}).get("id"):
        found.add(user_key(PROVIDER, user))
    if group := (identity.get("group") or {}).get("id"):
        found.add(group_key(PROVIDER, group))
    claim = (identity.get("siteUser") or {}).get("loginName") or ""
    for pattern, key in ((_M365_GROUP, group_key), (_SECURITY_GROUP, group_key), (_ALL_MEMBERS, tenant_key)):
        if match := pattern.match(claim):
            found.add(key(PROVIDER, match["id"].lower()))
    return found


def _has_expired(text: str, now: datetime) -> bool:
    if not text or text.startswith(_NEVER):
        return False
    try:
        return parse_time(text) <= now
    except ValueError:
        return True
