"""The conditions of a claim of a run that is known by its id: its person has a free slot, nobody waits for its turn.

Statements that claim a queued run have them (see `claim`), and those that claim the run of the question they store
(see `assignment`).
"""

from typing import Any, Final

from sqlalchemy import CTE, ColumnElement, Integer, Uuid, bindparam, case, exists, func, or_, select, true
from sqlalchemy.orm import InstrumentedAttribute, aliased
from sqlalchemy.sql.selectable import LateralFromClause

from echomind_lib.access.assistant_choice import usable_llm
from echomind_lib.db.models.catalog import Llm
from echomind_lib.db.models.runs import Run
from echomind_lib.db.models.work import Worker
from echomind_lib.runs.queue import at_work

_FREE: Final = bindparam("free", type_=Integer)


def free_slot(user_id: ColumnElement[int] | InstrumentedAttribute[int], *correlated: Any) -> LateralFromClause:
    """Returns a free slot of a person, `free_slot`; no row if there is none.

    Its parameters are `limit`, the maximum number of active root runs of one person, and `skip`, the number of free
    slots to leave to other claims.

    Args:
        user_id: The person.
        correlated: What the statement has `user_id` from.
    """
    held, active = aliased(Run, name="held"), aliased(Run, name="active")
    skip = bindparam("skip", type_=Integer)
    taken = select(func.count()).where(active.user_id == user_id, at_work(active)).correlate(*correlated)
    # One of so many slots is free, so that the limit, however high, costs nothing.
    last = func.least(bindparam("limit", type_=Integer), taken.scalar_subquery() + skip + 1)
    number = func.generate_series(1, last).column_valued("number")
    is_held = exists().where(held.user_id == user_id, held.slot == number, at_work(held)).correlate_except(held)
    return (
        select(number.label("free_slot"))
        .where(~is_held)
        .order_by(number)
        .limit(1)
        .offset(skip)
        .correlate(*correlated)
        .lateral("slot")
    )


def fewer_wait(number: ColumnElement[int]) -> ColumnElement[bool]:
    """Returns the condition that no more than a number of runs are queued."""
    other = aliased(Run, name="other")
    return select(true()).where(other.status == "queued").limit(1).offset(number).scalar_subquery().is_(None)


def chosen_llm(
    requested: ColumnElement[int | None] | InstrumentedAttribute[int | None],
    of_assistant: ColumnElement[int | None] | InstrumentedAttribute[int | None],
    *correlated: Any,
) -> ColumnElement[int | None]:
    """Returns the model of a run: the requested one, that of its assistant, or the default one."""
    return (
        select(Llm.id)
        .where(usable_llm(), or_(Llm.id.in_([requested, of_assistant]), Llm.is_default))
        .order_by((Llm.id == requested).desc().nulls_last(), (Llm.id == of_assistant).desc().nulls_last())
        .limit(1)
        .correlate(*correlated)
        .scalar_subquery()
    )


def reservation(asked: CTE, user_id: ColumnElement[int]) -> CTE:
    """Returns the worker that may execute the run of a question at once, and the free slot of its person; or no row.

    The parameters are `worker_id`, `free`, the number of runs that the worker may start, and those of `free_slot`.

    Args:
        asked: The question, of an active person if `is_active`.
        user_id: The person.
    """
    slot = free_slot(user_id)
    return (
        select(Worker.id.label("worker_id"), slot.c.free_slot)
        .select_from(asked.join(Worker, Worker.id == bindparam("worker_id", type_=Uuid)).join(slot, true()))
        .where(asked.c.is_active, fewer_wait(_FREE - 1))
        .cte("reservation")
        .prefix_with("MATERIALIZED")
    )


def claimed_columns(reserved: CTE, llm_id: ColumnElement[int | None]) -> dict[str, ColumnElement[Any]]:
    """Returns the columns of a new run that is claimed for the worker of a `reservation`, or queued without one.

    Args:
        reserved: The reservation.
        llm_id: The model of the run.
    """
    is_claimed = reserved.c.worker_id.is_not(None)
    return {
        "status": case((is_claimed, "running"), else_="queued"),
        "attempt": case((is_claimed, 1), else_=0),
        "worker_id": reserved.c.worker_id,
        "slot": reserved.c.free_slot,
        "started_at": case((is_claimed, func.now())),
        "llm_id": case((is_claimed, llm_id)),
    }
