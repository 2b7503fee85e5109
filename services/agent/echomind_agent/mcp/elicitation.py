"""Requests of a server for input from a person (elicitation), by forms.

The call is made again with the answers, so the run can wait for the person without a connection, and any worker can
continue. In protocol version 2026-07-28 the response to a call names what is needed. Servers of older versions ask
while the call runs, on its open connection: that call is cancelled, and the next one gets the answers when they are
asked for.
"""

import asyncio
from collections.abc import Coroutine, Mapping
from contextlib import AsyncExitStack
from typing import Any, TypeVar

import msgspec
from mcp import Client
from mcp.client.session import ClientSession
from mcp_types import (
    INVALID_REQUEST,
    ClientCapabilities,
    ElicitationCapability,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitRequestURLParams,
    ElicitResult,
    ErrorData,
    FormElicitationCapability,
    InputRequest,
    InputRequiredResult,
)

from echomind_agent.mcp.server import Server
from echomind_agent.toolset.registry import InputNeededError, ToolError
from echomind_lib.runs.elicitation import Answer, Elicitation, Field, Form
from echomind_lib.text import normalized, single_line

T = TypeVar("T")

_FORMS = 5
_FIELDS = 20
_OPTIONS = 50
_KEY_CHARACTERS = 200
_NAME_CHARACTERS = 100
_TEXT_CHARACTERS = 300
_MESSAGE_CHARACTERS = 2_000
_STATE_CHARACTERS = 64 * 2**10
_FORMATS = ("email", "uri", "date", "date-time")
NEEDS_PERSON = "asks for something that only a person can give, and this run may not ask"
_TYPES = ("string", "number", "integer", "boolean", "array")


class FormsClient(Client):
    """Declares forms for people, but no addresses that people would have to open."""

    async def _build_session(self, exit_stack: AsyncExitStack) -> ClientSession:
        session = await super()._build_session(exit_stack)
        build = session._build_capabilities

        def declare(version: str) -> ClientCapabilities:
            capabilities = build(version)
            capabilities.elicitation = ElicitationCapability(form=FormElicitationCapability())
            return capabilities

        session._build_capabilities = declare  # type: ignore[method-assign]
        return session


def elicitation_of(server: Server, result: InputRequiredResult, last: str = "") -> Elicitation:
    """Returns what a server asks the person.

    Args:
        server: The server.
        result: Its response.
        last: What the person answered before, during the same call; empty for nothing.

    Raises:
        ToolError: It asks for something else than forms, or for too much.
    """
    requests = result.input_requests or {}
    if len(requests) > _FORMS or any(not 0 < len(key) <= _KEY_CHARACTERS for key in requests):
        raise _refused(server, f"asks more than {_FORMS} things at once, or gives them names that cannot be kept")
    if len(result.request_state or "") > _STATE_CHARACTERS:
        raise _refused(server, f"wants more than {_STATE_CHARACTERS} characters to be kept while a person answers")
    forms = tuple(_form(server, key, request) for key, request in requests.items())
    return Elicitation(server.name, forms, result.request_state, last)


def responses_of(elicitation: Elicitation) -> dict[str, ElicitResult]:
    """Returns the answers for a server that named the forms."""
    return {form.key: _result(form.answer) for form in elicitation.forms if form.key and form.answer is not None}


