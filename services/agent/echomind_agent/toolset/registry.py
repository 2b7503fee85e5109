"""Tools: their description for the model, and the validation of calls.

A tool is an asynchronous function whose first parameter is a `ToolContext` and whose other parameters are set by the
model. `@tool(...)` derives the JSON schema from its signature and the description from its docstring:

    @tool(progress=lambda given: f"Adding {given.a} and {given.b}")
    async def add(context: ToolContext, a: Annotated[int, Field(description="First number.")], b: int) -> str:
        '''Adds two numbers.'''
        return str(a + b)
"""

import inspect
import sys
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_type_hints

import msgspec
import structlog
from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from echomind_agent.evidence.sources import Sources
from echomind_agent.text.delimiting import delimited
from echomind_lib.access import Principal
from echomind_lib.access.notebooks import NotebookScope
from echomind_lib.errors import broken_rule
from echomind_lib.events.log import EventLog
from echomind_lib.llms import ToolSpec
from echomind_lib.llms.tokens import count_tokens
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.elicitation import Elicitation
from echomind_lib.runs.fence import RunLease

log = structlog.get_logger(__name__)

FAILED = "Error: "
"""Beginning of the reply for the model about a call that did not succeed."""
_PROBLEMS = 5
"""Maximum number of reported problems of one call's arguments."""


class ToolError(Exception):
    """A call failed in a way that the model can react to; the message is for the model.

    Attributes:
        is_effect_known: Whether it is certain that the call changed nothing. If not, and the call has a side effect,
            a person is asked.
    """

    def __init__(self, message: str, *, is_effect_known: bool = True) -> None:
        super().__init__(message)
        self.is_effect_known = is_effect_known


class RetryableToolError(Exception):
    """A call failed transiently; it is retried, unless the tool has a side effect.

    Attributes:
        is_effect_known: Whether it is certain that the call changed nothing, for example as its request was not sent.
            If not, and the call has a side effect, a person is asked.
    """

    def __init__(self, message: str, *, is_effect_known: bool = False) -> None:
        super().__init__(message)
        self.is_effect_known = is_effect_known


class InputNeededError(Exception):
    """An MCP server asks the person something; the call is made again with the answers.

    Attributes:
        elicitation: What it asks.
    """

    def __init__(self, elicitation: Elicitation) -> None:
        super().__init__(f"{elicitation.server} asks the person something")
        self.elicitation = elicitation


Report: TypeAlias = Callable[[int, str], Awaitable[None]]
"""Reports the progress of a call: percentage from 0 to 100, and a message for users."""


@dataclass(slots=True, kw_only=True)
class ToolContext:
    """The context of a call."""

    principal: Principal
    """The user that the run is for, with their current rights."""
    sources: Sources
    """The run's numbered sources."""
    lease: RunLease
    """The run; a tool's writes about the run require its attempt."""
    log: EventLog
    """The event log of the session, with the database and NATS."""
    untrusted: bool
    """Whether the run has read untrusted text."""
    report: Report
    """Reports the progress of the call; at most a few reports per second are published."""
    notebook: NotebookScope | None = None
    """The sources of the conversation's notebook, as of now; None if it is in none."""
    document_ids: Sequence[int] = ()
    """Documents attached to the question."""
    may_ask: bool = False
    """Whether the call may ask the person something."""
    elicitation: Elicitation | None = None
    """What an earlier execution of this call asked the person, with the answers; None if it asked nothing."""
    asked: Sequence[str] = ()
    """For `side_effect` in an untrusted run: the user's own messages in this session, including this question, as
    stored; never text that a model or a document put into a prompt."""


@dataclass(slots=True)
class ToolResult:
    """The result of a call."""

    text: str
    """For the model."""
    events: Sequence[SessionEvent] = field(default_factory=tuple)
    """Stored together with the result."""


@dataclass(frozen=True, slots=True)
class Started:
    """The external task that a call started. The tool's `poll` is called until it has a result."""

    task_id: str
    status: str = ""
    """Its status, as reported by the other service."""
    percentage: int = 0


