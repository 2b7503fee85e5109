"""An organization at Google in memory: people, groups, shared drives, files, permissions, and its change logs.

How it behaves is marked: **documented** by Google, **reported** by others, or **assumed**.
"""

import hashlib
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

Json = dict[str, Any]

FOLDER = "application/vnd.google-apps.folder"
SHORTCUT = "application/vnd.google-apps.shortcut"
DOCUMENT = "application/vnd.google-apps.document"
DOMAIN = "example.org"

_STARTED = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Grant:
    """A permission on a file, folder or shared drive."""

    type: str
    to: str = ""
    """E-mail address or domain."""
    role: str = "reader"
    discoverable: bool = False
    view: str = ""
    ends: str = ""
    deleted: bool = False


@dataclass
class Node:
    """A file, folder or shortcut."""

    id: str
    name: str
    mime_type: str
    parent: str = ""
    drive: str = ""
    owner: str = ""
    content: bytes = b""
    grants: list[Grant] = field(default_factory=list)
    is_limited: bool = False
    is_trashed: bool = False
    target: str = ""
    target_key: str = ""
    version: int = 1
    modified: datetime = _STARTED
    can_download: bool = True


@dataclass
class Faults:
    """What goes wrong."""

    refusals: list[tuple[str, int, str, dict[str, str]]] = field(default_factory=list)
    """Part of the path, status, reason and headers of requests that are refused once each, in order."""
    always: list[tuple[str, int, str]] = field(default_factory=list)
    """Part of the path, status and reason of requests that are always refused."""
    is_revoked: bool = False
    expired_tokens: int = 0
    """So many of the next access tokens are not accepted."""
    changes_forgotten_before: int = 0
    """Places in the change logs before this one are not known any more."""
    unreadable: set[str] = field(default_factory=set)
    """Ids of files whose content is not handed out."""
    unshown: set[str] = field(default_factory=set)
    """Ids of files whose permissions are not shown, as to somebody who may not share them."""
    after_page: Callable[[], object] | None = None
    """Called once, after the next page of files was made."""
    empty_pages: int = 0
    is_circular: bool = False
    broken_downloads: int = 0
    broken_bodies: int = 0


