"""Rows of datasets and their questions, as a caller may read or change them."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.people import full_name
from echomind_api.rows import missing
from echomind_lib.access import Principal, evaluation_datasets
from echomind_lib.db import models as rows
from echomind_lib.errors import PermissionDeniedError, ValidationFailedError
from echomind_lib.mappers import evaluation_datasets as mapper
from echomind_lib.models.public import EvaluationDataset

MAX_CASES: Final = 5000
"""Maximum number of questions of a dataset."""
_Row = rows.EvaluationDataset
_Case = rows.EvaluationCase


def readable(principal: Principal) -> Select[rows.EvaluationDataset, str, int]:
    """Returns the datasets that a principal may read, with the owner's name and the number of questions."""
    rule = evaluation_datasets("read")
    cases = select(func.count()).where(_Case.dataset_id == _Row.id).scalar_subquery().label("cases")
    return (
        select(_Row, full_name().label("user_name"), cases)
        .join(rows.User, rows.User.id == _Row.user_id)
        .where(rule.where(_Row))
        .params(rule.values(principal))
    )


def shown(found: Any, principal: Principal) -> EvaluationDataset:
    """Returns a dataset of `readable`."""
    row = found[0]
    may_manage = evaluation_datasets("manage").allows(principal, row)
    return mapper.to_model(row, user_name=found.user_name, cases=found.cases, is_editable=may_manage)


async def find_dataset(session: AsyncSession, principal: Principal, dataset_id: int) -> Any:
    """Returns a dataset as `readable` does.

    Raises:
        NotFoundError: There is none, or they may not see it.
    """
    found = (await session.execute(readable(principal).where(_Row.id == dataset_id))).one_or_none()
    if found is None:
        raise missing("dataset", dataset_id)
    return found


async def find_to_change(session: AsyncSession, principal: Principal, dataset_id: int) -> rows.EvaluationDataset:
    """Returns a dataset that a principal may change, locked against other writers of its questions.

    Raises:
        NotFoundError: There is none, or they may not see it.
        PermissionDeniedError: It is another person's.
    """
    row: rows.EvaluationDataset = (await find_dataset(session, principal, dataset_id))[0]
    if not evaluation_datasets("manage").allows(principal, row):
        raise PermissionDeniedError(
            "Only its owner can change a dataset: export it, and import it into one of yours.",
            resource="dataset",
            id=dataset_id,
        )
    # It may have been shared or deleted until it was locked.
    locked = await session.get(_Row, dataset_id, populate_existing=True, with_for_update={"key_share": True})
    if locked is None:
        raise missing("dataset", dataset_id)
    return locked


async def find_case_to_change(session: AsyncSession, principal: Principal, case_id: int) -> rows.EvaluationCase:
    """Returns a question of a dataset that a principal may change; raises as `find_to_change`."""
    case = await session.get(_Case, case_id)
    readable_ids = readable(principal).with_only_columns(_Row.id)
    if case is None or await session.scalar(readable_ids.where(_Row.id == case.dataset_id)) is None:
        raise missing("evaluation question", case_id)
    await find_to_change(session, principal, case.dataset_id)
    # It may have been deleted or changed until the dataset was locked.
    if (current := await session.get(_Case, case_id, populate_existing=True)) is None:
        raise missing("evaluation question", case_id)
    return current


async def check_room(session: AsyncSession, dataset_id: int, more: int) -> None:
    """Raises `ValidationFailedError` if a dataset has no room for more questions."""
    there = await session.scalar(select(func.count()).where(_Case.dataset_id == dataset_id))
    if (there or 0) + more > MAX_CASES:
        rule = f"a dataset has at most {MAX_CASES} questions, and this one has {there}"
        raise ValidationFailedError(f"cases: {rule}. Create another dataset.", cases=rule)


async def check_groups(session: AsyncSession, principal: Principal, groups: Sequence[str]) -> None:
    """Raises `NotFoundError` unless these are groups of the principal's own; for superadmins, groups that exist."""
    known = set(principal.groups)
    if groups and principal.has_role("superadmin"):
        known = set(await session.scalars(select(rows.Group.name).where(rows.Group.name.in_(groups))))
    if unknown := sorted(set(groups) - known):
        raise missing("group", unknown[0])