Outcome: TypeAlias = str | ToolResult | Started
Executor: TypeAlias = Literal["worker", "person", "sub_run"]
"""Who provides a call's result: this worker, a person, or a sub-run (a sub-agent or a member of a team)."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. Names with the same prefix up to `__` belong to one MCP server."""

    name: str
    description: str
    """For the model: what it does and when to use it."""
    schema: dict[str, Any]
    """Its parameters, as JSON Schema."""
    parse: Callable[[str], Any]
    """Parses and validates the model's arguments, which are JSON text.

    Raises `ToolError` if they violate the schema; the message says how, for the model to correct it.
    """
    call: Callable[[ToolContext, Any], Awaitable[Outcome]]
    progress: Callable[[Any], str]
    """Returns the progress message for users."""
    expect: Callable[[Any], None] | None = None
    """Begins what a call with these arguments will need, while the call is stored. It must touch nothing, and may be in
    vain: the call begins when it is stored."""
    poll: Callable[[ToolContext, str], Awaitable[Outcome]] | None = None
    """Polls an external task by its id; required for tools that return `Started`."""
    cancel: Callable[[ToolContext, str], Awaitable[None]] | None = None
    """Cancels an external task by its id, if its result is no longer needed."""
    poll_seconds: float = 2.0
    """Initial delay between polls; it grows to ten times as much."""
    timeout: float = 30.0
    """Time-out of a call in seconds, including its external task."""
    max_retries: int = 2
    """Number of retries of a call after a transient failure."""
    side_effect: Callable[[ToolContext, Any], bool] | bool = False
    """Whether a call changes something outside EchoMind: then it is never repeated automatically, a checkpoint is
    created before it, and a run that has read untrusted text needs a person's approval for it."""
    sends_data_out: bool = False
    """Whether its arguments leave EchoMind to an external service. Untrusted text can make a model leak data: a run
    that has read some needs approval for such a call, even if the tool only reads."""
    milestone: Callable[[Any], bool] | None = None
    """Returns, by its arguments, whether to mention a successful call to later runs of the session; None for never."""
    untrusted: bool = False
    """Whether its result contains untrusted text: documents, web pages, other services."""
    is_description_untrusted: bool = False
    """Whether its description and parameters are untrusted text: a run that has it is untrusted from the beginning."""
    of_sources: bool = False
    """Whether an untrusted tool returns only text of documents that its run may search. In a notebook these are its
    sources: runs there have another untrusted tool only if the notebook allows it."""
    is_personal: bool = False
    """Whether its results are what EchoMind knows for the person who asks. In a notebook, whose other members read the
    answers, it is never available."""
    delimits: bool = False
    """Whether it delimits untrusted text itself, with `delimited` or `sources.render`. The whole output of other
    untrusted tools, including errors, is delimited."""
    redacts: bool = False
    """Whether events show its arguments without the secrets in them."""
    strict: bool = False
    """Whether the model's server is to hold the arguments to the schema, which not every one can."""
    executor: Executor = "worker"
    mcp_server: str = ""
    """Its MCP server; empty for none."""
    described_by: str = ""
    """Who wrote its description, which is delimited for the model then; empty for EchoMind."""
    tokens: int = field(init=False, compare=False)
    """Estimated tokens of its specification (`count_tokens`)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokens", count_tokens(msgspec.json.encode(self.spec()).decode()))

    @property
    def needs_notebook_permission(self) -> bool:
        """Whether runs in a notebook have it only if the notebook allows it."""
        return self.untrusted and not (self.of_sources or self.is_personal)

    def spec(self) -> ToolSpec:
        """Returns the tool's specification for a model."""
        description = self.description
        if self.described_by:
            description = delimited("tool_description", description, of=self.described_by)
        return ToolSpec(self.name, description, self.schema, self.strict)

    def has_side_effect(self, context: ToolContext, given: Any) -> bool:
        """Returns whether this call changes something outside EchoMind; True if the tool's function fails."""
        if not callable(self.side_effect):
            return self.side_effect
        try:
            return self.side_effect(context, given)
        except Exception:
            log.exception("tool raised an unexpected exception", tool=self.name)
            return True

    def is_milestone(self, arguments: str) -> bool:
        """Returns whether to mention a call with these arguments (JSON text) to later runs."""
        try:
            return self.milestone is not None and self.milestone(self.parse(arguments))
        except ToolError:
            return False

    def doing(self, given: Any) -> str:
        """Returns the progress message of a call; the tool's name if the tool's function fails."""
        try:
            return self.progress(given)
        except Exception:
            log.exception("tool raised an unexpected exception", tool=self.name)
            return f"Calling {self.name}"


