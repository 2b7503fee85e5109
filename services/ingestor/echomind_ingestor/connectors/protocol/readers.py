"""Readers of items at their source: principals, and the people and groups behind them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """The readers of an item at the source.

    Attributes:
        principals: Keys of `user_key`, `group_key` and `tenant_key`; `ANONYMOUS` for publicly discoverable items.
        inherits: Whether the readers of its folder may read it as well.
        is_known: False if they could not be read; nobody is then granted access.
    """

    principals: frozenset[str] = frozenset()
    inherits: bool = False
    is_known: bool = True


UNKNOWN: Final = Readers(is_known=False)
"""Readers that could not be read. They grant nobody."""
INHERITED: Final = Readers(inherits=True)
"""The readers of the folder."""
ANONYMOUS: Final = "anonymous"
"""The public, for items that can be found without a link. Access by link alone grants nobody."""


def user_key(provider: str, user_id: str) -> str:
    """Returns the principal of a person: `user:google:1234`. The id is the source's immutable one, never an e-mail."""
    return f"user:{provider}:{user_id}"


def group_key(provider: str, group_id: str) -> str:
    """Returns the principal of a group. Used for grants and memberships alike."""
    return f"group:{provider}:{group_id}"


def tenant_key(provider: str, tenant_id: str) -> str:
    """Returns the principal of everyone in an organization at the source, without its guests."""
    return f"tenant:{provider}:{tenant_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A person as the source knows them.

    Attributes:
        key: Of `user_key`.
        email: Verified e-mail address that maps them to an account; empty if unknown.
        name: Display name; may be empty.
    """

    key: str
    email: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A group, tenant or drive with its members.

    Attributes:
        key: Of `group_key` or `tenant_key`.
        name: Display name.
        members: Keys of people and of other groups; all of them.
        is_complete: False if not all members could be read; the stored members are then unchanged.
    """

    key: str
    name: str = ""
    members: frozenset[str] = frozenset()
    is_complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPage:
    """Some groups with their members, and the people in them.

    Attributes:
        is_complete: On the last page: whether all named groups were listed; missing ones have been
            removed at the source.
    """

    groups: Sequence[Group] = ()
    people: Sequence[Person] = ()
    is_complete: bool = False
