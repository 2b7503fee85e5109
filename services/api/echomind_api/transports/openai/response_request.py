"""The request of a response: its items as messages of a conversation."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field
from pydantic_core import to_json

from echomind_api.transports.openai.chat_request import (
    ONLY_TEXT,
    TOOLS,
    Body,
    Function,
    FunctionCall,
    Message,
    Part,
    ToolCall,
    read_field,
)
from echomind_api.transports.openai.errors import OpenAiError
from echomind_api.transports.openai.file_searches import SEARCH

Json = dict[str, Any]
_STORES = 100
"""Maximum number of vector stores that a request searches."""


class Item(Body):
    """An item of the input: a message, a call, the result of a call, or a reference to an item of an earlier answer."""

    type: str = "message"
    id: str | None = None
    role: Literal["system", "developer", "user", "assistant"] | None = None
    content: str | list[Part] | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: str = "{}"
    output: str | list[Part] | None = None


class ResponseTool(Body):
    """A tool: a function of the caller, or the search in files, which EchoMind does by itself."""

    type: Literal["function", "file_search"]
    name: str | None = None
    description: str | None = None
    parameters: Json | None = None
    strict: bool | None = None
    vector_store_ids: list[str] | None = Field(default=None, max_length=_STORES)
    filters: Json | None = None


class ResponseRequest(Body):
    """The request of a response. Settings of the model are ignored: those of the assistant hold."""

    model: str = Field(min_length=1, max_length=300)
    input: str | list[Item]
    instructions: str | None = None
    previous_response_id: str | None = None
    stream: bool | None = None
    store: bool | None = None
    tools: list[ResponseTool] | None = Field(default=None, max_length=TOOLS)
    tool_choice: Literal["auto", "none", "required"] | Json | None = None
    parallel_tool_calls: bool | None = None
    background: Literal[False] | None = None
    conversation: None = None
    text: Json | None = None
    include: list[str] | None = None

    @property
    def stores(self) -> list[str]:
        """Returns the ids of the only vector stores to search; empty for all that the caller may read.

        Raises:
            OpenAiError: A search has filters.
        """
        if any(tool.filters for tool in self.tools or ()):
            raise OpenAiError("tools.filters: files have no attributes here to filter by.", param="tools.filters")
        found = [tool.vector_store_ids or [] for tool in self.tools or () if tool.type == "file_search"]
        # One tool without stores searches everything.
        return [each for ids in found for each in ids] if all(found) else []

    @property
    def functions(self) -> list[Function]:
        """Returns the functions of the caller.

        Raises:
            OpenAiError: One has no name, or an invalid one.
        """
        found = []
        for number, tool in enumerate(self.tools or ()):
            if tool.type != "function":
                continue
            if not tool.name:
                raise OpenAiError("A function needs a name.", param=f"tools.{number}.name")
            given = {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
                "strict": tool.strict,
            }
            found.append(read_field(Function, given, f"tools.{number}"))
        return found


def references_of(request: ResponseRequest) -> Sequence[str]:
    """Returns the IDs of the items of earlier answers that a request refers to."""
    if isinstance(request.input, str):
        return []
    return [item.id or "" for item in request.input if item.type == "item_reference"]


def messages_of(request: ResponseRequest, referred: Mapping[str, Message]) -> list[Message]:
    """Returns the input as messages.

    Args:
        request: The request.
        referred: The items that it refers to, by id.

    Raises:
        OpenAiError: An item cannot be read.
    """
    form = (request.text or {}).get("format") or {}
    if not isinstance(form, dict) or form.get("type", "text") != "text":
        raise OpenAiError(f"Leave text.format out: {ONLY_TEXT}", param="text.format")
    messages = [Message(role="system", content=request.instructions)] if request.instructions else []
    if isinstance(request.input, str):
        return [*messages, Message(role="user", content=request.input)]
    for number, item in enumerate(request.input):
        if (message := _message(item, f"input.{number}", referred)) is not None:
            messages.append(message)
    return messages


def _message(item: Item, param: str, referred: Mapping[str, Message]) -> Message | None:
    match item.type:
        case "message" if item.role:
            return Message(role=item.role, content=item.content)
        case "function_call" if item.call_id and item.name:
            return called(item.call_id, item.name, item.arguments)
        case "function_call_output" if item.call_id:
            return Message(role="tool", tool_call_id=item.call_id, content=item.output)
        case "item_reference" if (item.id or "").startswith(SEARCH):
            return None  # the answer after it is in the conversation
        case "item_reference":
            if (found := referred.get(item.id or "")) is None:
                raise OpenAiError(f"There is no item {item.id!r}.", param=f"{param}.id", code="item_not_found")
            return found
        case "reasoning" | "file_search_call":
            return None  # of another model, or of an answer that EchoMind gave before
    raise OpenAiError(f"Items of the type {item.type} cannot be read as they are.", param=param)


def called(call_id: str, name: str, arguments: Any) -> Message:
    """Returns a call as a message of the assistant; arguments that are no text become JSON."""
    text = arguments if isinstance(arguments, str) else to_json(arguments).decode()
    return Message(
        role="assistant", tool_calls=[ToolCall(id=call_id, function=FunctionCall(name=name, arguments=text))]
    )