def tool(
    *, progress: Callable[[Any], str], name: str | None = None, description: str | None = None, **options: Any
) -> Callable[[Callable[..., Awaitable[Outcome]]], Tool]:
    """Returns a tool for a function; its other options are the fields of `Tool`.

    Args:
        progress: Returns the progress message for users; receives the validated arguments as an object.
        name: Name for the model; the function's name if None.
        description: Description for the model; the function's docstring if None.
        **options: Fields of `Tool`.

    Raises:
        TypeError: The function's first parameter is not a `ToolContext`, another one is not a keyword parameter or has
            no annotation, or the tool has no description.
    """

    def decorate(function: Callable[..., Awaitable[Outcome]]) -> Tool:
        own_name = name or function.__name__
        parameters = _parameters(function)

        def parse(arguments: str) -> BaseModel:
            try:
                return parameters.model_validate_json(arguments or "{}")
            except ValidationError as error:
                raise invalid_arguments(own_name, error) from error
            except Exception as error:  # third-party validators may raise anything
                log.exception("tool raised an unexpected exception", tool=own_name)
                raise ToolError(f"{own_name} failed by a fault when it checked its arguments.") from error

        async def call(context: ToolContext, given: BaseModel) -> Outcome:
            return await function(context, **{key: getattr(given, key) for key in type(given).model_fields})

        text = description or inspect.getdoc(function)
        if not text:
            raise TypeError(f"The tool {own_name} has neither a docstring nor a description: no model could use it.")
        return Tool(
            name=own_name,
            description=" ".join(text.split()),
            schema=_schema(parameters),
            parse=parse,
            call=call,
            progress=progress,
            **options,
        )

    return decorate


def invalid_arguments(name: str, error: ValidationError) -> ToolError:
    """Returns the error for invalid arguments: the first few problems, each with its location."""
    found = error.errors(include_url=False, include_input=False)
    problems = [f"{'.'.join(map(str, each['loc'])) or 'arguments'}: {broken_rule(each)}" for each in found[:_PROBLEMS]]
    if more := len(found) - len(problems):
        problems.append(f"and {more} more")
    return ToolError(f"The arguments of {name} are not valid: {'; '.join(problems)}.")


def _parameters(function: Callable[..., Any]) -> type[BaseModel]:
    hints = get_type_hints(function, include_extras=True)
    given = list(inspect.signature(function).parameters.values())
    if not given or hints.get(given[0].name) is not ToolContext:
        raise TypeError(f"The first parameter of {function.__name__} must be a ToolContext.")
    others = given[1:]
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    if odd := [str(parameter) for parameter in others if parameter.kind not in by_name]:
        raise TypeError(f"These parameters of {function.__name__} cannot be given by name: {', '.join(odd)}.")
    if missing := [parameter.name for parameter in others if parameter.name not in hints]:
        raise TypeError(f"These parameters of {function.__name__} have no annotation: {', '.join(missing)}.")
    fields: dict[str, Any] = {
        parameter.name: (hints[parameter.name], ... if parameter.default is parameter.empty else parameter.default)
        for parameter in others
    }
    config = ConfigDict(extra="forbid", protected_namespaces=())
    return create_model(function.__name__, __config__=config, **fields)


def _schema(parameters: type[BaseModel]) -> dict[str, Any]:
    """Returns the parameters as JSON Schema, without parts that are irrelevant to models."""
    schema = parameters.model_json_schema()
    for definition in (schema, *schema.get("$defs", {}).values()):
        definition.pop("title", None)
        for property_ in definition.get("properties", {}).values():
            property_.pop("title", None)
    return schema


class Registry:
    """The built-in tools, by name."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        """Stores the tools in order.

        Raises:
            ValueError: Two tools have the same name.
        """
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            if tool.name in self._tools:
                raise ValueError(f"There are two tools with the name {tool.name}.")
            self._tools[tool.name] = tool

    @property
    def names(self) -> Collection[str]:
        """Returns the names of all tools."""
        return self._tools.keys()

    def choose(self, names: Sequence[str]) -> dict[str, Tool]:
        """Returns the tools with these names; all tools for no names. Unknown names are ignored."""
        if not names:
            return dict(self._tools)
        return {name: self._tools[name] for name in names if name in self._tools}


def read_parameters(arguments: str) -> dict[str, Any] | None:
    """Returns a model's arguments as an object; None if they are not an object, or cannot be stored."""
    try:
        value = msgspec.json.decode(arguments or "{}")
    except msgspec.DecodeError:
        return None
    return value if isinstance(value, dict) and _fits_struct(value) else None


def parameters_record(arguments: str) -> dict[str, Any]:
    """Returns arguments in their stored form: the parsed object, or the text if it is not an object."""
    parameters = read_parameters(arguments)
    return {"invalid": arguments[:4000]} if parameters is None else parameters


MAX_DEPTH = 20
"""Maximum nesting of a call's arguments: events contain them as `Struct`, and protobuf limits nesting to 100 levels."""


def _fits_struct(value: Any) -> bool:
    """Returns whether a JSON value has at most `MAX_DEPTH` levels, and no integer outside the range of floats."""
    level = [value]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                below.extend(each.values())
            elif isinstance(each, list):
                below.extend(each)
            elif isinstance(each, int) and abs(each) > sys.float_info.max:
                return False
        if not below:
            return True
        level = below
    return False
