"""Responses and their items as OpenAI's clients read them."""

import time
from collections.abc import Sequence
from typing import Any, Self
from uuid import UUID

from pydantic_core import to_json

from echomind_api.transports.openai.answers import Answer, HandedCall
from echomind_api.transports.openai.citations import file_citations, sources_text, url_citations
from echomind_api.transports.openai.errors import OpenAiError
from echomind_api.transports.openai.listings import STORE
from echomind_api.transports.openai.previous import MESSAGE, RESPONSE, PreviousRun, call_item_id
from echomind_api.transports.openai.response_request import ResponseRequest, ResponseTool

Json = dict[str, Any]


class ResponseBody:
    """The body of one response, as far as it is known."""

    def __init__(self, request: ResponseRequest, model: str, run_id: UUID, message_id: int, url: str) -> None:
        self._run_id, self._url = run_id, url
        self.message_id = f"{MESSAGE}{message_id}"
        self._head: Json = {
            "id": f"{RESPONSE}{run_id.hex}",
            "object": "response",
            "created_at": int(time.time()),
            "model": model,
            "instructions": request.instructions,
            "metadata": {},
            "parallel_tool_calls": request.parallel_tool_calls is not False,
            "previous_response_id": request.previous_response_id,
            "store": request.store is not False,
            "temperature": None,
            "text": {"format": {"type": "text"}},
            "tool_choice": request.tool_choice or "auto",
            "tools": [_tool(tool) for tool in request.tools or ()],
            "top_p": None,
            "truncation": "auto",
        }

    @classmethod
    def stored(cls, model: str, run: PreviousRun, url: str) -> Self:
        """Returns the body of a stored response."""
        tools = [
            ResponseTool(
                type="function",
                name=tool.name,
                description=tool.description,
                parameters=tool.parameters,
                strict=tool.strict,
            )
            for tool in run.caller.tools
        ]
        if run.caller.connectors:
            ids = [f"{STORE}{each}" for each in run.caller.connectors]
            tools.append(ResponseTool(type="file_search", vector_store_ids=ids))
        request = ResponseRequest(
            model=model,
            input="",
            instructions=run.caller.instructions or None,
            tools=tools,
            parallel_tool_calls=not run.caller.has_one_call,
        )
        body = cls(request, model, run.id, run.answer_id, url)
        body._head["created_at"] = int(run.asked_at.timestamp())
        return body

    def begun(self) -> Json:
        """Returns the response without output."""
        return self._with("in_progress", [])

    def failed(self, error: OpenAiError) -> Json:
        """Returns the response that ended in an error."""
        return self._with("failed", []) | {"error": {"code": error.code, "message": error.message}}

    def cancelled(self) -> Json:
        """Returns the response whose run was cancelled."""
        return self._with("cancelled", [])

    def ended(self, answer: Answer, searches: Sequence[Json] = (), position: int | None = None) -> Json:
        """Returns the complete response; incomplete if the model was cut off.

        Args:
            answer: The answer.
            searches: The items of its searches.
            position: How many of them stand before the text; None for all.
        """
        output = list(searches)
        if answer.text or not answer.calls:
            output.insert(len(output) if position is None else position, self.message(answer))
        output += [self.call(handed) for handed in answer.calls]
        body = self._with("incomplete" if answer.is_cut_off else "completed", output)
        if answer.is_cut_off:
            body["incomplete_details"] = {"reason": "max_output_tokens"}
        else:
            body["completed_at"] = int(time.time())
        return body | {"usage": _usage(answer)}

    def message(self, answer: Answer) -> Json:
        """Returns the item of the text."""
        return self.message_item("completed", [text_part(self.text(answer), self.annotations(answer))])

    def message_item(self, status: str, content: Sequence[Json]) -> Json:
        """Returns the item of the text in a state."""
        head = {"id": self.message_id, "type": "message", "role": "assistant"}
        return head | {"status": status, "content": list(content)}

    def text(self, answer: Answer) -> str:
        """Returns the text with its numbered sources."""
        return answer.text + self.sources(answer)

    def sources(self, answer: Answer) -> str:
        """Returns the numbered sources."""
        return sources_text(answer.message.citations, self._url)

    def annotations(self, answer: Answer) -> list[Json]:
        """Returns the citations in both forms."""
        citations = answer.message.citations
        return [*url_citations(citations, self._url), *file_citations(citations)]

    def call(self, handed: HandedCall, *, is_begun: bool = False) -> Json:
        """Returns the item of a call; without its arguments where it has only begun."""
        return {
            "id": call_item_id(self._run_id, handed.id),
            "type": "function_call",
            "call_id": handed.id,
            "name": handed.name,
            "arguments": "" if is_begun else arguments_of(handed),
            "status": "in_progress" if is_begun else "completed",
        }

    def _with(self, status: str, output: Sequence[Json]) -> Json:
        return self._head | {
            "status": status,
            "output": list(output),
            "error": None,
            "incomplete_details": None,
            "usage": None,
        }


def _tool(tool: ResponseTool) -> Json:
    body = tool.model_dump(exclude_none=True)
    omitted: Json = {"strict": False} if tool.type == "function" else {"vector_store_ids": []}
    return omitted | body


def arguments_of(handed: HandedCall) -> str:
    """Returns the arguments of a call as JSON."""
    return to_json(handed.parameters).decode()


def text_part(text: str, annotations: Sequence[Json] = ()) -> Json:
    """Returns the part of a message that is its text."""
    return {"type": "output_text", "text": text, "annotations": list(annotations), "logprobs": []}


def _usage(answer: Answer) -> Json:
    prompt, completion = answer.prompt_tokens, answer.completion_tokens
    return {
        "input_tokens": prompt,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": completion,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": prompt + completion,
    }
