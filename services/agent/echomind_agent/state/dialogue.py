"""What was said before a run's first step, and by whom, for its sub-runs."""

from collections.abc import Sequence
from typing import Final

import asyncpg
from sqlalchemy import BigInteger, Integer, bindparam, select

from echomind_agent.text.speakers import Spoken, spoken
from echomind_lib.db.expressions import is_written_by
from echomind_lib.db.models.chat import ChatMessage
from echomind_lib.db.statements import Query
from echomind_lib.llms import Message
from echomind_lib.runs.record import RunRecord

_IS_OWN: Final = Query(
    select(is_written_by(ChatMessage, bindparam("user_id", type_=Integer))).where(
        ChatMessage.id == bindparam("question_id", type_=BigInteger)
    ),
    bool,
)


async def read_dialogue(pool: asyncpg.Pool, run: RunRecord, opening: Sequence[Message]) -> list[Spoken]:
    """Returns the earlier turns and the question of a run, oldest first.

    The question is as it was asked, without the passages that the assistant's template adds to it. A copied question of
    somebody else, which the person has answered again, is somebody else's; what a sub-run was told is its task, and no
    word of a person.

    Args:
        pool: The database.
        run: The run.
        opening: The prompt before its first step, question last.
    """
    earlier = [spoken(each) for each in opening[:-1] if each.role in ("user", "assistant") and each.content.strip()]
    if not run.is_root:
        return [*earlier, Spoken("question", run.input)]
    # A run that answers a question of somebody else is untrusted from its beginning.
    is_own = not run.untrusted or await _IS_OWN.fetch_one(pool, user_id=run.user_id, question_id=run.question_id)
    return [*earlier, Spoken("person" if is_own else "somebody_else", run.input)]
