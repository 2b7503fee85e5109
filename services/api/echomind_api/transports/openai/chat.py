"""Chat completions: stateless questions, whose context is what the caller sends."""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

import msgspec
from pydantic_core import to_json

from echomind_api.transports.openai.answers import Answer, Item, SearchEnded
from echomind_api.transports.openai.chat_request import ChatRequest, read_question
from echomind_api.transports.openai.citations import nested, sources_text, url_citations
from echomind_api.transports.openai.completions import ChunkWriter, Json, completion, function_call, usage_of
from echomind_api.transports.openai.errors import RunEndedError
from echomind_api.transports.openai.models import NamedModel
from echomind_api.transports.openai.questions import Questions, chat_id_of
from echomind_api.transports.openai.stream import OpenAiStream
from echomind_lib.contract import CallContext
from echomind_lib.conversations.questions import FirstQuestion
from echomind_lib.models.public import RunOptions


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
        return completion(
            completion_id,
            model,
            answer.text + sources_text(answer.message.citations, url),
            _calls(answer),
            answer.finish_reason,
            usage_of(answer.prompt_tokens, answer.completion_tokens),
            nested(url_citations(answer.message.citations, url)),
        )

    async def stream(
        self, request: ChatRequest, model: NamedModel, body: bytes, call: CallContext, url: str, stream: OpenAiStream
    ) -> None:
        """Sends a completion as chunks, as they are written; see `respond`."""
        with_usage = bool(request.stream_options and request.stream_options.include_usage)
        async with self._asked(request, model, body, call) as (completion_id, items):
            chunks = ChunkWriter(stream, completion_id, model, with_usage=with_usage)
            async for item in items:
                if isinstance(item, SearchEnded):
                    continue
                if not chunks.has_begun:
                    await chunks.begin()
                if isinstance(item, str):
                    await chunks.delta(content=item)
                    continue
                if sources := sources_text(item.message.citations, url):
                    await chunks.delta(content=sources)
                if annotations := nested(url_citations(item.message.citations, url)):
                    await chunks.delta(annotations=annotations)
                usage = usage_of(item.prompt_tokens, item.completion_tokens)
                await chunks.end(_calls(item), item.finish_reason, usage)
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
            caller=msgspec.structs.replace(
                caller,
                has_one_call=request.parallel_tool_calls is False,
                fingerprint=self._questions.fingerprint(call, body),
            ),
            is_unlisted=is_unlisted,
        )
        question = self._questions.in_conversation(question, chat_id, call)
        async with self._questions.ask(question, call) as asked:
            reader = self._questions.reader(asked, question, call)
            async with aclosing(asked.events()) as events, aclosing(reader.read(events)) as items:
                yield f"chatcmpl-{asked.submission.run_id.hex}", items


async def last_of(items: AsyncIterator[Item]) -> Answer:
    """Returns the answer at the end of what `AnswerReader` reads."""
    async for item in items:
        if isinstance(item, Answer):
            return item
    raise RunEndedError("The run ended without an answer.", "stream_ended")


def _calls(answer: Answer) -> list[Json]:
    return [function_call(call.id, call.name, to_json(call.parameters).decode()) for call in answer.calls]
