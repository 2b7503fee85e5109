"""Details that only some runs need: their team, their notebook, and whether knowledge exists.

The claim tells which of them a run needs, so that other runs cost no further statement, and their claims do not read
these tables.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import asyncpg
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    Text,
    and_,
    bindparam,
    case,
    cast,
    func,
    literal,
    not_,
    select,
)
from sqlalchemy.dialects.postgresql import JSONB, aggregate_order_by
from sqlalchemy.orm import aliased

from echomind_lib.access.knowledge import has_knowledge
from echomind_lib.access.memory import has_memories
from echomind_lib.access.sources import asker_may_read_sources
from echomind_lib.db.models.catalog import Assistant, AssistantMember, AssistantVersion
from echomind_lib.db.models.identity import User
from echomind_lib.db.models.notebooks import Notebook
from echomind_lib.db.statements import Query
from echomind_lib.notebooks.authors import is_own_text
from echomind_lib.notebooks.suggestions import is_suggested
from echomind_lib.runs.record import RunNotebook, RunRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class _Team:
    """The assistant of a run in a team, in the run's version, with the members that it leads."""

    system_prompt: str
    task_prompt: str
    config: Mapping[str, Any]
    stored_members: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Notebook:
    title: str
    instructions: str
    tools: list[str]
    is_written_by_others: bool
    is_suggested: bool
    """Whether the question is a suggested one, which a model has written from the sources."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    has_memories: bool
    has_knowledge: bool


def _members() -> ColumnElement[Any]:
    """Returns the members that an assistant leads, in order, in the form of `teams.StoredMember`."""
    member, pinned = aliased(Assistant, name="member"), aliased(AssistantVersion, name="pinned")
    is_pinned = pinned.version.is_not(None)
    fields: dict[str, Any] = {
        "assistant_id": member.id,
        "name": member.name,
        "description": member.description,
        "role": AssistantMember.role,
        "version": func.coalesce(pinned.version, func.nullif(member.version, 0)),
        "llm_id": case((is_pinned, cast(pinned.config["llm_id"].astext, Integer)), else_=member.llm_id),
        "config": case((is_pinned, pinned.config["config"]), else_=member.config),
    }
    record = func.jsonb_build_object(*(part for field in fields.items() for part in field))
    found = (
        select(func.jsonb_agg(aggregate_order_by(record, AssistantMember.position)))
        .join_from(AssistantMember, member, member.id == AssistantMember.member_id)
        .outerjoin(pinned, and_(pinned.assistant_id == member.id, pinned.version == AssistantMember.version))
        .where(AssistantMember.assistant_id == Assistant.id, member.deleted_date.is_(None))
        .correlate(Assistant)
        .scalar_subquery()
    )
    return func.coalesce(found, literal([], JSONB)).label("stored_members")


def _of_version(name: str) -> ColumnElement[Any]:
    """Returns a column of an assistant: of the member's version, otherwise the current one."""
    column = getattr(Assistant, name)
    stored = AssistantVersion.config[name] if name == "config" else AssistantVersion.config[name].astext
    return func.coalesce(stored, column, type_=column.type).label(name)


_TEAM: Final = Query(
    select(_of_version("system_prompt"), _of_version("task_prompt"), _of_version("config"), _members())
    .select_from(Assistant)
    .outerjoin(
        AssistantVersion,
        and_(
            AssistantVersion.assistant_id == Assistant.id,
            AssistantVersion.version == bindparam("version", type_=Integer),
        ),
    )
    .where(Assistant.id == bindparam("assistant_id", type_=Integer)),
    _Team,
)


_NOTEBOOK: Final = Query(
    select(
        Notebook.title,
        Notebook.instructions,
        Notebook.tools,
        not_(is_own_text(bindparam("user_id", type_=Integer))).label("is_written_by_others"),
        is_suggested(Notebook.id, bindparam("question", type_=Text)).label("is_suggested"),
    ).where(Notebook.id == bindparam("notebook_id", type_=BigInteger)),
    _Notebook,
)
_KNOWN: Final = Query(
    select(has_memories(User.id).label("has_memories"), has_knowledge(User).label("has_knowledge")).where(
        User.id == bindparam("user_id", type_=Integer)
    ),
    _Known,
)


async def with_details(pool: asyncpg.Pool, run: RunRecord) -> RunRecord:
    """Returns a claimed run with its details; see the fields of `RunRecord`."""
    if run.kind in ("team", "member") or run.stored_state.keys() & {"leads", "pinned"}:
        run = await _with_team(pool, run)
    if run.session.notebook is not None:
        run = await _with_notebook(pool, run, run.session.notebook.id)
    elif run.session.limits is None and (run.has_knowledge or run.memory.has_any):
        known = await _KNOWN.fetch_one(pool, user_id=run.user_id)
        assert known is not None  # accounts with runs are not deleted
        memory = replace(run.memory, has_any=known.has_memories)
        run = replace(run, has_knowledge=known.has_knowledge, memory=memory)
    session = run.session
    # Generated text of the conversation is included only if the asker may read all its sources.
    if not session.shows_generated and await asker_may_read_sources(pool, run.user_id, session.id):
        run = replace(run, session=replace(session, shows_generated=True))
    return run


async def _with_notebook(pool: asyncpg.Pool, run: RunRecord, notebook_id: int) -> RunRecord:
    """Returns a run with its notebook.

    What other people have written there is untrusted text in its prompt, and so is a question that was suggested.
    """
    found = await _NOTEBOOK.fetch_one(pool, notebook_id=notebook_id, user_id=run.user_id, question=run.input)
    if found is None:
        return run
    notebook = RunNotebook(id=notebook_id, title=found.title, instructions=found.instructions, tools=found.tools)
    untrusted = run.untrusted or found.is_written_by_others or found.is_suggested
    return replace(run, untrusted=untrusted, session=replace(run.session, notebook=notebook))


async def _with_team(pool: asyncpg.Pool, run: RunRecord) -> RunRecord:
    is_pinned = bool(run.stored_state.get("pinned"))
    version = run.assistant_version if run.kind == "member" or is_pinned else None
    team = await _TEAM.fetch_one(pool, assistant_id=run.assistant.id, version=version)
    if team is None:
        return run
    # The members are those of today, whom a pinned version did not lead.
    members, limits = [] if is_pinned else team.stored_members, run.session.limits
    if limits is not None and limits.assistants is not None:
        members = [member for member in members if member["assistant_id"] in limits.assistants]
    assistant = replace(
        run.assistant,
        system_prompt=team.system_prompt,
        task_prompt=team.task_prompt,
        config=team.config,
        stored_members=members,
    )
    return replace(run, assistant=assistant)
