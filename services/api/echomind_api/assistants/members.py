"""Members of assistants, and the rules for teams."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from sqlalchemy import Integer, delete, insert, select, type_coerce
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.rows import missing
from echomind_lib.access import Principal
from echomind_lib.access import assistants as rule_of
from echomind_lib.assistants.teams import MAX_DEPTH
from echomind_lib.db import models as rows
from echomind_lib.errors import ValidationFailedError
from echomind_lib.models.public import AssistantMember

FIELD: Final = "members"
"""The field of `Assistant` that is stored in a separate table."""


async def read_members(session: AsyncSession, assistant_ids: Collection[int]) -> dict[int, list[AssistantMember]]:
    """Returns the members of assistants, in their order. Members that were removed are left out."""
    link, member = rows.AssistantMember, rows.Assistant
    query = (
        select(link.assistant_id, link.member_id, link.role, link.version, member.name)
        .join(member, member.id == link.member_id)
        .where(link.assistant_id.in_(assistant_ids), member.deleted_date.is_(None))
        .order_by(link.assistant_id, link.position)
    )
    found: dict[int, list[AssistantMember]] = {assistant_id: [] for assistant_id in assistant_ids}
    for row in await session.execute(query):
        found[row.assistant_id].append(
            AssistantMember(assistant_id=row.member_id, role=row.role, version=row.version or 0, name=row.name)
        )
    return found


async def without_removed(session: AsyncSession, members: Sequence[AssistantMember]) -> list[AssistantMember]:
    """Returns the members whose assistants are not removed."""
    row = rows.Assistant
    ids = [member.assistant_id for member in members]
    kept = set(await session.scalars(select(row.id).where(row.id.in_(ids), row.deleted_date.is_(None))))
    return [member for member in members if member.assistant_id in kept]


async def write_members(
    session: AsyncSession, principal: Principal, assistant: rows.Assistant, members: Sequence[AssistantMember]
) -> None:
    """Replaces the members of an assistant.

    Args:
        session: The transaction; writers of assistants wait until it ends (`lock_table`), unless it is of a draft.
        principal: The author of the change; members must be visible to them.
        assistant: The leader.
        members: Its members, in their order.

    Raises:
        NotFoundError: There is no such assistant, or version of it, or it is a draft.
        ValidationFailedError: A member is listed twice or would lead itself, or teams would be nested too deeply.
    """
    names = await _require_known(session, principal, members)
    # A draft is checked as the assistant that it is a draft of.
    await _require_sound_team(session, assistant.draft_of_id or assistant.id, members, names)
    await session.execute(delete(rows.AssistantMember).where(rows.AssistantMember.assistant_id == assistant.id))
    if members:
        await session.execute(
            insert(rows.AssistantMember),
            [
                {
                    "assistant_id": assistant.id,
                    "member_id": member.assistant_id,
                    "role": member.role,
                    "position": position,
                    "version": member.version or None,
                }
                for position, member in enumerate(members, 1)
            ],
        )


async def _require_known(
    session: AsyncSession, principal: Principal, members: Sequence[AssistantMember]
) -> dict[int, str]:
    """Returns the names of members by id; raises unless each is an assistant that the user may see, named once."""
    member_ids = [member.assistant_id for member in members]
    rule, row = rule_of("read"), rows.Assistant
    known = await session.execute(
        select(row.id, row.name)
        .where(type_coerce(row.id, Integer).in_(member_ids), row.deleted_date.is_(None), ~row.is_draft, rule.where(row))
        .params(rule.values(principal))
    )
    names = {found.id: found.name for found in known}
    for index, member_id in enumerate(member_ids):
        if member_id not in names:
            raise missing("assistant", member_id)
        if member_id in member_ids[:index]:
            raise _invalid(index, f"names {names[member_id]} twice: an assistant is a member once")
    for member in members:
        if member.version and await session.get(rows.AssistantVersion, (member.assistant_id, member.version)) is None:
            raise missing(f"version of the assistant {names[member.assistant_id]}", member.version)
    return names


async def _require_sound_team(
    session: AsyncSession, leader: int, members: Sequence[AssistantMember], names: Mapping[int, str]
) -> None:
    """Raises `ValidationFailedError` if with these members somebody would lead itself, or teams be nested too deep."""
    member_ids = [member.assistant_id for member in members]
    links: dict[int, list[int]] = {}
    stored = await session.execute(select(rows.AssistantMember.assistant_id, rows.AssistantMember.member_id))
    for assistant_id, member_id in stored:
        links.setdefault(assistant_id, []).append(member_id)
    links[leader] = member_ids
    for index, member_id in enumerate(member_ids):
        if leader == member_id or leader in _all_below(member_id, links):
            raise _invalid(index, f"{names[member_id]} would lead itself: take one of them out of the other's members")
    if _levels(leader, _reversed(links)) + _levels(leader, links) > MAX_DEPTH:
        raise ValidationFailedError(
            f"Teams can be nested to {MAX_DEPTH} levels, and with these members there would be more.",
            members=f"must make at most {MAX_DEPTH} levels of teams",
        )


def _all_below(assistant_id: int, links: Mapping[int, Sequence[int]]) -> set[int]:
    """Returns the direct and indirect members of an assistant."""
    found: set[int] = set()
    waiting = list(links.get(assistant_id, ()))
    while waiting:
        member_id = waiting.pop()
        if member_id not in found:
            found.add(member_id)
            waiting += links.get(member_id, ())
    return found


def _levels(assistant_id: int, links: Mapping[int, Sequence[int]]) -> int:
    """Returns the number of levels below an assistant; the teams must have no cycles."""
    known: dict[int, int] = {}

    def below(leader_id: int) -> int:
        if leader_id not in known:
            known[leader_id] = max((1 + below(member_id) for member_id in links.get(leader_id, ())), default=0)
        return known[leader_id]

    return below(assistant_id)


def _reversed(links: Mapping[int, Sequence[int]]) -> dict[int, list[int]]:
    """Returns by whom each is led."""
    leaders: dict[int, list[int]] = {}
    for leader, members in links.items():
        for member_id in members:
            leaders.setdefault(member_id, []).append(leader)
    return leaders


def _invalid(index: int, rule: str) -> ValidationFailedError:
    return ValidationFailedError.of(f"members.{index}", rule)
