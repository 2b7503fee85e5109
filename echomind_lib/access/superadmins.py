"""Which superadmins can sign in: the condition of the rule that somebody must remain who can administer."""

from collections.abc import Collection

from sqlalchemy import ColumnElement, and_, literal, or_, select

from echomind_lib.db.models import Credential, IdentityProvider, InstallationSettings, User, UserIdentity


def can_sign_in(local_accounts: bool | None, issuers: Collection[str]) -> ColumnElement[bool]:
    """Returns the condition that the account of a row of `users` can sign in, if it is active.

    With a password while local accounts are on, or with an identity at an active provider.

    Args:
        local_accounts: What the environment says about local accounts; None leaves it to the stored setting.
        issuers: Issuers of the providers of the environment, which are always active.
    """
    has_password = select(Credential.user_id).where(Credential.user_id == User.id).exists()
    is_active = or_(
        UserIdentity.issuer.in_(select(IdentityProvider.issuer).where(IdentityProvider.is_active)),
        UserIdentity.issuer.in_(issuers),
    )
    at_provider = select(UserIdentity.id).where(UserIdentity.user_id == User.id, is_active).exists()
    stored = select(InstallationSettings.local_accounts).scalar_subquery()
    are_on = stored if local_accounts is None else literal(local_accounts)
    return or_(and_(has_password, are_on), at_provider)
