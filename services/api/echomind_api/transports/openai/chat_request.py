"""The request of a chat completion, and the question in it."""

from collections.abc import Callable, Mapping, Sequence
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
ONLY_TEXT: Final = (
    "assistants answer in text. For an answer in a schema, give a function with it and a tool_choice that names it; "
    "LangChain does so with method='function_calling'."
)
"""What is said to requests for structured output."""
T = TypeVar("T", bound=BaseModel)
_ignored = Counter("echomind_openai_ignored_fields_total", "Fields of requests in OpenAI's form that have no effect.")


class Body(BaseModel):
    """A part of a request; fields that it does not have are kept in `model_extra`."""

    model_config = ConfigDict(extra="allow")


class Part(Body):
    """A part of a message."""

    type: str
    text: str = ""


class FunctionCall(Body):
    """The function of a call."""

    name: str
    arguments: str = "{}"


class ToolCall(Body):
    """A call that the assistant requested."""

    id: str
    function: FunctionCall


class Message(Body):
    """A message of a conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[Part] | None = None
    name: str | None = None
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = None


class Function(Body):
    """A function that the caller runs."""

    name: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class Tool(Body):
    """A tool of the caller."""

    type: Literal["function"]
    function: Function


class StreamOptions(Body):
    """Options of a stream."""

    include_usage: bool | None = None


class ChatRequest(Body):
    """The request of a chat completion. Settings of the model are ignored: those of the assistant hold."""

    model: str = Field(min_length=1, max_length=300)
    messages: list[Message] = Field(min_length=1, max_length=10_000)
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: Literal[1] | None = None
    logprobs: Literal[False] | None = None
    tools: list[Tool] | None = Field(default=None, max_length=TOOLS)
    tool_choice: Literal["auto", "none", "required"] | dict[str, Any] | None = None
    parallel_tool_calls: bool | None = None
    store: bool | None = None
    response_format: dict[str, Any] | None = None


def read_request(model: type[T], body: bytes) -> T:
    """Parses a request; fields that it does not have are ignored and counted.

    Raises:
        OpenAiError: It breaks a rule; `param` names the field.
    """
    return _checked(lambda: model.model_validate_json(body))


def read_query(model: type[T], given: Mapping[str, str]) -> T:
    """Parses the query of an address, as `read_request`."""
    return _checked(lambda: model.model_validate(dict(given)))


def read_field(model: type[T], given: Mapping[str, Any], param: str) -> T:
    """Parses a field of a request, as `read_request`."""
    return _checked(lambda: model.model_validate(given), param)


def _checked(parse: Callable[[], T], *field: str) -> T:
    try:
        request = parse()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        param = ".".join(map(str, [*field, *first["loc"]])) or None
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
        raise OpenAiError(f"Leave response_format out: {ONLY_TEXT}", param="response_format")
    position = position_of_question(request.messages)
    if position is None:
        raise OpenAiError("There is no message of the role user, which is the question.", param="messages")
    functions = [tool.function for tool in request.tools or ()]
    return question_at(request.messages, position, functions, request.tool_choice)


def position_of_question(messages: Sequence[Message]) -> int | None:
    """Returns the position of the user's last message; None if there is none."""
    return next((i for i in range(len(messages) - 1, -1, -1) if messages[i].role == "user"), None)


def question_at(
    messages: Sequence[Message],
    position: int,
    functions: Sequence[Function],
    choice: str | dict[str, Any] | None,
    param: str = "messages",
) -> AskedQuestion:
    """Returns the question at a position, with the other messages and the functions as material.

    Args:
        messages: The messages.
        position: The question's.
        functions: The functions that the caller runs.
        choice: Which of them may or must be called, as in the request.
        param: The field of the messages, for errors.

    Raises:
        OpenAiError: A part cannot be read.
    """
    content = text_of(messages[position], f"{param}.{position}")
    check_question(content, f"{param}.{position}.content")
    instructions, earlier = [], []
    for number, message in enumerate(messages):
        text = text_of(message, f"{param}.{number}")
        if message.role in ("system", "developer"):
            instructions.append(text)
        elif number < position and text:
            role = "tool" if message.role == "function" else message.role
            earlier.append(CallerMessage(role=role, content=text))  # type: ignore[arg-type]
    tools, must_call = offered_tools(functions, choice)
    return AskedQuestion(
        content,
        Caller(
            instructions="\n\n".join(filter(None, instructions)),
            messages=tuple(earlier),
            results=tuple(results_after(messages, position, param)),
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


def text_of(message: Message, param: str) -> str:
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
                param=f"{param}.content.{position}.type",
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
    return CallerTool(
        function.name,
        storable(function.description or function.name),
        {"type": "object"} | parameters,
        strict=bool(function.strict),
    )


def offered_tools(
    functions: Sequence[Function], choice: str | dict[str, Any] | None
) -> tuple[tuple[CallerTool, ...], bool]:
    """Returns the offered tools, and whether one of them has to be called.

    Raises:
        OpenAiError: A function is invalid, or the choice names none of them.
    """
    name = _choice(choice, [function.name for function in functions])
    tools = tuple(map(caller_tool, functions))
    if name == "none":
        return (), False
    if name in ("auto", "required"):
        return tools, name == "required" and bool(tools)
    return tuple(tool for tool in tools if tool.name == name), True


def _choice(choice: str | dict[str, Any] | None, names: Sequence[str]) -> str:
    if not isinstance(choice, dict):
        return choice or "auto"
    function = choice.get("function")
    name = (function.get("name") if isinstance(function, dict) else None) or choice.get("name")
    if name not in names:
        raise OpenAiError(f"tool_choice names {name!r}, which is no tool of the request.", param="tool_choice")
    return str(name)


def results_after(messages: Sequence[Message], position: int, param: str) -> Sequence[CallerResult]:
    """Returns the calls after a position with their results.

    Raises:
        OpenAiError: A result has no call, or the assistant has the last word.
    """
    calls: dict[str, FunctionCall] = {}
    results = []
    for number, message in enumerate(messages[position + 1 :], position + 1):
        for call in message.tool_calls or ():
            calls[call.id] = call.function
        if message.role != "tool":
            continue
        called = calls.get(message.tool_call_id or "")
        if called is None:
            raise OpenAiError(
                "The result has no call: its ID must be that of a call of an earlier message.",
                param=f"{param}.{number}.tool_call_id",
            )
        results.append(CallerResult(called.name, storable(called.arguments), text_of(message, f"{param}.{number}")))
    if not results and position + 1 < len(messages) and messages[-1].role == "assistant":
        raise OpenAiError("The last message must be of the user, or the result of a tool.", param=param)
    return results
