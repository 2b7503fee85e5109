"""Tools: their description for the model, and how a call is checked.

A tool is an asynchronous function whose first parameter is a `ToolContext` and whose other parameters are what the
model gives. `@tool(...)` makes the JSON schema from its signature and the description from its docstring:

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
from echomind_lib.access import Principal
from echomind_lib.access.notebooks import NotebookScope
from echomind_lib.events.log import EventLog
from echomind_lib.llms import ToolSpec
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.fence import RunLease

log = structlog.get_logger(__name__)

_PROBLEMS = 5
"""Most problems of one call's arguments that a model reads of."""


class ToolError(Exception):
    """A call that failed in a way that the model can do something about: the message is for the model."""


class RetryableToolError(Exception):
    """A call that failed in a way that may pass: it is made again, unless the tool has a side effect."""


Report: TypeAlias = Callable[[int, str], Awaitable[None]]
"""Reports how far a call is: percent between 0 and 100, and what it is doing, for people."""


@dataclass(slots=True, kw_only=True)
class ToolContext:
    """The context of a call."""

    principal: Principal
    """The user that the run is for, with their current rights."""
    sources: Sources
    """The run's numbered sources."""
    lease: RunLease
    """The run; writes of a tool that are about it require its attempt."""
    log: EventLog
    """Writes events of the session; it has the database and NATS."""
    untrusted: bool
    """Whether the run has read untrusted text."""
    report: Report
    """Reports how far the call is; at most a few times a second reach people."""
    notebook: NotebookScope | None = None
    """The sources of the conversation's notebook, as of now; None if it is in none."""
    document_ids: Sequence[int] = ()
    """Documents attached to the question."""
    asked: Sequence[str] = ()
    """For `side_effect` in an untrusted run: what the person wrote in this session, this question included, as stored;
    never what a model or a document put into a prompt."""


@dataclass(slots=True)
class ToolResult:
    """The result of a call."""

    text: str
    """For the model."""
    events: Sequence[SessionEvent] = field(default_factory=tuple)
    """Stored together with the result."""


@dataclass(frozen=True, slots=True)
class Started:
    """The external task that a call started. The tool's `poll` is asked until it has a result."""

    task_id: str
    status: str = ""
    """Its status, as reported by the other service."""
    percentage: int = 0


Outcome: TypeAlias = str | ToolResult | Started
Executor: TypeAlias = Literal["worker", "person", "sub_run"]
"""Who gives a call its result: this worker, a person who is asked, or a run below: a sub-agent, a member of a team."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. Names that begin alike, up to `__`, belong to one MCP server."""

    name: str
    description: str
    """For the model: what it does and when to use it."""
    schema: dict[str, Any]
    """Its parameters, as JSON Schema."""
    parse: Callable[[str], Any]
    """Checks the model's arguments, which are JSON text.

    Raises `ToolError` when they break the schema; the message says how, for the model to correct it.
    """
    call: Callable[[ToolContext, Any], Awaitable[Outcome]]
    progress: Callable[[Any], str]
    """For people: what it is doing."""
    poll: Callable[[ToolContext, str], Awaitable[Outcome]] | None = None
    """Asks after what a call has started, by its task id; needed by tools that return `Started`."""
    cancel: Callable[[ToolContext, str], Awaitable[None]] | None = None
    """Ends what a call has started, by its task id, when its result is not wanted any more."""
    poll_seconds: float = 2.0
    """Delay between two such requests at first; it grows to ten times as much."""
    timeout: float = 30.0
    """Seconds until a call counts as failed, waiting for what it started included."""
    max_retries: int = 2
    """Number of retries of a call after a transient failure."""
    side_effect: Callable[[ToolContext, Any], bool] | bool = False
    """Whether a call changes something outside EchoMind: then it is never repeated by itself, a checkpoint comes
    before it, and a run that has read untrusted text needs a person's permission for it."""
    sends_data_out: bool = False
    """Whether its arguments leave EchoMind, for a service that others run. Untrusted text can make a model send what it
    knows: a run that has read some needs approval for such a call, also when the tool only reads."""
    milestone: Callable[[Any], bool] | None = None
    """Whether later runs of the session should know a successful call, by its arguments; None for never."""
    untrusted: bool = False
    """Whether it contains untrusted text: documents, web pages, other services."""
    of_sources: bool = False
    """Whether an untrusted tool says nothing but what the documents say that its run may search. In a notebook these
    are its sources: runs there have no other untrusted tool, as answers come from the sources alone."""
    delimits: bool = False
    """Whether it delimits that text itself, by `delimited` or `sources.render`. All that another untrusted tool says,
    errors too, is delimited as a whole."""
    redacts: bool = False
    """Whether events show its arguments without the secrets in them."""
    executor: Executor = "worker"
    mcp_server: str = ""
    """The MCP server that it belongs to."""

    def spec(self) -> ToolSpec:
        """Returns the tool as a model gets it."""
        return ToolSpec(self.name, self.description, self.schema)

    def has_side_effect(self, context: ToolContext, given: Any) -> bool:
        """Returns whether this call changes something outside EchoMind; also when the tool fails to say."""
        if not callable(self.side_effect):
            return self.side_effect
        try:
            return self.side_effect(context, given)
        except Exception:
            log.exception("a tool failed by a fault", tool=self.name)
            return True

    def is_milestone(self, arguments: str) -> bool:
        """Returns whether later runs should know of a call with these arguments, which are JSON text."""
        try:
            return self.milestone is not None and self.milestone(self.parse(arguments))
        except ToolError:
            return False

    def doing(self, given: Any) -> str:
        """Returns what a call does, for people; the tool's name when the tool fails to say."""
        try:
            return self.progress(given)
        except Exception:
            log.exception("a tool failed by a fault", tool=self.name)
            return f"Calling {self.name}"


