"""The people and groups whom shares are for."""

from collections.abc import Iterable, Sequence

from sqlalchemy import delete, func, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.rows import missing
from echomind_lib.access import Principal
from echomind_lib.access.directory import groups_to_share_with
from echomind_lib.db import models as rows
from echomind_lib.errors import ValidationFailedError
from echomind_lib.models.public import SessionShareRecipient

_LIMIT = 200
"""Number of people and groups of a share."""
_Row = rows.SessionShareRecipient


async def recipients_of(session: AsyncSession, share_ids: Iterable[int]) -> dict[int, list[SessionShareRecipient]]:
    """Returns the active people and the groups whom shares are for, by share, in the order in which they were named."""
    found = await session.execute(
        select(_Row, rows.User, rows.Group)
        .outerjoin(rows.User, rows.User.id == _Row.user_id)
        .outerjoin(rows.Group, rows.Group.id == _Row.group_id)
        .where(_Row.session_share_id.in_(list(share_ids)), or_(_Row.user_id.is_(None), rows.User.is_active))
        .order_by(_Row.id)
    )
    recipients: dict[int, list[SessionShareRecipient]] = {}
    for row, user, group in found:
        recipients.setdefault(row.session_share_id, []).append(
            SessionShareRecipient(
                user_id=user.id,
                user_name=user.user_name,
                name=" ".join(filter(None, (user.first_name, user.last_name))),
            )
            if user
            else SessionShareRecipient(group_id=group.id, group=group.name, name=group.display_name or "")
        )
    return recipients


async def add_recipients(
    session: AsyncSession, principal: Principal, share_id: int, recipients: Sequence[SessionShareRecipient]
) -> None:
    """Shares it with people and groups as well; the caller has looked up the share.

    Raises:
        NotFoundError: There is no such active account, or no such group of the caller's.
        ValidationFailedError: One of them names nobody, or the caller, or there are too many.
    """
    for recipient in recipients:
        values = await _named(session, principal, share_id, recipient)
        await session.execute(insert(_Row).values(session_share_id=share_id, **values).on_conflict_do_nothing())
    count = await session.scalar(select(func.count()).select_from(_Row).where(_Row.session_share_id == share_id))
    if (count or 0) > _LIMIT:
        rule = f"a share is for at most {_LIMIT} people and groups: share it with a group, or by a link"
        raise ValidationFailedError(f"recipients: {rule}", recipients=rule)


async def remove_recipients(
    session: AsyncSession, principal: Principal, share_id: int, recipients: Sequence[SessionShareRecipient]
) -> None:
    """Takes a share back from people and groups; the caller has looked it up.

    Raises:
        NotFoundError: It is not shared with one of them.
        ValidationFailedError: One of them names nobody.
    """
    for recipient in recipients:
        values = await _named(session, principal, share_id, recipient, is_removal=True)
        conditions = [getattr(_Row, column) == value for column, value in values.items()]
        removal = delete(_Row).where(_Row.session_share_id == share_id, *conditions).returning(_Row.id)
        if await session.scalar(removal) is None:
            named = recipient.user_name or recipient.group or recipient.user_id or recipient.group_id
            raise missing("recipient", named)


async def _named(
    session: AsyncSession,
    principal: Principal,
    share_id: int,
    recipient: SessionShareRecipient,
    *,
    is_removal: bool = False,
) -> dict[str, int]:
    """Returns the columns of whom a request names.

    People require their exact name and groups a membership, so that neither can be listed; by ID only those can be
    referred to whom the share is for already.
    """
    given = [recipient.user_id, recipient.group_id, recipient.user_name.strip(), recipient.group.strip()]
    if sum(map(bool, given)) != 1:
        rule = "name each by one of `user_name` and `group`, or by the ID of whom it is shared with already"
        raise ValidationFailedError(f"recipients: {rule}", recipients=rule)
    if recipient.user_id or recipient.group_id:
        column, value = ("user_id", recipient.user_id) if recipient.user_id else ("group_id", recipient.group_id)
        is_one = select(_Row.id).where(_Row.session_share_id == share_id, getattr(_Row, column) == value)
        if await session.scalar(is_one) is None:
            raise missing("recipient", value)
        return {column: value}
    if name := recipient.group.strip():
        group = await session.scalar(select(rows.Group).where(rows.Group.name == name))
        if group is None or not (is_removal or groups_to_share_with().allows(principal, group)):
            raise missing("group named", name, "share with it")
        return {"group_id": group.id}
    user_id = await _active_account(session, recipient.user_name.strip())
    if user_id == principal.user_id and not is_removal:
        rule = "is yourself: you can read it anyway"
        raise ValidationFailedError(f"recipients: {recipient.user_name} {rule}", recipients=rule)
    return {"user_id": user_id}


async def _active_account(session: AsyncSession, name: str) -> int:
    """Returns the account with a user name, or else with an e-mail address."""
    users, lowered = rows.User, name.lower()
    is_named = or_(func.lower(users.user_name) == lowered, func.lower(users.email) == lowered)
    named = select(users.id).where(users.is_active, is_named).order_by(func.lower(users.user_name) != lowered)
    found = await session.scalar(named.limit(1))
    if found is None:
        raise missing("active account", name)
    return found