class Tenant:
    """The organization. The methods that change something add it to the logs."""

    def __init__(self) -> None:
        self.people: dict[str, str] = {}
        """Names by e-mail address."""
        self.groups: dict[str, set[str]] = {}
        """Addresses of members by the group's address."""
        self.group_ids: dict[str, str] = {}
        self.suspended: set[str] = set()
        self.drives: dict[str, str] = {}
        self.drive_grants: dict[str, list[Grant]] = {}
        self.nodes: dict[str, Node] = {}
        self.removed_from: dict[str, str] = {}
        """The shared drive of files that were deleted, by id."""
        self.log: list[tuple[str, str]] = []
        """Id and shared drive of what has changed, in order."""
        self.faults = Faults()
        self.granted = {
            f"https://www.googleapis.com/auth/{scope}"
            for scope in ("drive.readonly", "admin.directory.group.readonly", "admin.directory.user.readonly")
        }
        self.page_size = 1000
        self._numbers = itertools.count(1)

    def person(self, name: str) -> str:
        email = f"{name}@{DOMAIN}"
        self.people[email] = name.title()
        return email

    def group(self, name: str, *members: str) -> str:
        email = f"{name}@{DOMAIN}"
        self.groups[email] = set(members)
        self.group_ids[email] = f"grp{next(self._numbers):08}"
        return email

    def drive(self, name: str, *grants: Grant) -> str:
        drive_id = self._id("0AD")
        self.drives[drive_id] = name
        self.drive_grants[drive_id] = list(grants)
        return drive_id

    def root_of(self, owner: str) -> str:
        """Returns the folder My Drive of a person."""
        root = f"0ARoot{permission_id(owner)}"
        if root not in self.nodes:
            grants = [Grant("user", owner, "owner")]
            self.nodes[root] = Node(root, "My Drive", FOLDER, owner=owner, grants=grants)
        return root

    def add(self, name: str, owner: str, parent: str = "", **values: Any) -> Node:
        """Adds a file to My Drive of a person or below a folder, or to a shared drive or below its folders."""
        parent = parent or self.root_of(owner)
        above = self.nodes.get(parent)
        drive = parent if parent in self.drives else above.drive if above else ""
        values.setdefault("mime_type", "text/plain")
        values.setdefault("content", name.encode())
        node = Node(id=self._id("1F"), name=name, parent=parent, drive=drive, owner="" if drive else owner, **values)
        if not drive:
            node.grants.insert(0, Grant("user", owner, "owner"))
        self.nodes[node.id] = node
        self._note(node)
        return node

    def folder(self, name: str, owner: str, parent: str = "", **values: Any) -> Node:
        return self.add(name, owner, parent, mime_type=FOLDER, content=b"", **values)

    def shortcut(self, name: str, owner: str, target: Node, parent: str = "", *, key: str = "") -> Node:
        return self.add(name, owner, parent, mime_type=SHORTCUT, content=b"", target=target.id, target_key=key)

    def change(self, node: Node, **values: Any) -> None:
        """Changes a file; its time of modification moves with its content alone (documented)."""
        for name, value in values.items():
            setattr(node, name, value)
        if "content" in values:
            node.modified += timedelta(minutes=1)
        self._note(node)

    def share(self, node: Node, *grants: Grant) -> None:
        """Gives a file other permissions. Only the item itself is in the log, nothing below it (reported: omni#421)."""
        node.grants = [grant for grant in node.grants if grant.role == "owner"] + list(grants)
        self._note(node)

    def move(self, node: Node, parent: str) -> None:
        node.parent = parent
        self._note(node)

    def trash(self, node: Node, *, is_trashed: bool = True) -> None:
        """Puts a file into the trash. What lies in a folder is in the trash, too, and in no log (assumed)."""
        node.is_trashed = is_trashed
        self._note(node)

    def delete(self, node: Node) -> None:
        """Deletes a file for good, with all below it; only the item itself is in the log (assumed)."""
        for child in [each for each in self.nodes.values() if each.parent == node.id]:
            self.delete(child)
        del self.nodes[node.id]
        self.removed_from[node.id] = node.drive
        self.log.append((node.id, node.drive))

    def forget_changes(self) -> None:
        """Has all places in the change logs that were given out not known any more."""
        self.log.append(("", ""))
        self.faults.changes_forgotten_before = len(self.log)

    def _note(self, node: Node) -> None:
        node.version += 1
        self.log.append((node.id, node.drive))

    def _id(self, prefix: str) -> str:
        return f"{prefix}{next(self._numbers):08}"

    # Who may read what.

    def grants_of(self, node_id: str) -> list[tuple[Grant, bool]]:
        """Returns the permissions that apply to an item, with whether each is inherited.

        A folder with limited access cuts off what is above; owners and organizers stay (documented).
        """
        if node_id in self.drives:
            return [(grant, False) for grant in self.drive_grants[node_id]]
        node = self.nodes[node_id]
        own = [(grant, False) for grant in node.grants]
        if not node.parent or (node.parent not in self.nodes and node.parent not in self.drives):
            return own
        above = [grant for grant, _ in self.grants_of(node.parent)]
        if node.is_limited:
            keep = [grant for grant in above if grant.role in ("owner", "organizer")]
            names = [Grant(grant.type, grant.to, grant.role, view="metadata") for grant in above if grant not in keep]
            above = [*keep, *names]
        else:
            above = [grant for grant in above if not grant.view]
        return own + [(grant, True) for grant in above if grant not in node.grants]

    def members_of(self, group: str, seen: frozenset[str] = frozenset()) -> set[str]:
        """Returns the people of a group and of the groups in it."""
        found: set[str] = set()
        for member in self.groups.get(group, ()):
            if member in self.groups and member not in seen:
                found |= self.members_of(member, seen | {group})
            elif member in self.people:
                found.add(member)
        return found

    def readers(self, node_id: str, now: datetime | None = None) -> set[str]:
        """Returns the people who may read an item and find it: the truth that a sync is compared with."""
        now = now or datetime.now(UTC)
        found: set[str] = set()
        for grant, _ in self.grants_of(node_id):
            if grant.view or grant.deleted or (grant.ends and datetime.fromisoformat(grant.ends) <= now):
                continue
            if grant.type == "user":
                found.add(grant.to)
            elif grant.type == "group":
                found |= self.members_of(grant.to)
            elif grant.discoverable:
                found |= {person for person in self.people if person not in self.suspended}
        return found

    def is_visible(self, node_id: str, person: str) -> bool:
        """Returns whether somebody may open an item by its id: also one that only its link opens."""
        return node_id in self.nodes and (
            person in self.readers(node_id)
            or any(grant.type in ("anyone", "domain") for grant, _ in self.grants_of(node_id))
        )

    def is_in_trash(self, node_id: str) -> bool:
        node = self.nodes.get(node_id)
        return node is not None and (node.is_trashed or self.is_in_trash(node.parent))

    def is_member(self, drive: str, person: str) -> bool:
        return person in {
            reader
            for grant in self.drive_grants.get(drive, ())
            for reader in ([grant.to] if grant.type == "user" else self.members_of(grant.to))
        }


def permission_id(grantee: str) -> str:
    """Returns the id of whom a permission is for, the same wherever they have one (documented)."""
    return str(int(hashlib.sha256(grantee.encode()).hexdigest()[:15], 16))


def directory_id(person: str) -> str:
    """Returns the id of a person in the directory, which is another one (assumed)."""
    return f"1{permission_id(person)}"
