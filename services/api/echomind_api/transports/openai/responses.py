"""Responses: questions that are conversations of EchoMind, continued by `previous_response_id`."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from itertools import count
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from echomind_api.conversations.sessions import ChatSessions
from echomind_api.transports.openai.answers import Answer, Item, SearchEnded
from echomind_api.transports.openai.chat import last_of
from echomind_api.transports.openai.chat_request import (
    AskedQuestion,
    Message,
    position_of_question,
    question_at,
    results_after,
    text_of,
)
from echomind_api.transports.openai.errors import OpenAiError, translated
from echomind_api.transports.openai.file_searches import RESULTS, item_begun, searches_of
from echomind_api.transports.openai.models import NamedModel
from echomind_api.transports.openai.previous import PreviousRun, calls_of, find_previous, referred_items
from echomind_api.transports.openai.questions import Questions
from echomind_api.transports.openai.response_body import ResponseBody, arguments_of, text_part
from echomind_api.transports.openai.response_request import ResponseRequest, messages_of, references_of
from echomind_api.transports.openai.stream import OpenAiStream
from echomind_api.transports.openai.vector_stores import VectorStores
from echomind_lib.contract import CallContext
from echomind_lib.conversations.forks import fork_session
from echomind_lib.conversations.questions import FirstQuestion, NextQuestion, Question, Regeneration
from echomind_lib.db.database import Database
from echomind_lib.errors import EchoMindError
from echomind_lib.events.log import EventLog
from echomind_lib.models.public import RunOptions
from echomind_lib.runs.caller import Caller

Json = dict[str, Any]


class _Asked(NamedTuple):
    run_id: UUID
    body: ResponseBody
    items: AsyncGenerator[Item, None]


class Responses:
    """The endpoint `responses`."""

    def __init__(
        self, database: Database, log: EventLog, questions: Questions, stores: VectorStores, sessions: ChatSessions
    ) -> None:
        self._pool, self._log, self._questions, self._stores = database.pool, log, questions, stores
        self._sessions = sessions

    async def respond(
        self, request: ResponseRequest, model: NamedModel, body: bytes, call: CallContext, url: str
    ) -> Json:
        """Returns a response; the parameters are those of `ChatCompletions.complete`.

        Raises:
            OpenAiError: The request cannot be answered, or the run ended without an answer.
            EchoMindError: See `submit`.
        """
        async with self._asked(request, model, body, call, url) as asked:
            answer = await last_of(asked.items)
            searches = await self._searches(request, asked, call)
            return asked.body.ended(answer, searches)

    async def stream(
        self,
        request: ResponseRequest,
        model: NamedModel,
        body: bytes,
        call: CallContext,
        url: str,
        stream: OpenAiStream,
    ) -> None:
        """Sends a response as events, as it is written; see `respond`."""
        async with self._asked(request, model, body, call, url) as asked:
            events = _Events(stream, asked.body)
            try:
                async for item in asked.items:
                    await events.begin()
                    if isinstance(item, str):
                        await events.text(item)
                    elif isinstance(item, SearchEnded):
                        await events.searches(await self._searches(request, asked, call, item.call_id))
                    else:
                        await events.end(item)
            except (OpenAiError, EchoMindError) as error:
                known = error if isinstance(error, OpenAiError) else translated(error)
                if known.status == 429 and not stream.has_begun:
                    raise
                await events.begin()
                await events.fail(known)

    async def _searches(
        self, request: ResponseRequest, asked: _Asked, call: CallContext, call_id: str = ""
    ) -> list[Json]:
        if RESULTS not in (request.include or ()):
            return []
        return await searches_of(self._pool, call.principal, asked.run_id, call_id)

    @asynccontextmanager
    async def _asked(
        self, request: ResponseRequest, model: NamedModel, body: bytes, call: CallContext, url: str
    ) -> AsyncIterator[_Asked]:
        referred = await referred_items(self._pool, call.principal, references_of(request))
        messages = messages_of(request, referred)
        connectors = await self._stores.searched(request.stores, "tools", call)
        request_id = await self._questions.request_id(call, body)
        fork_id: int | None = None
        question: Question
        if request.previous_response_id:
            question, fork_id = await self._continued(request, messages, model, request_id, call)
        else:
            question = _first(request, messages, model, request_id, call)
        caller = msgspec.structs.replace(
            question.caller or Caller(),
            connectors=tuple(connectors),
            has_one_call=request.parallel_tool_calls is False,
            fingerprint=self._questions.fingerprint(call, body),
        )
        question = replace(question, caller=caller)
        try:
            async with self._questions.ask(question, call) as asked:
                stored = asked.submission.question
                response = ResponseBody(request, model.id, stored.run_id, stored.assistant_message_id, url)
                reader = self._questions.reader(asked, question, call)
                async with aclosing(asked.events()) as events, aclosing(reader.read(events)) as items:
                    yield _Asked(stored.run_id, response, items)
        except (OpenAiError, EchoMindError):
            await self._remove_unused(fork_id, call)
            raise
        else:
            await self._remove_unused(fork_id, call)

    async def _remove_unused(self, fork_id: int | None, call: CallContext) -> None:
        """Removes a fork whose question was refused, or was one that had been asked before in another session."""
        if fork_id is not None:
            await self._sessions.purge_unused(fork_id, call)

    async def _continued(
        self,
        request: ResponseRequest,
        messages: list[Message],
        model: NamedModel,
        request_id: str,
        call: CallContext,
    ) -> tuple[Question, int | None]:
        """Returns the question after an earlier response.

        It is asked in the session of that response, or in a fork if the session has continued after it; the fork's ID
        is the second value.
        """
        user_id = call.principal.user_id
        previous = await find_previous(self._pool, call.principal, request.previous_response_id or "")
        position = position_of_question(messages)
        if position is None:
            return await self._with_results(request, messages, previous, request_id, call), None
        content, caller = _merged(messages, position, request, previous)
        session_id, fork_id = previous.session_id, None
        if previous.answer_id != previous.head_message_id or previous.assistant_id != model.assistant_id:
            forked = await fork_session(
                self._log, session_id, previous.answer_id, user_id, assistant_id=model.assistant_id
            )
            session_id = fork_id = forked.session_id
        question = NextQuestion(
            user_id=user_id,
            limits=call.principal.limits,
            api_key_id=call.principal.api_key_id,
            rates=call.principal.rates,
            session_id=session_id,
            content=content,
            request_id=request_id,
            caller=caller,
        )
        return question, fork_id

    async def _with_results(
        self,
        request: ResponseRequest,
        messages: list[Message],
        previous: PreviousRun,
        request_id: str,
        call: CallContext,
    ) -> Question:
        """Returns the question of an earlier response once more, with the results of the calls that it ended with."""
        outputs = [message for message in messages if message.role in ("tool", "assistant")]
        if not outputs:
            raise OpenAiError("There is no message of the role user, which is the question.", param="input")
        called = await calls_of(self._pool, call.principal, previous.id)
        results = results_after([Message(role="user"), *called, *outputs], 0, "input")
        asked = question_at([Message(role="user", content="?")], 0, request.functions, request.tool_choice, "input")
        instructions = [text_of(message, "input") for message in messages if message.role in ("system", "developer")]
        caller = msgspec.structs.replace(
            asked.caller,
            messages=previous.caller.messages or None,
            instructions="\n\n".join(instructions),
            results=(*previous.caller.results, *results),
        )
        return Regeneration(
            user_id=call.principal.user_id,
            limits=call.principal.limits,
            api_key_id=call.principal.api_key_id,
            rates=call.principal.rates,
            message_id=previous.answer_id,
            request_id=request_id,
            caller=caller,
        )


def _first(
    request: ResponseRequest, messages: list[Message], model: NamedModel, request_id: str, call: CallContext
) -> FirstQuestion:
    position = position_of_question(messages)
    if position is None:
        raise OpenAiError("There is no message of the role user, which is the question.", param="input")
    content, caller = question_at(messages, position, request.functions, request.tool_choice, "input")
    is_unlisted = request.store is False
    return FirstQuestion(
        user_id=call.principal.user_id,
        limits=call.principal.limits,
        api_key_id=call.principal.api_key_id,
        rates=call.principal.rates,
        content=content,
        assistant_id=model.assistant_id,
        request_id=request_id,
        options=RunOptions(ask_clarifications=False) if is_unlisted else RunOptions(),
        caller=caller,
        is_unlisted=is_unlisted,
    )


def _merged(messages: list[Message], position: int, request: ResponseRequest, previous: PreviousRun) -> AskedQuestion:
    """Returns a question after an earlier response; all messages of the user are the question."""
    asked = question_at(messages, position, request.functions, request.tool_choice, "input")
    texts = [text_of(message, "input") for message in messages if message.role == "user"]
    return AskedQuestion("\n\n".join(texts), msgspec.structs.replace(asked.caller, messages=previous.history))


class _Events:
    """The events of one response, in their order."""

    def __init__(self, stream: OpenAiStream, body: ResponseBody) -> None:
        self._stream, self._body = stream, body
        self._numbers = count()
        self._output = 0
        self._has_begun = False
        self._message: int | None = None
        self._searches: list[Json] = []

    async def begin(self) -> None:
        """Sends the first events, unless they were sent."""
        if self._has_begun:
            return
        self._has_begun = True
        for name in ("created", "in_progress"):
            await self._send(name, {"response": self._body.begun()})

    async def text(self, piece: str) -> None:
        if self._message is None:
            self._message = self._next()
            item = self._body.message_item("in_progress", [])
            await self._send("output_item.added", {"output_index": self._message, "item": item})
            await self._send("content_part.added", self._part() | {"part": text_part("")})
        await self._send("output_text.delta", self._part() | {"delta": piece, "logprobs": []})

    async def searches(self, items: Sequence[Json]) -> None:
        """Sends the items of searches that have ended."""
        for item in items:
            self._searches.append(item)
            position = {"output_index": self._next()}
            await self._send("output_item.added", position | {"item": item_begun(item["id"])})
            for state in ("in_progress", "searching", "completed"):
                await self._send(f"file_search_call.{state}", position | {"item_id": item["id"]})
            await self._send("output_item.done", position | {"item": item})

    async def end(self, answer: Answer) -> None:
        if sources := self._body.sources(answer):
            await self.text(sources)
        if self._message is not None or not answer.calls:
            await self._end_text(answer)
        for handed in answer.calls:
            await self._call(self._body.call(handed, is_begun=True), self._body.call(handed), arguments_of(handed))
        response = self._body.ended(answer, self._searches, self._message)
        await self._send("incomplete" if answer.is_cut_off else "completed", {"response": response})

    async def fail(self, error: OpenAiError) -> None:
        await self._send("failed", {"response": self._body.failed(error)})

    async def _end_text(self, answer: Answer) -> None:
        if self._message is None:
            await self.text("")
        position = self._part()
        text, annotations = self._body.text(answer), self._body.annotations(answer)
        for number, annotation in enumerate(annotations):
            added = {"annotation_index": number, "annotation": annotation}
            await self._send("output_text.annotation.added", position | added)
        await self._send("output_text.done", position | {"text": text, "logprobs": []})
        await self._send("content_part.done", position | {"part": text_part(text, annotations)})
        await self._send("output_item.done", {"output_index": self._message, "item": self._body.message(answer)})

    async def _call(self, begun: Json, done: Json, arguments: str) -> None:
        position = {"output_index": self._next()}
        await self._send("output_item.added", position | {"item": begun})
        item = position | {"item_id": done["id"]}
        await self._send("function_call_arguments.delta", item | {"delta": arguments})
        await self._send("function_call_arguments.done", item | {"arguments": arguments, "name": done["name"]})
        await self._send("output_item.done", position | {"item": done})

    def _part(self) -> Json:
        return {"item_id": self._body.message_id, "output_index": self._message, "content_index": 0}

    def _next(self) -> int:
        self._output += 1
        return self._output - 1

    async def _send(self, name: str, fields: Json) -> None:
        kind = f"response.{name}"
        await self._stream.event(kind, {"type": kind, "sequence_number": next(self._numbers)} | fields)