class Inquiry:
    """What a server of an older version asks during one call."""

    def __init__(self, server: Server, given: Elicitation | None, *, may_ask: bool) -> None:
        """Stores what is known.

        Args:
            server: The server.
            given: What it asked before, with the answers; None for nothing.
            may_ask: Whether a person can be asked.
        """
        self._server, self._may_ask = server, may_ask
        self._last = given.text if given else ""
        self._answered = tuple(form for form in given.forms if not form.key and form.answer) if given else ()
        self._unused = list(self._answered)
        self._end: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._over = asyncio.Event()

    def answer(self, params: ElicitRequestParams) -> ElicitResult | None:
        """Returns the answer that a person gave; if there is none, ends the call and returns None."""
        if self._end.done() or self._over.is_set():
            return None
        try:
            return self._known(params)
        except (InputNeededError, ToolError) as error:
            self._end.set_exception(error)
            return None

    async def refusal(self) -> ErrorData:
        """Returns the response to what has no answer, as soon as the server was told that the call is cancelled.

        Earlier, any response would let it go on with the call.
        """
        await self._over.wait()
        return ErrorData(code=INVALID_REQUEST, message="The call in which this is asked is over.")

    async def during(self, call: Coroutine[Any, Any, T]) -> T:
        """Returns the result of a call; one that asks a person is cancelled.

        Raises:
            InputNeededError: It asks a person.
            ToolError: It asks for what cannot be given.
        """
        task = asyncio.ensure_future(call)
        try:
            await asyncio.wait((task, self._end), return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                self._end.result()
            return await task
        finally:
            try:
                if not task.done():
                    task.cancel()
                    await asyncio.wait((task,))
            finally:
                self._over.set()
                if self._end.done():
                    self._end.exception()

    def _known(self, params: ElicitRequestParams) -> ElicitResult:
        form = _form(self._server, "", ElicitRequest(params=params))
        for known in self._unused:
            if (known.message, known.fields) == (form.message, form.fields) and known.answer is not None:
                self._unused.remove(known)  # who asks the same again wants another answer
                return _result(known.answer)
        if not self._may_ask:
            raise _refused(self._server, NEEDS_PERSON)
        if len(self._answered) >= _FORMS:
            raise _refused(self._server, f"asks more than {_FORMS} things during one call")
        raise InputNeededError(Elicitation(self._server.name, (*self._answered, form), None, self._last))


def _result(answer: Answer) -> ElicitResult:
    return ElicitResult(action=answer.action, content=answer.content)


def _form(server: Server, key: str, request: InputRequest) -> Form:
    if not isinstance(request, ElicitRequest):
        raise _refused(server, "asks for something else than an answer of a person, which EchoMind does not offer")
    if isinstance(request.params, ElicitRequestURLParams):
        raise _refused(server, "asks the person to open an address, which EchoMind does not pass on")
    assert isinstance(request.params, ElicitRequestFormParams)
    message = server.masked(normalized(request.params.message))[:_MESSAGE_CHARACTERS]
    schema = request.params.requested_schema
    properties, required = schema.get("properties") or {}, schema.get("required") or []
    if not isinstance(properties, dict) or not isinstance(required, list) or len(properties) > _FIELDS:
        raise _refused(server, f"asks for a form that is not valid, or has more than {_FIELDS} fields")
    fields = tuple(_field(server, name, part, name in required) for name, part in properties.items())
    return Form(key, message, fields)


def _field(server: Server, name: str, part: Any, required: bool) -> Field:
    kind = part.get("type") if isinstance(part, Mapping) else None
    if kind not in _TYPES or not name.isprintable() or not 0 < len(name) <= _NAME_CHARACTERS or ":" in name:
        raise _refused(server, f"asks for a field that a form cannot have: {single_line(name, _NAME_CHARACTERS)!r}")
    items = part.get("items") if kind == "array" else part
    titled = items if isinstance(items, Mapping) else {}
    options = titled.get("enum") or [
        each.get("const") for each in titled.get("oneOf") or titled.get("anyOf") or () if isinstance(each, Mapping)
    ]
    if len(options) > _OPTIONS or not all(isinstance(each, str) and each.isprintable() for each in options):
        raise _refused(server, f"offers for {name!r} more than {_OPTIONS} choices, or some that are no texts")
    smallest, largest = {"string": ("minLength", "maxLength"), "array": ("minItems", "maxItems")}.get(
        kind, ("minimum", "maximum")
    )
    field = Field(
        name=name,
        type=kind,
        title=_line(server, part.get("title")),
        description=_line(server, part.get("description")),
        required=required,
        options=tuple(options),
        format=part["format"] if part.get("format") in _FORMATS else "",
        minimum=_limit(part.get(smallest)),
        maximum=_limit(part.get(largest)),
    )
    return field if part.get("default") is None else _with_default(server, field, part["default"])


def _with_default(server: Server, field: Field, default: Any) -> Field:
    try:
        value = field.read(default)
    except ValueError:
        raise _refused(server, f"gives {field.name!r} a value that it does not allow itself") from None
    return msgspec.structs.replace(field, default=value)


def _line(server: Server, text: Any) -> str:
    return single_line(server.masked(single_line(text, None)), _TEXT_CHARACTERS) if isinstance(text, str) else ""


def _limit(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _refused(server: Server, why: str) -> ToolError:
    return ToolError(f"The MCP server {server.name} {why}.")
