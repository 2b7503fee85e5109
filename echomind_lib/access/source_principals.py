"""Whom a person is at the sources: the principals that documents of connectors with source permissions name.

Computed in the statement that needs them, so that a deactivated account, a removed member or an e-mail that is no
longer verified count at once. PostgreSQL computes it once for a statement, and only when a document of such a connector
is met: installations without source permissions do not pay for it.
"""

from typing import Any, Final, cast

from sqlalchemy import ColumnElement, Select, and_, exists, func, select, union
from sqlalchemy.orm import aliased

from echomind_lib.db.models.content import Connector
from echomind_lib.db.models.identity import User
from echomind_lib.db.models.permissions import SourceAlias, SourceMember, SourcePrincipal

ANONYMOUS: Final = "anonymous"
"""The key of the principal that everybody is."""
GROUP_HOURS: Final = 24
"""For how long the members of a group are taken to be so after they were all read: a source that does not tell who is a
member must not grant for ever what it once told. Two intervals of the connector's syncs, where these are longer."""


def principals_of(user_id: Any, person: Any = None) -> Select[int]:
    """Returns the statement of the ids of the principals that an active account is, its groups included.

    An account is the person whom an alias names, and otherwise the one person of a connector with its verified e-mail;
    several with the same e-mail are none of them. An alias whose account was deleted names nobody, whatever the e-mail.

    Args:
        user_id: The account's id: a parameter, or the column of `person`.
        person: `User` or an alias of it, in a statement around this one.
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
    """Returns the condition that the members of a group of a connector were read recently enough to count."""
    minutes = func.greatest(GROUP_HOURS * 60, 2 * func.coalesce(connector.refresh_freq_minutes, 0))
    age = func.make_interval(0, 0, 0, 0, 0, minutes)
    return cast("ColumnElement[bool]", group.members_read_at > func.now() - age)
