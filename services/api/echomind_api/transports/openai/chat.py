"""Chat completions: stateless questions, whose context is what the caller sends."""

import time
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

from pydantic_core import to_json

from echomind_api.transports.openai.answers import Answer, HandedCall, Item, SearchEnded
from echomind_api.transports.openai.chat_request import ChatRequest, read_question
from echomind_api.transports.openai.citations import nested, sources_text, url_citations
from echomind_api.transports.openai.errors import RunEndedError
from echomind_api.transports.openai.models import NamedModel
from echomind_api.transports.openai.questions import Questions, chat_id_of
from echomind_api.transports.openai.stream import OpenAiStream
from echomind_lib.contract import CallContext
from echomind_lib.conversations.questions import FirstQuestion
from echomind_lib.models.public import RunOptions

Json = dict[str, Any]


class ChatCompletions:
    """The endpoint `chat/completions` for assistants."""

    def __init__(self, questions: Questions) -> None:
        self._questions = questions

    async def respond(self, request: ChatRequest, model: NamedModel, body: bytes, call: CallContext, url: str) -> Json:
        """Returns a completion.

        Args:
            request: The request.
            model: The assistant.
            body: The request as it was sent, by which a retry is recognized.
            call: The call.
            url: EchoMind's address, for links to documents.

        Raises:
            OpenAiError: The request cannot be answered, or the run ended without an answer.
            EchoMindError: See `submit`.
        """
        async with self._asked(request, model, body, call) as (completion_id, items):
            answer = await last_of(items)
        text = answer.text + sources_text(answer.message.citations, url)
        message: Json = {"role": "assistant", "content": text or None, "refusal": None}
        if annotations := nested(url_citations(answer.message.citations, url)):
            message["annotations"] = annotations
        if answer.calls:
            message["tool_calls"] = [_call(handed) for handed in answer.calls]
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": answer.finish_reason}
        head = _head("chat.completion", completion_id, model)
        return head | {"choices": [choice], "usage": _usage(answer)}

    async def stream(
        self, request: ChatRequest, model: NamedModel, body: bytes, call: CallContext, url: str, stream: OpenAiStream
    ) -> None:
        """Sends a completion as chunks, as they are written; see `respond`."""
        with_usage = bool(request.stream_options and request.stream_options.include_usage)
        async with self._asked(request, model, body, call) as (completion_id, items):
            head = _head("chat.completion.chunk", completion_id, model)
            if with_usage:
                head["usage"] = None

            async def send(delta: Json, finish_reason: str | None = None) -> None:
                choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
                await stream.data(head | {"choices": [choice]})

            begun = False
            async for item in items:
                if isinstance(item, SearchEnded):
                    continue
                if not begun:  # not earlier: a run that is refused ends as an HTTP status
                    begun = True
                    await send({"role": "assistant", "content": ""})
                if isinstance(item, str):
                    await send({"content": item})
                    continue
                for number, handed in enumerate(item.calls):
                    await send({"tool_calls": [{"index": number} | _call(handed)]})
                if sources := sources_text(item.message.citations, url):
                    await send({"content": sources})
                if annotations := nested(url_citations(item.message.citations, url)):
                    await send({"annotations": annotations})
                await send({}, item.finish_reason)
                if with_usage:
                    await stream.data(head | {"choices": [], "usage": _usage(item)})
        await stream.done()

    @asynccontextmanager
    async def _asked(
        self, request: ChatRequest, model: NamedModel, body: bytes, call: CallContext
    ) -> AsyncIterator[tuple[str, AsyncIterator[Item]]]:
        """Asks the question of a request; yields the completion's id and what `AnswerReader` reads."""
        content, caller = read_question(request)
        chat_id = chat_id_of(call)
        is_unlisted = not (request.store or chat_id)
        question = FirstQuestion(
            user_id=call.principal.user_id,
            limits=call.principal.limits,
            api_key_id=call.principal.api_key_id,
            rates=call.principal.rates,
            content=content,
            assistant_id=model.assistant_id,
            request_id=await self._questions.request_id(call, body),
            # Nobody could answer a question of the assistant in a session that is not continued.
            options=RunOptions(ask_clarifications=False) if is_unlisted else RunOptions(),
            caller=caller,
            is_unlisted=is_unlisted,
        )
        async with self._questions.ask(question, chat_id, call) as asked:
            reader = self._questions.reader(asked, question, call)
            async with aclosing(asked.events()) as events, aclosing(reader.read(events)) as items:
                yield f"chatcmpl-{asked.submission.run_id.hex}", items


async def last_of(items: AsyncIterator[Item]) -> Answer:
    """Returns the answer at the end of what `AnswerReader` reads."""
    async for item in items:
        if isinstance(item, Answer):
            return item
    raise RunEndedError("The run ended without an answer.", "stream_ended")


def _head(kind: str, completion_id: str, model: NamedModel) -> Json:
    return {"id": completion_id, "object": kind, "created": int(time.time()), "model": model.id}


def _call(handed: HandedCall) -> Json:
    function = {"name": handed.name, "arguments": to_json(handed.parameters).decode()}
    return {"id": handed.id, "type": "function", "function": function}


def _usage(answer: Answer) -> Json:
    prompt, completion = answer.prompt_tokens, answer.completion_tokens
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
