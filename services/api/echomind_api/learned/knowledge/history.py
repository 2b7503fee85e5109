"""Revisions of entities: the content before each change, its author and its time."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_lib.access import Principal
from echomind_lib.db import models as rows
from echomind_lib.db.paging import read_page
from echomind_lib.mappers import knowledge_revisions as mapper
from echomind_lib.models.public import ListKnowledgeRevisionsRequest, ListKnowledgeRevisionsResponse

_Revision = rows.KnowledgeRevision


async def list_revisions(
    session: AsyncSession, principal: Principal, row: rows.KnowledgeEntity, request: ListKnowledgeRevisionsRequest
) -> ListKnowledgeRevisionsResponse:
    """Returns a page of an entity's revisions, newest first.

    Only the owner sees revisions from before the entity was shared, which may be based on documents that it no longer
    refers to.
    """
    is_own = row.user_id == principal.user_id
    page = read_page(
        request.page_size, request.page_token, tuple[int], "knowledge revisions", row.id, principal.user_id
    )
    query = (
        select(_Revision, rows.User.user_name)
        .outerjoin(rows.User, rows.User.id == _Revision.user_id)
        .where(_Revision.knowledge_id == row.id)
    )
    if not is_own and row.level != "individual":
        query = query.where(_Revision.level != "individual")
    found = (await session.execute(page.select(query, _Revision.revision, descending=True))).all()
    shown, token = page.cut(found, lambda each: (each[0].revision,))
    before = [revision.content for revision, _ in found[1:]] + [None]
    return ListKnowledgeRevisionsResponse(
        revisions=[
            mapper.to_model(revision, user_name or "", content_before, is_own=is_own)
            for (revision, user_name), content_before in zip(shown, before, strict=False)
        ],
        next_page_token=token,
    )