def tool(
    *, progress: Callable[[Any], str], name: str | None = None, description: str | None = None, **options: Any
) -> Callable[[Callable[..., Awaitable[Outcome]]], Tool]:
    """Returns a tool for a function; its other options are the fields of `Tool`.

    Args:
        progress: Progress message for people; takes the checked arguments as an object with one attribute each.
        name: Name for the model; the function's name if None.
        description: Description for the model; the function's docstring if None.
        **options: Fields of `Tool`.

    Raises:
        TypeError: The function's first parameter is not a `ToolContext`, another one cannot be given by its name or has
            no annotation, or nothing describes the tool.
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
                log.exception("a tool failed by a fault", tool=own_name)
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
    """Returns what a model reads of arguments that break the schema: the first few problems, each with its place."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    problems = [f"{'.'.join(map(str, e['loc'])) or 'arguments'}: {e['msg']}" for e in found[:_PROBLEMS]]
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
    """Returns the parameters as JSON Schema, without what tells a model nothing."""
    schema = parameters.model_json_schema()
    for definition in (schema, *schema.get("$defs", {}).values()):
        definition.pop("title", None)
        for property_ in definition.get("properties", {}).values():
            property_.pop("title", None)
    return schema


class Registry:
    """The tools that are built in, by name."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        """Stores the tools in order.

        Raises:
            ValueError: Two of them have the same name.
        """
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            if tool.name in self._tools:
                raise ValueError(f"There are two tools with the name {tool.name}.")
            self._tools[tool.name] = tool

    @property
    def names(self) -> Collection[str]:
        """The names of all of them."""
        return self._tools.keys()

    def choose(self, names: Sequence[str]) -> dict[str, Tool]:
        """Returns the tools with these names; all when no names are given. Names that no tool has are left out."""
        if not names:
            return dict(self._tools)
        return {name: self._tools[name] for name in names if name in self._tools}


def read_parameters(arguments: str) -> dict[str, Any] | None:
    """Returns the object that a model wrote as arguments; None when it is none, or cannot be stored as it is."""
    try:
        value = msgspec.json.decode(arguments or "{}")
    except msgspec.DecodeError:
        return None
    return value if isinstance(value, dict) and _fits_struct(value) else None


def parameters_record(arguments: str) -> dict[str, Any]:
    """Returns arguments as they are stored: the object that the model wrote, or its text when there is none."""
    parameters = read_parameters(arguments)
    return {"invalid": arguments[:4000]} if parameters is None else parameters


MAX_DEPTH = 20
"""Most levels of a call's arguments: events hold them as `Struct`, and protobuf reads 100 levels at most."""


def _fits_struct(value: Any) -> bool:
    """Returns whether a JSON value has at most `MAX_DEPTH` levels, and no integer beyond all floating-point numbers."""
    level = [value]
    for _ in range(MAX_DEPTH):
        if any(isinstance(one, int) and abs(one) > sys.float_info.max for one in level):
            return False
        level = [
            child
            for one in level
            if isinstance(one, dict | list)
            for child in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return True
    return False
