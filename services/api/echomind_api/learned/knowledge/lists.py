"""Lists of entities: filters, orders, pages."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Double, Select, cast, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.learned.knowledge.entities import readable, to_models
from echomind_lib.access import Principal
from echomind_lib.access.knowledge import knowledge_listed
from echomind_lib.db import models as rows
from echomind_lib.db.paging import Page, read_page
from echomind_lib.models import public

_Entity, _Use = rows.KnowledgeEntity, rows.KnowledgeUse


@dataclass(frozen=True, slots=True)
class _Order:
    """An order of a list, descending."""

    columns: tuple[Any, ...]
    key_type: type[tuple[Any, ...]]
    key: Callable[[rows.KnowledgeEntity], tuple[Any, ...]]
    """Returns the place of a row: its values of the columns."""


_NEWEST: Final = _Order((_Entity.id,), tuple[int], lambda row: (row.id,))
_MOST_USED: Final = _Order((_Entity.usage_count, _Entity.id), tuple[int, int], lambda row: (row.usage_count, row.id))
_CONFIDENCE: Final = _Order(
    (cast(_Entity.alpha / (_Entity.alpha + _Entity.beta), Double), _Entity.id),
    tuple[float, int],
    lambda row: (row.alpha / (row.alpha + row.beta), row.id),
)
_ORDERS: Final = {public.KnowledgeOrder.MOST_USED: _MOST_USED, public.KnowledgeOrder.CONFIDENCE: _CONFIDENCE}


async def list_entities(
    session: AsyncSession, principal: Principal, request: public.ListKnowledgeRequest
) -> public.ListKnowledgeResponse:
    """Returns a page of the entities that a user may see in lists.

    Raises:
        InvalidPageTokenError: The token belongs to another list.
    """
    order = _ORDERS.get(request.order, _NEWEST)
    filters = (
        request.level.value,
        request.category,
        request.tag,
        request.source_type.value,
        request.query,
        request.order.value,
        request.own,
        request.lapsed,
        request.run_id,
        request.found_in_session_id,
        principal.user_id,
    )
    page: Page[Any] = read_page(request.page_size, request.page_token, order.key_type, "knowledge", *filters)
    found, token = await _read(session, page_of_entities(request, principal, page), order, page)
    return public.ListKnowledgeResponse(knowledge=await to_models(session, principal, found), next_page_token=token)


async def list_proposals(
    session: AsyncSession, principal: Principal, request: public.ListKnowledgeProposalsRequest
) -> public.ListKnowledgeProposalsResponse:
    """Returns a page of the proposals that wait for a decision, the most used first.

    Raises:
        InvalidPageTokenError: The token belongs to another list.
    """
    page: Page[Any] = read_page(request.page_size, request.page_token, _MOST_USED.key_type, "knowledge proposals")
    found, token = await _read(session, page_of_proposals(principal, page), _MOST_USED, page)
    return public.ListKnowledgeProposalsResponse(
        knowledge=await to_models(session, principal, found), next_page_token=token
    )


def page_of_entities(
    request: public.ListKnowledgeRequest, principal: Principal, page: Page[Any]
) -> Select[rows.KnowledgeEntity]:
    """Returns the statement of a page of the entities that a user may see in lists."""
    rule = knowledge_listed()
    query = select(_Entity).where(rule.where(), *_conditions(request, principal)).params(rule.values(principal))
    return page.select(query, *_ORDERS.get(request.order, _NEWEST).columns, descending=True)


def page_of_proposals(principal: Principal, page: Page[Any]) -> Select[rows.KnowledgeEntity]:
    """Returns the statement of a page of the proposals that wait for a decision."""
    proposed = readable(principal).where(_Entity.review_status == "proposed")
    return page.select(proposed, *_MOST_USED.columns, descending=True)


async def _read(
    session: AsyncSession, query: Select[rows.KnowledgeEntity], order: _Order, page: Page[Any]
) -> tuple[list[rows.KnowledgeEntity], str]:
    return page.cut((await session.scalars(query)).all(), order.key)


def _conditions(request: public.ListKnowledgeRequest, principal: Principal) -> list[Any]:
    conditions: list[Any] = []
    if request.level is not public.KnowledgeLevel.UNSPECIFIED:
        conditions.append(_Entity.level == request.level.word)
    if request.category:
        conditions.append(_Entity.category == request.category)
    if request.tag:
        conditions.append(_Entity.tags.contains([request.tag]))
    if request.source_type is not public.KnowledgeSourceType.UNSPECIFIED:
        conditions.append(_Entity.source_type == request.source_type.word)
    if request.own:
        conditions.append(_Entity.user_id == principal.user_id)
    if request.run_id:
        conditions += [_Entity.source_run_id == UUID(request.run_id), _Entity.user_id == principal.user_id]
    if request.found_in_session_id:
        found = select(_Use.knowledge_id).where(_Use.chat_session_id == request.found_in_session_id)
        conditions.append(_Entity.id.in_(found))
    if request.lapsed:
        conditions += [_Entity.level != "individual", _Entity.review_after < func.now()]
    if words := request.query.strip():
        columns = (_Entity.title, _Entity.content)
        conditions.append(or_(*(column.icontains(words, autoescape=True) for column in columns)))
    return conditions
