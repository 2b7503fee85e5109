"""Stored responses: read, and deleted with their conversation."""

from collections.abc import Sequence
from typing import Any

from echomind_api.conversations.sessions import ChatSessions
from echomind_api.transports.openai.answers import Answer, HandedCall
from echomind_api.transports.openai.errors import OpenAiError
from echomind_api.transports.openai.file_searches import RESULTS, searches_of
from echomind_api.transports.openai.models import BY_ID, list_models
from echomind_api.transports.openai.previous import PreviousRun, find_response, has_other_responses, last_calls_of
from echomind_api.transports.openai.response_body import ResponseBody
from echomind_lib.contract import CallContext
from echomind_lib.conversations.messages import read_message
from echomind_lib.db.database import Database
from echomind_lib.models.public import ChatMessage, DeleteChatSessionRequest

Json = dict[str, Any]


class StoredResponses:
    """The endpoint `responses/{id}`."""

    def __init__(self, database: Database, sessions: ChatSessions) -> None:
        self._pool, self._sessions = database.pool, sessions

    async def read(self, response_id: str, call: CallContext, url: str, include: Sequence[str] = ()) -> Json:
        """Returns a response of the caller.

        Args:
            response_id: Its id.
            call: The call.
            url: EchoMind's address, for links to documents.
            include: What to return besides, such as `file_search_call.results`.

        Raises:
            OpenAiError: There is none, or it was not stored.
        """
        run = await find_response(self._pool, call.principal, response_id)
        models = await list_models(self._pool, call.principal)
        known = (model.id for model in models if model.assistant_id == run.assistant_id)
        body = ResponseBody.stored(next(known, f"{BY_ID}{run.assistant_id}"), run, url)
        if run.status == "completed":
            completed = {"completed_at": int(run.completed_at.timestamp())} if run.completed_at else {}
            has_searches = RESULTS in include
            searches = await searches_of(self._pool, call.principal, run.id) if has_searches else []
            return body.ended(await self._answer(run, call), searches) | completed
        if run.status == "cancelled":
            return body.cancelled()
        if run.status in ("failed", "timeout"):
            error = run.error or {}
            return body.failed(OpenAiError(error.get("message", ""), code=error.get("reason", run.status).lower()))
        return body.begun()

    async def delete(self, response_id: str, call: CallContext) -> Json:
        """Removes a response with its conversation.

        Raises:
            OpenAiError: There is none, or its conversation has other answers.
        """
        run = await find_response(self._pool, call.principal, response_id)
        if await has_other_responses(self._pool, run.session_id, run.id):
            raise OpenAiError(
                "The response is part of a conversation with other answers: remove that conversation in EchoMind.",
                status=409,
                code="conversation_has_other_responses",
            )
        await self._sessions.delete_chat_session(DeleteChatSessionRequest(id=run.session_id), call)
        return {"id": response_id, "object": "response", "deleted": True}

    async def _answer(self, run: PreviousRun, call: CallContext) -> Answer:
        message = await read_message(self._pool, call.principal, run.answer_id) or ChatMessage(id=run.answer_id)
        names = {tool.name for tool in run.caller.tools}
        called = (await last_calls_of(self._pool, call.principal, run))[: run.caller.max_calls]
        is_handed = all(each.name in names for each in called)
        return Answer(
            text=message.content,
            message=message,
            calls=[HandedCall(each.call_id, each.name, each.parameters) for each in called if is_handed],
            prompt_tokens=run.prompt_tokens,
            completion_tokens=run.completion_tokens,
        )
