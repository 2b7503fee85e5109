"""The request of a chat completion, and the question in it."""

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple, TypeVar

from prometheus_client import Counter
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from echomind_api.transports.openai.errors import OpenAiError
from echomind_lib.errors import broken_rule
from echomind_lib.runs.caller import Caller, CallerMessage, CallerResult, CallerTool
from echomind_lib.text import storable

QUESTION_CHARACTERS: Final = 100_000
"""Maximum length of a question, as in `SendMessageRequest`."""
TOOLS: Final = 128
"""Maximum number of tools of a request."""
T = TypeVar("T", bound=BaseModel)
_ignored = Counter("echomind_openai_ignored_fields_total", "Fields of requests in OpenAI's form that have no effect.")


class _Body(BaseModel):
    model_config = ConfigDict(extra="allow")


class Part(_Body):
    """A part of a message."""

    type: str
    text: str = ""


class FunctionCall(_Body):
    """The function of a call."""

    name: str
    arguments: str = "{}"


class ToolCall(_Body):
    """A call that the assistant requested."""

    id: str
    function: FunctionCall


class Message(_Body):
    """A message of a conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[Part] | None = None
    name: str | None = None
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = None


class Function(_Body):
    """A function that the caller runs."""

    name: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    description: str | None = None
    parameters: dict[str, Any] | None = None


class Tool(_Body):
    """A tool of the caller."""

    type: Literal["function"]
    function: Function


class StreamOptions(_Body):
    """Options of a stream."""

    include_usage: bool | None = None


class ChatRequest(_Body):
    """The request of a chat completion. Settings of the model are ignored: those of the assistant hold."""

    model: str = Field(min_length=1, max_length=300)
    messages: list[Message] = Field(min_length=1, max_length=10_000)
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: Literal[1] | None = None
    logprobs: Literal[False] | None = None
    tools: list[Tool] | None = Field(default=None, max_length=TOOLS)
    tool_choice: Literal["auto", "none", "required"] | dict[str, Any] | None = None
    store: bool | None = None
    response_format: dict[str, Any] | None = None


def read_request(model: type[T], body: bytes) -> T:
    """Parses a request; fields that it does not have are ignored and counted.

    Raises:
        OpenAiError: It breaks a rule; `param` names the field.
    """
    try:
        request = model.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        param = ".".join(map(str, first["loc"])) or None
        raise OpenAiError(f"{param or 'The body'}: {broken_rule(first)}", param=param) from error
    if request.model_extra:
        _ignored.inc(len(request.model_extra))
    return request


class AskedQuestion(NamedTuple):
    """A question with what the caller gives besides."""

    content: str
    caller: Caller


def read_question(request: ChatRequest) -> AskedQuestion:
    """Returns the question: the last message of the user, with everything else as material.

    Raises:
        OpenAiError: There is no question, or a part that cannot be read.
    """
    if (request.response_format or {}).get("type", "text") != "text":
        raise OpenAiError("Assistants answer in text: leave response_format out.", param="response_format")
    position = next((i for i in range(len(request.messages) - 1, -1, -1) if request.messages[i].role == "user"), None)
    if position is None:
        raise OpenAiError("There is no message of the role user, which is the question.", param="messages")
    content = text_of(request.messages[position], position)
    check_question(content, f"messages.{position}.content")
    instructions, earlier = [], []
    for number, message in enumerate(request.messages):
        text = text_of(message, number)
        if message.role in ("system", "developer"):
            instructions.append(text)
        elif number < position and text:
            role = "tool" if message.role == "function" else message.role
            earlier.append(CallerMessage(role=role, content=text))  # type: ignore[arg-type]
    names = tuple(tool.function.name for tool in request.tools or ())
    tools, must_call = chosen_tools(
        [caller_tool(tool.function) for tool in request.tools or ()], _choice(request.tool_choice, names)
    )
    return AskedQuestion(
        storable(content),
        Caller(
            instructions=storable("\n\n".join(filter(None, instructions))),
            messages=tuple(earlier),
            results=tuple(_results(request.messages[position + 1 :], position + 1)),
            tools=tools,
            must_call=must_call,
        ),
    )


def check_question(content: str, param: str) -> None:
    """Raises `OpenAiError` for a question that is empty or too long."""
    if not content.strip():
        raise OpenAiError("The question is empty.", param=param)
    if len(content) > QUESTION_CHARACTERS:
        raise OpenAiError(f"The question has more than {QUESTION_CHARACTERS} characters.", param=param)


def text_of(message: Message, number: int) -> str:
    """Returns the text of a message.

    Raises:
        OpenAiError: It has a part that is no text.
    """
    if not isinstance(message.content, list):
        return storable(message.content or "")
    for position, part in enumerate(message.content):
        if part.type not in ("text", "refusal", "input_text", "output_text"):
            raise OpenAiError(
                f"Parts of the type {part.type} cannot be read: assistants read text. Upload files as documents.",
                param=f"messages.{number}.content.{position}.type",
            )
    return storable("\n".join(part.text for part in message.content if part.text))


def caller_tool(function: Function) -> CallerTool:
    """Returns a function as a tool of the run.

    Raises:
        OpenAiError: Its parameters are not those of a function.
    """
    parameters = function.parameters or {"type": "object", "properties": {}}
    if parameters.get("type", "object") != "object":
        raise OpenAiError(f"The parameters of {function.name} must be an object schema.", param="tools")
    return CallerTool(function.name, storable(function.description or function.name), {"type": "object"} | parameters)


def chosen_tools(tools: Sequence[CallerTool], choice: str) -> tuple[tuple[CallerTool, ...], bool]:
    """Returns the offered tools, and whether one of them has to be called.

    Args:
        tools: All tools.
        choice: `auto`, `none`, `required`, or the name of the only one.
    """
    if choice == "none":
        return (), False
    if choice in ("auto", "required"):
        return tuple(tools), choice == "required" and bool(tools)
    return tuple(tool for tool in tools if tool.name == choice), True


def _choice(choice: str | dict[str, Any] | None, names: Sequence[str]) -> str:
    if not isinstance(choice, dict):
        return choice or "auto"
    name = (choice.get("function") or {}).get("name") or choice.get("name")
    if name not in names:
        raise OpenAiError(f"tool_choice names {name!r}, which is no tool of the request.", param="tool_choice")
    return str(name)


def _results(messages: Sequence[Message], first: int) -> Sequence[CallerResult]:
    """Returns the calls after the question with their results."""
    calls: dict[str, FunctionCall] = {}
    results = []
    for number, message in enumerate(messages, first):
        for call in message.tool_calls or ():
            calls[call.id] = call.function
        if message.role != "tool":
            continue
        called = calls.get(message.tool_call_id or "")
        if called is None:
            raise OpenAiError(
                "The result has no call: tool_call_id must be that of a call of an earlier message.",
                param=f"messages.{number}.tool_call_id",
            )
        results.append(CallerResult(called.name, storable(called.arguments), text_of(message, number)))
    if not results and messages and messages[-1].role == "assistant":
        raise OpenAiError("The last message must be of the user, or the result of a tool.", param="messages")
    return results
