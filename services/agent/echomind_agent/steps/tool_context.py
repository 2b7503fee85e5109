"""What the calls of a step may use: the rights of whoever asked, and what they wrote."""

from dataclasses import dataclass

from sqlalchemy import bindparam, select

from echomind_agent.state.run import RunState
from echomind_agent.toolset.registry import ToolContext
from echomind_lib.access import Principal
from echomind_lib.db.models.chat import ChatMessage
from echomind_lib.db.models.identity import User
from echomind_lib.db.statements import Query
from echomind_lib.errors import PermissionDeniedError

_MOST_ASKED = 200
"""Questions of a session that a tool may look at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asker:
    roles: list[str]
    groups: list[str]
    is_active: bool


_ASKER = Query(select(User.roles, User.groups, User.is_active).where(User.id == bindparam("user_id")), _Asker)
_ASKED = Query(
    select(ChatMessage.content)
    .where(ChatMessage.chat_session_id == bindparam("session_id"), ChatMessage.role == "user")
    .order_by(ChatMessage.id.desc())
    .limit(_MOST_ASKED),
    str,
)


async def tool_context(state: RunState, *, judges_side_effects: bool = False) -> ToolContext:
    """Returns the context of a step's calls, with the asker's rights of this moment.

    Args:
        state: The run.
        judges_side_effects: Whether a tool decides by what the person wrote whether its call has a side effect. That
            counts only once the run has read untrusted text.

    Raises:
        PermissionDeniedError: The account that the run is for is not active any more.
    """
    run, pool = state.run, state.log.pool
    asker = await _ASKER.fetch_one(pool, user_id=run.user_id)
    if asker is None or not asker.is_active:
        raise PermissionDeniedError("The account that asked is not active any more.", required="user")
    asked = await _ASKED.fetch_all(pool, session_id=run.session.id) if judges_side_effects and state.tainted else []
    return ToolContext(
        principal=Principal(run.user_id, frozenset(asker.roles), frozenset(asker.groups)),
        sources=state.sources,
        lease=state.lease,
        log=state.log,
        tainted=state.tainted,
        report=_ignore,
        document_ids=run.document_ids,
        asked=asked,
    )


async def _ignore(percentage: int, message: str) -> None:
    """Does nothing: the context belongs to no call."""
