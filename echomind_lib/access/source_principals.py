"""A user's principals at the sources, which documents of connectors with source permissions refer to.

They are computed in the statement that needs them, so that a deactivated account, a removed member or an e-mail address
that is no longer verified takes effect at once. PostgreSQL computes them once per statement, and only if a document of
such a connector is checked: installations without source permissions do not pay for it.
"""

from typing import Any, Final, cast

from sqlalchemy import ColumnElement, Select, and_, exists, func, select, union
from sqlalchemy.orm import aliased

from echomind_lib.db.models.content import Connector
from echomind_lib.db.models.identity import User
from echomind_lib.db.models.permissions import SourceAlias, SourceMember, SourcePrincipal

ANONYMOUS: Final = "anonymous"
"""The key of the principal that includes everyone."""
GROUP_HOURS: Final = 24
"""How long memberships of a group are valid after they were all read: a source that stops reporting members must not
grant access forever. If longer, two sync intervals of the connector."""


def principals_of(user_id: Any, person: Any = None) -> Select[int]:
    """Returns the statement that selects the principals of an active account, including its groups.

    An account is the person that an alias assigns to it, otherwise the only person of a connector with its verified
    e-mail address; of several with the same address, none. An alias of a deleted account matches nobody, whatever the
    address.

    Args:
        user_id: The account's id: a parameter, or the column of `person`.
        person: `User` or an alias of it, in the enclosing statement.
    """
    reader = aliased(User, name="source_reader")
    principal = aliased(SourcePrincipal, name="person")
    double = aliased(SourcePrincipal, name="double")
    is_reader = and_(reader.id == user_id, reader.is_active)
    is_person = principal.key.startswith("user:")
    named = (
        select(principal.id)
        .join(SourceAlias, SourceAlias.key == principal.key)
        .join(reader, reader.id == SourceAlias.user_id)
        .where(is_reader, is_person)
    )
    has_double = exists().where(
        double.connector_id == principal.connector_id,
        double.email != "",
        func.lower(double.email) == func.lower(principal.email),
        double.id != principal.id,
    )
    by_email = (
        select(principal.id)
        .join(reader, func.lower(reader.email) == func.lower(principal.email))
        .where(is_reader, is_person, reader.is_email_verified, principal.email != "")
        .where(~exists().where(SourceAlias.key == principal.key), ~has_double)
    )
    everybody = select(principal.id).join(reader, is_reader).where(principal.key == ANONYMOUS)
    known = union(*(each.correlate(person) if person is not None else each for each in (named, by_email, everybody)))
    held = select(known.subquery("known").c.id).cte("held", recursive=True, nesting=True)
    group = aliased(SourcePrincipal, name="of_members")
    above = (
        select(SourceMember.group_id)
        .join(held, held.c.id == SourceMember.member_id)
        .join(group, group.id == SourceMember.group_id)
        .join(Connector, Connector.id == group.connector_id)
        .where(is_fresh(group, Connector))
    )
    return select(held.union(above).c.id)


def is_fresh(group: Any, connector: Any) -> ColumnElement[bool]:
    """Returns the condition that the members of a group of a connector were read recently enough to be valid."""
    minutes = func.greatest(GROUP_HOURS * 60, 2 * func.coalesce(connector.refresh_freq_minutes, 0))
    age = func.make_interval(0, 0, 0, 0, 0, minutes)
    return cast("ColumnElement[bool]", group.members_read_at > func.now() - age)
