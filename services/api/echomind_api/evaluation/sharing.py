"""Sharing of datasets that have answers of conversations: the rule for shares of these applies to them."""

from collections.abc import Collection
from typing import Final

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.conversations.shares import require_sharing
from echomind_lib.access import Principal
from echomind_lib.access.sources import sources_publishable
from echomind_lib.db import models as rows
from echomind_lib.errors import PermissionDeniedError

_NAMED: Final = 5
"""Maximum number of documents that an error names."""
_GONE: Final = "documents that were removed, or that you may not read any more"
_Case = rows.EvaluationCase
_DRAWN: Final = rows.ChatSessionSource.chat_session_id


async def shared_sessions(session: AsyncSession, dataset_id: int) -> list[int]:
    """Returns the ids of the conversations whose answers or names of documents are in a dataset."""
    shows = or_(_Case.answer != "", _Case.documents != [])
    query = (
        select(rows.ChatMessage.chat_session_id)
        .join(_Case, _Case.message_id == rows.ChatMessage.id)
        .where(_Case.dataset_id == dataset_id, shows)
        .distinct()
    )
    return list(await session.scalars(query))


async def check_sharing(
    session: AsyncSession, owner: Principal, dataset: rows.EvaluationDataset, session_ids: Collection[int]
) -> None:
    """Raises an error unless answers of conversations may be in a dataset as it is shared now.

    Each group that it is shared with must be allowed to read all documents that the conversations draw on, whoever its
    members are: for one that is shared with everyone, they must be readable by everyone. Permissions at the source are
    of persons, so documents that have them are in no shared dataset.

    Raises:
        PermissionDeniedError: It names the documents, of those that the owner may read.
    """
    if not (dataset.is_shared and session_ids):
        return
    await require_sharing(session)
    rule = sources_publishable()
    query = rule.unreadable(_DRAWN, session_ids)
    refused: dict[int | None, str | None] = {}
    groups: list[str | None] = [*dataset.groups] or [None]
    for group in groups:
        # A member whose only rights are the group's; 0 is nobody's account.
        member = Principal(0, groups=frozenset(() if group is None else (group,)))
        refused |= {found[0]: found[1] for found in await session.execute(query, rule.values(member))}
    if not refused:
        return
    hidden = {found[0] for found in await session.execute(query, rule.values(owner))}
    titles = sorted(title or "" for document_id, title in refused.items() if document_id not in hidden)
    names = [f'"{title}"' for title in titles[:_NAMED]]
    if names and len(refused) > len(names):
        names.append("…")
    raise PermissionDeniedError(
        "Not everybody whom the dataset is shared with may read what the rated answers draw on: "
        f"{', '.join(names) or _GONE}. Use a dataset that is private, or shared with a group that may read it.",
        resource="dataset",
        id=dataset.id,
        required="sources",
    )
