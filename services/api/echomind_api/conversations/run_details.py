"""A run with all that it did, and the same of each run below it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import asyncpg
from sqlalchemy import ARRAY, Integer, any_, bindparam, select
from sqlalchemy.orm import aliased

from echomind_api.conversations.run_rows import RunRow, read_tree
from echomind_api.streams import withhold, withhold_results
from echomind_lib.access import Principal
from echomind_lib.access.assistant_choice import usable
from echomind_lib.access.sources import may_read_sources
from echomind_lib.conversations.messages import messages_of_runs
from echomind_lib.db.models.catalog import Assistant, Llm
from echomind_lib.db.models.identity import User
from echomind_lib.db.statements import Query
from echomind_lib.db.words import LlmProvider as LlmProviderWord
from echomind_lib.events.replay import read_run_events
from echomind_lib.mappers import runs
from echomind_lib.models.public import ChatMessage, LlmProvider, PromptMessage, RunDetails, SessionEvent
from echomind_lib.runs.prompts import read_recorded

_MAX_EVENTS: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Model:
    """A chat model, removed ones too."""

    id: int
    provider: LlmProviderWord
    model_id: str


_MODELS: Final = Query(
    select(Llm.id, Llm.provider, Llm.model_id).where(Llm.id == any_(bindparam("ids", type_=ARRAY(Integer)))), _Model
)
_asker = aliased(User, name="asker")
_USABLE: Final = Query(
    select(Assistant.id)
    .join(_asker, _asker.id == bindparam("user_id", type_=Integer))
    .where(Assistant.id == any_(bindparam("ids", type_=ARRAY(Integer))), usable(Assistant, _asker)),
    int,
)


async def read_details(pool: asyncpg.Pool, reader: Principal, root: RunRow, *, detailed: bool) -> RunDetails:
    """Returns a run with its steps, calls and sub-runs.

    Args:
        pool: The database.
        reader: The reader, to hide what runs found in documents that the reader may not read.
        root: The run. The caller checks that the reader may see it.
        detailed: Whether the reader receives the details of errors, which may contain internal addresses.
    """
    own = root.user_id == reader.user_id
    shows_results = own and await may_read_sources(pool, reader, root.chat_session_id)
    tree = await read_tree(pool, root.id)
    events: dict[str, list[SessionEvent]] = defaultdict(list)
    for event in await read_run_events(pool, root.id, 0, _MAX_EVENTS):
        if not own:
            withhold(event)
        elif not shows_results:
            withhold_results(event)
        events[event.run_id].append(SessionEvent.from_pb(event))
    models = await _MODELS.fetch_all(pool, ids=[run.llm_id for run in tree if run.llm_id])
    messages: dict[UUID, list[PromptMessage]] = {}
    # Everybody who may see the run reads its answer in the conversation, too, with the citations that they may read.
    _, found = await messages_of_runs(pool, reader, [str(root.id)])
    answers = {run_id: ChatMessage.from_pb(message) for run_id, message in found.items()}
    if shows_results:
        ids = [run.assistant_id for run in tree if run.assistant_id]
        may_use = set(await _USABLE.fetch_all(pool, user_id=reader.user_id, ids=ids))
        for run in tree:
            if run.assistant_id in may_use:
                messages[run.id] = await _messages(pool, run.id)
    by_id = {model.id: model for model in models}
    below: dict[UUID | None, list[RunDetails]] = defaultdict(list)
    for run in reversed(tree):
        model, answer = by_id.get(run.llm_id or 0), answers.get(str(run.id))
        shown = runs.to_model(run, own=shows_results or (own and run.id == root.id), detailed=detailed)
        details = RunDetails(
            run=shown,
            model=model.model_id if model else "",
            model_provider=LlmProvider.from_word(model.provider) if model else LlmProvider.UNSPECIFIED,
            content=answer.content if answer else shown.output,
            citations=list(answer.citations) if answer else [],
            messages=messages.get(run.id, []),
            events=events[str(run.id)],
            member_responses=_in_order(below, run.id),
        )
        below[run.parent_run_id].append(details)
        if run.id == root.id:
            return details
    raise AssertionError("a tree holds its root")


def _in_order(below: Mapping[UUID | None, Sequence[RunDetails]], run_id: UUID) -> list[RunDetails]:
    """Returns the runs below a run, which were found last first."""
    return list(reversed(below.get(run_id, ())))


async def _messages(pool: asyncpg.Pool, run_id: UUID) -> list[PromptMessage]:
    """Returns the last prompt of a run and the model's reply."""
    recorded = await read_recorded(pool, run_id)
    if not recorded.base:
        return []
    last = max(recorded.outputs)
    return runs.to_prompt([*recorded.messages(), recorded.outputs[last]], recorded.omissions).messages
