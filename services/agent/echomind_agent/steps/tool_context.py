"""The context of a step's calls: the asker's access rights, and their messages."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import asyncpg
from sqlalchemy import ColumnElement, SQLColumnExpression, bindparam, exists, false, func, not_, select
from sqlalchemy.orm import aliased

from echomind_agent.state.run import RunState
from echomind_agent.toolset.registry import ToolContext
from echomind_lib.access import Principal
from echomind_lib.access.notebooks import NOTEBOOK_ID, SCOPE_COLUMNS, NotebookScope, may_ask_in
from echomind_lib.db.expressions import is_written_by
from echomind_lib.db.models.chat import ChatMessage, ChatSession
from echomind_lib.db.models.identity import User
from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Query
from echomind_lib.errors import PermissionDeniedError
from echomind_lib.notebooks.suggestions import is_suggested
from echomind_lib.runs.asker import ASKER_COLUMNS, Asker, principal_of, read_principal

_MAX_ASKED = 200
"""Maximum number of a session's questions in the context."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Member(Asker):
    """The asker in a notebook, with the notebook's sources."""

    may_ask: bool
    connector_ids: list[int]
    document_ids: list[int]


_MEMBER = Query(
    ASKER_COLUMNS.add_columns(
        may_ask_in(NOTEBOOK_ID, User.id).label("may_ask"),
        *SCOPE_COLUMNS,
    ),
    _Member,
)
_WITHOUT_MARKS = r"\[\d+\]|[*_`\s]"
"""What is removed from an answer where its closing questions are offered as buttons, as a regular expression."""


def _asked() -> Query[str]:
    """Returns the query of what the person wrote in a conversation, newest first.

    A question that the answer before it contains is left out: the model has written it, and the person may have picked
    it from the suggested ones. So is a suggested question of a notebook.
    """
    answer = aliased(ChatMessage, name="answer")
    is_picked = func.strpos(_bare(answer.content), _bare(ChatMessage.content)) > 0
    is_led_by_model = exists().where(
        Run.chat_session_id == ChatSession.id, func.jsonb_exists(Run.caller, "isQuestionUntrusted")
    )
    return Query(
        select(ChatMessage.content)
        .join(ChatSession, ChatSession.id == ChatMessage.chat_session_id)
        .outerjoin(answer, answer.id == ChatMessage.parent_message_id)
        .where(
            ChatMessage.chat_session_id == bindparam("session_id"),
            is_written_by(ChatMessage, bindparam("user_id")),
            not_(func.coalesce(is_picked, false())),
            not_(is_suggested(ChatSession.notebook_id, ChatMessage.content)),
            not_(is_led_by_model),
        )
        .order_by(ChatMessage.id.desc())
        .limit(_MAX_ASKED),
        str,
    )


def _bare(text: SQLColumnExpression[str]) -> ColumnElement[str]:
    return func.regexp_replace(text, _WITHOUT_MARKS, "", "g")


_ASKED = Query.deferred(_asked)


async def tool_context(state: RunState, *, judges_side_effects: bool = False) -> ToolContext:
    """Returns the context of a step's calls, with the asker's current rights.

    Args:
        state: The run.
        judges_side_effects: Whether a tool decides by the person's own messages in this conversation whether its call
            has a side effect. That matters only after the run has read untrusted text.

    Raises:
        PermissionDeniedError: The account of the run is deactivated.
    """
    run, pool = state.run, state.log.pool
    notebook = run.session.notebook
    principal, scope = await _read_asker(pool, run.user_id, notebook.id if notebook else None)
    asked = []
    if judges_side_effects and state.untrusted:
        asked = await _ASKED.fetch_all(pool, session_id=run.session.id, user_id=run.user_id)
    return context_of(state, principal, scope, asked)


def context_of(
    state: RunState, principal: Principal, scope: NotebookScope | None = None, asked: Sequence[str] = ()
) -> ToolContext:
    """Returns the context of a step's calls.

    Args:
        state: The run.
        principal: The asker with their current rights.
        scope: The sources of the notebook that the run is in; None for no notebook.
        asked: The asker's own messages in this conversation, where a tool judges by them.
    """
    run = state.run
    if run.session.limits is not None:
        principal = replace(principal, limits=run.session.limits)
    if run.connectors:
        principal = principal.within(run.connectors)
    return ToolContext(
        principal=principal,
        sources=state.sources,
        lease=state.lease,
        log=state.log,
        untrusted=state.untrusted,
        report=_ignore,
        notebook=scope,
        document_ids=run.document_ids,
        may_ask=run.ask_clarifications and not run.auto_run,
        asked=asked,
    )


async def _read_asker(
    pool: asyncpg.Pool, user_id: int, notebook_id: int | None
) -> tuple[Principal, NotebookScope | None]:
    """Returns the asker and the sources of their notebook, both as of now."""
    if notebook_id is None:
        return await read_principal(pool, user_id), None
    member = await _MEMBER.fetch_one(pool, user_id=user_id, notebook_id=notebook_id)
    principal = principal_of(user_id, member)
    assert member is not None  # `principal_of` raises without one
    if not member.may_ask:
        raise PermissionDeniedError("The person who asked is not a member of the notebook any more.", required="viewer")
    scope = NotebookScope(id=notebook_id, connector_ids=member.connector_ids, document_ids=member.document_ids)
    return principal, scope


async def _ignore(percentage: int, message: str) -> None:
    """Does nothing, as the context belongs to no call."""
