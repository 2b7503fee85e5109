"""Tools: their description for the model, and how a call is checked and made."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Generic, TypeVar

import msgspec
from pydantic import BaseModel, ConfigDict, ValidationError

from echomind_agent.sources import Sources
from echomind_lib.access import Principal
from echomind_lib.llms import ToolSpec
from echomind_lib.pb.echomind.public.v1.run_pb2 import RunEvent


class ToolError(Exception):
    """A call that failed in a way that the model can do something about: the message is for the model."""


class ToolParameters(BaseModel):
    """Base of every tool's parameters. The fields' descriptions and limits are what the model is told."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


P = TypeVar("P", bound=ToolParameters)


@dataclass(slots=True)
class ToolContext:
    """What a call may use: who the run is for, and the run's sources."""

    principal: Principal
    sources: Sources


@dataclass(slots=True)
class ToolResult:
    """What a call gave."""

    text: str
    """For the model."""
    events: Sequence[RunEvent] = field(default_factory=tuple)
    """Stored together with the result."""


@dataclass(frozen=True, slots=True)
class Tool(Generic[P]):
    """One tool."""

    name: str
    description: str
    """For the model: what it does and when to use it."""
    parameters: type[P]
    call: Callable[[ToolContext, P], Awaitable[ToolResult]]
    progress: Callable[[P], str]
    """For people: what it is doing."""
    timeout: float = 30.0
    """Seconds until a call counts as failed."""
    side_effect: bool = False
    """Whether a call changes something outside EchoMind: then it is never repeated by itself."""

    def spec(self) -> ToolSpec:
        """The tool as a model is told of it."""
        return ToolSpec(self.name, self.description, _schema(self.parameters))

    def parse(self, arguments: str) -> P:
        """Checks the model's arguments.

        Raises:
            ToolError: They are not JSON or break the schema; the message says how, for the model to correct it.
        """
        try:
            return self.parameters.model_validate_json(arguments or "{}")
        except ValidationError as error:
            problems = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'arguments'}: {e['msg']}" for e in error.errors())
            raise ToolError(f"The arguments of {self.name} are not valid: {problems}.") from error


@cache
def _schema(parameters: type[ToolParameters]) -> dict[str, Any]:
    """The parameters as JSON Schema, without what tells a model nothing. Kept, as making it costs more than a step."""
    schema = parameters.model_json_schema()
    schema.pop("title", None)
    schema.pop("description", None)
    for definition in schema.get("properties", {}).values():
        definition.pop("title", None)
    return schema


class Registry:
    """The tools that runs can use, by name."""

    def __init__(self, tools: Iterable[Tool[Any]]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    def choose(self, names: Sequence[str]) -> dict[str, Tool[Any]]:
        """The tools with these names; all when no names are given. Names that no tool has are left out."""
        if not names:
            return dict(self._tools)
        return {name: self._tools[name] for name in names if name in self._tools}


def parameters_record(arguments: str) -> dict[str, Any]:
    """Arguments as they are stored: the object that the model wrote, or its text when it is none."""
    try:
        value = msgspec.json.decode(arguments or "{}")
    except msgspec.DecodeError:
        return {"invalid": arguments[:4000]}
    return value if isinstance(value, dict) else {"invalid": arguments[:4000]}
