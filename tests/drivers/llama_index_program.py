"""Asks by LlamaIndex, with a tool of the program, whole and streamed, and prints what it was answered as JSON.

It has an environment of its own (`llama_index.py`). Usage: `llama_index_program.py ADDRESS KEY MODEL QUESTION`.
"""

import json
import sys
from typing import Any

from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai_like import OpenAILike


def ask(model: OpenAILike, question: str, *, stream: bool) -> dict[str, Any]:
    """Returns the arguments of the tool's calls and the answer."""
    given: list[str] = []

    def get_weather(city: str) -> str:
        """Returns the weather of a city."""
        given.append(city)
        return "It is raining."

    tool = FunctionTool.from_defaults(get_weather)
    messages = [ChatMessage(role="user", content=question)]
    if stream:
        *_, asked = model.stream_chat_with_tools([tool], chat_history=messages)
    else:
        asked = model.chat_with_tools([tool], chat_history=messages)
    messages.append(asked.message)
    for call in model.get_tool_calls_from_response(asked):
        result = tool.call(**call.tool_kwargs).content
        messages.append(ChatMessage(role="tool", content=result, additional_kwargs={"tool_call_id": call.tool_id}))
    if stream:
        text = "".join(piece.delta or "" for piece in model.stream_chat(messages))
    else:
        text = model.chat(messages).message.content
    return {"given": given, "text": text}


def main() -> None:
    """Asks in both ways."""
    address, key, name, question = sys.argv[1:]
    model = OpenAILike(
        model=name, api_base=address, api_key=key, is_chat_model=True, is_function_calling_model=True, max_retries=0
    )
    print(json.dumps([ask(model, question, stream=stream) for stream in (False, True)]))  # noqa: T201 - its result


if __name__ == "__main__":
    main()
