"""Questions of programs: which session they belong to, and which of their requests is a repetition."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Final

from sqlalchemy import Integer, Text, bindparam, func, literal, select

from echomind_api.conversations.messages import AskedQuestion, ChatMessages
from echomind_api.conversations.runs import Runs
from echomind_api.conversations.unread_runs import UnreadRuns
from echomind_api.transports.openai.answers import AnswerReader
from echomind_lib.contract import CallContext
from echomind_lib.conversations.questions import FirstQuestion, Question
from echomind_lib.db.database import Database
from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Query
from echomind_lib.errors import EchoMindError
from echomind_lib.models.public import CancelRunRequest
from echomind_lib.runs.caller import Caller

CHAT_HEADERS: Final = ("x-echomind-chat-id", "x-openwebui-chat-id")
"""Headers that name a conversation of the program, the first that is sent counts."""
_RETRY_COUNT: Final = "x-stainless-retry-count"
_REPETITION: Final = timedelta(minutes=1)
"""OpenAI's clients retry within a minute."""
_ID_CHARACTERS: Final = 200
_user_id = bindparam("user_id", type_=Integer)
_prefix = bindparam("prefix", type_=Text)

_SAME_REQUEST: Final = Query(
    select(Run.request_id)
    .where(
        Run.user_id == _user_id,
        func.starts_with(Run.request_id, _prefix),
        Run.creation_date > func.now() - literal(_REPETITION),
        Run.status != "cancelled",
    )
    .order_by(Run.id.desc())
    .limit(1),
    str,
)


class Questions:
    """Asks the questions of programs."""

    def __init__(self, database: Database, messages: ChatMessages, runs: Runs, unread_runs: UnreadRuns) -> None:
        self._database, self._messages, self._runs, self._unread_runs = database, messages, runs, unread_runs

    @asynccontextmanager
    async def ask(self, question: Question, call: CallContext) -> AsyncIterator[AskedQuestion]:
        """Asks a question; if the program leaves, the run is cancelled, unless its session is listed."""
        async with self._messages.ask(question, call) as asked:
            if not _is_unlisted(question):
                yield asked
                return
            submission = asked.submission
            async with self._unread_runs.reading(submission.run_id, is_first=submission.is_new):
                yield asked

    async def request_id(self, call: CallContext, body: bytes) -> str:
        """Returns the idempotency key of a request: by its header, or that of the request that it repeats.

        OpenAI's clients send no key but count their retries; a retry joins the run of the same request.
        """
        key = call.principal.api_key_id or 0
        if given := call.metadata.get("idempotency-key", ""):
            return f"openai-{key}-{sha256(given.encode()).hexdigest()[:40]}"
        prefix = f"openai-{key}-{sha256(call.method.encode() + body).hexdigest()[:40]}-"
        if call.metadata.get(_RETRY_COUNT, "0") not in ("", "0"):
            pool = self._database.pool
            if same := await _SAME_REQUEST.fetch_one(pool, user_id=call.principal.user_id, prefix=prefix):
                return same
        return prefix + secrets.token_hex(6)

    def fingerprint(self, call: CallContext, body: bytes) -> str:
        """Returns the hash of a request with an idempotency key; empty for one whose ID is made of its body."""
        if not call.metadata.get("idempotency-key", ""):
            return ""
        return sha256(b"\0".join((call.method.encode(), chat_id_of(call).encode(), body))).hexdigest()[:40]

    def in_conversation(self, question: FirstQuestion, chat_id: str, call: CallContext) -> FirstQuestion:
        """Returns a question as one of the program's conversation, or of a new session.

        Args:
            question: The question.
            chat_id: The conversation's ID at the program; empty for none. It means nothing for other people, and for
                other keys of the same person.
            call: The call.
        """
        if chat_id:
            identity = f"{call.principal.api_key_id or 0}:{question.assistant_id}:{chat_id}"
            if len(identity) > _ID_CHARACTERS:
                identity = sha256(identity.encode()).hexdigest()
            question = replace(question, external_id=f"openai:{identity}")
        return question

    def reader(self, asked: AskedQuestion, question: Question, call: CallContext) -> AnswerReader:
        """Returns the reader of a question's answer.

        In a session that nobody finds, a run that waits for a person is cancelled.
        """

        async def cancel() -> None:
            with suppress(EchoMindError):  # it may have ended meanwhile
                await self._runs.cancel_run(CancelRunRequest(id=str(asked.submission.run_id)), call)

        return AnswerReader(asked.submission, question.caller or Caller(), cancel if _is_unlisted(question) else None)


def _is_unlisted(question: Question) -> bool:
    return isinstance(question, FirstQuestion) and question.is_unlisted


def chat_id_of(call: CallContext) -> str:
    """Returns the ID of the program's conversation; empty if it names none."""
    return next((value for name in CHAT_HEADERS if (value := call.metadata.get(name, "").strip())), "")
