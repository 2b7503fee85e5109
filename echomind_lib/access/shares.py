"""Access to sessions that others have shared by name: with a person, or with a group of theirs.

It is decided in the statement that reads, so that whoever is removed from a share, or leaves its group, loses it at
once. Whether the share itself works is decided by `echomind_lib.conversations.shares`.
"""

from typing import Any

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.orm import aliased

from echomind_lib.db.models.identity import GroupMember
from echomind_lib.db.models.sharing import SessionShare, SessionShareRecipient


def is_shared_with(reader_id: Any, share: Any = SessionShare) -> ColumnElement[bool]:
    """Returns the condition that a share of somebody else is for a person, or for a group that they belong to.

    Args:
        reader_id: The person: a column or parameter.
        share: `SessionShare` or an alias of it.
    """
    person, group = aliased(SessionShareRecipient, name="person"), aliased(SessionShareRecipient, name="of_group")
    named = select(person.session_share_id).where(person.user_id == reader_id)
    by_group = (
        select(group.session_share_id)
        .join(GroupMember, GroupMember.group_id == group.group_id)
        .where(GroupMember.user_id == reader_id)
    )
    return and_(share.user_id != reader_id, share.id.in_(named.union(by_group)))
