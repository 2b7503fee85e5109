"""Invitations."""

from datetime import UTC, datetime
from typing import Any

from echomind_lib.models.public import Invitation, InvitationStatus, Role


def to_model(row: Any, *, may_invite: bool) -> Invitation:
    """Returns the invitation of a row, without its link.

    Args:
        row: The row.
        may_invite: Whether its creator may still invite.
    """
    if row.accepted_at is not None:
        status = InvitationStatus.ACCEPTED
    elif row.expires_at <= datetime.now(UTC):
        status = InvitationStatus.EXPIRED
    else:
        status = InvitationStatus.OPEN if may_invite else InvitationStatus.SUSPENDED
    return Invitation.from_row(row, status=status)


def to_columns(invitation: Invitation) -> dict[str, Any]:
    """Returns the columns of a new invitation, except `expires_at`, which the caller sets."""
    roles = {Role.USER, *invitation.roles}
    return {
        "email": invitation.email or None,
        "roles": [role.word for role in Role if role in roles],
        "groups": sorted(invitation.groups),
    }
