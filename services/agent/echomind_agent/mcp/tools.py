"""Tools of an MCP server for a run."""

import hashlib
import math
import re
from collections.abc import Callable, Collection
from typing import Any

import mcp_types
from mcp_types import CallToolRequest, CallToolRequestParams, CallToolResult, InputRequiredResult
from pydantic import ValidationError

from echomind_agent.mcp.connection import Connection
from echomind_agent.mcp.elicitation import Inquiry, elicitation_of, responses_of
from echomind_agent.mcp.results import render, reply
from echomind_agent.mcp.schemas import SchemaRefusedError, argument_parser, harmless_schema
from echomind_agent.mcp.tasks import (
    CALL_ANSWER,
    CancelTask,
    GetTask,
    TaskCreated,
    TaskParams,
    TaskState,
    UpdateParams,
    UpdateTask,
)
from echomind_agent.toolset.registry import InputNeededError, Outcome, Started, Tool, ToolContext, ToolError
from echomind_lib.text import normalized, single_line

NAME_CHARACTERS = 64
"""Maximum length of a function name in OpenAI's API."""
_NO_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_DESCRIPTION_CHARACTERS = 4_000
_PROGRESS_CHARACTERS = 200
_NEEDS_PERSON = "asks for something that only a person can give, which EchoMind cannot pass on"


def tool_name(server: str, tool: str, taken: Collection[str]) -> str:
    """Returns the name of a tool for models: `{server}__{tool}` in letters, digits, `_` and `-`.

    A name that is too long or taken ends in a digest of the tool's own name, so that it is stable.
    """
    name = f"{server}__{_NO_NAME.sub('_', tool)}"
    if len(name) <= NAME_CHARACTERS and name not in taken:
        return name
    digest = hashlib.sha256(f"{server}\0{tool}".encode()).hexdigest()[:8]
    return f"{name[: NAME_CHARACTERS - len(digest) - 1]}_{digest}"


def make_tool(connection: Connection, listed: mcp_types.Tool, name: str) -> Tool:
    """Returns a tool that calls a server's.

    Args:
        connection: The connection to the server.
        listed: The tool as the server lists it.
        name: Name for the model.

    Raises:
        SchemaRefusedError: Its schema cannot be used.
    """
    return _ServerTool(connection, listed, name).tool()


class _ServerTool:
    """A tool of a server, as a run calls it."""

    def __init__(self, connection: Connection, listed: mcp_types.Tool, name: str) -> None:
        self._connection = connection
        self._server = connection.server
        self._listed = listed
        self._name = name

    def tool(self) -> Tool:
        listed, server, annotations = self._listed, self._server, self._listed.annotations
        own_title = listed.title or (annotations.title if annotations else None) or listed.name
        title = single_line(own_title, _PROGRESS_CHARACTERS)
        hint = bool(annotations and annotations.read_only_hint)
        return Tool(
            name=self._name,
            description=normalized(listed.description or title)[:_DESCRIPTION_CHARACTERS],
            described_by=server.name,
            schema=harmless_schema(listed.input_schema),
            parse=argument_parser(self._name, listed.input_schema),
            call=self._call,
            progress=lambda _given: f"Calling {title} of {server.name}",
            poll=self._poll,
            cancel=self._cancel,
            timeout=server.call_seconds,
            side_effect=not server.only_reads(listed.name, hint=hint),
            sends_data_out=not server.is_trusted_destination,
            untrusted=True,
            is_description_untrusted=server.has_untrusted_descriptions,
            delimits=True,
            mcp_server=server.name,
        )

    async def _call(self, context: ToolContext, given: dict[str, Any]) -> Outcome:
        reported = _Reporter(context, self._status)
        params = CallToolRequestParams(name=self._listed.name, arguments=given)
        if context.elicitation is not None and (responses := responses_of(context.elicitation)):
            params.input_responses = {**responses}
            params.request_state = context.elicitation.state
        inquiry = Inquiry(self._server, context.elicitation, may_ask=context.may_ask)
        answer = await inquiry.during(
            self._connection.ask(CallToolRequest(params=params), CALL_ANSWER, reported, inquiry)
        )
        reported.is_over = True
        if isinstance(answer, InputRequiredResult) and answer.input_requests and context.may_ask:
            last = context.elicitation.text if context.elicitation else ""
            raise InputNeededError(elicitation_of(self._server, answer, last))
        if isinstance(answer, TaskCreated):
            return Started(answer.task_id, self._status(answer.status_message or answer.status))
        if not isinstance(answer, CallToolResult):
            raise ToolError(f"{self._name} {_NEEDS_PERSON}.")
        return self._text(answer)

    async def _cancel(self, context: ToolContext, task_id: str) -> None:  # noqa: ARG002 - the interface of a tool
        await self._connection.ask(CancelTask(params=TaskParams(task_id=task_id)), mcp_types.EmptyResult)

    async def _poll(self, context: ToolContext, task_id: str) -> Outcome:
        state = await self._connection.ask(GetTask(params=TaskParams(task_id=task_id)), TaskState)
        if state.status == "working":
            return Started(task_id, self._status(state.status_message or state.status))
        if state.status == "completed":
            try:
                return self._text(CallToolResult.model_validate(state.result, by_name=False))
            except ValidationError as error:
                raise ToolError(f"{self._name} gave an answer that breaks the protocol.") from error
        if state.status == "input_required":
            return await self._answered(context, task_id, state)
        message = (state.error or {}).get("message") or state.status_message or state.status
        raise ToolError(reply(self._server, self._listed.name, str(message)))

    async def _answered(self, context: ToolContext, task_id: str, state: TaskState) -> Started:
        """Gives a task the answers of the person to what it asks.

        Raises:
            InputNeededError: It asks what the person has not answered.
            ToolError: It asks for what cannot be given; it is cancelled.
        """
        requests, known = state.input_requests or {}, responses_of(context.elicitation) if context.elicitation else {}
        if responses := {key: response for key, response in known.items() if key in requests}:
            params = UpdateParams(task_id=task_id, input_responses={**responses})
            await self._connection.ask(UpdateTask(params=params), mcp_types.EmptyResult)
            return Started(task_id, "working")
        try:
            if not requests or not context.may_ask:
                raise ToolError(f"{self._name} {_NEEDS_PERSON}.")
            last = context.elicitation.text if context.elicitation else ""
            asked = elicitation_of(self._server, InputRequiredResult(input_requests=requests), last)
        except ToolError:
            await self._cancel(context, task_id)
            raise
        raise InputNeededError(asked)

    def _text(self, result: CallToolResult) -> str:
        """Returns the text of a result.

        Raises:
            ToolError: It is an error.
        """
        text = render(self._server, self._listed.name, result)
        if result.is_error:
            raise ToolError(text)
        return text

    def _status(self, text: str) -> str:
        return single_line(self._server.masked(single_line(text, None)), _PROGRESS_CHARACTERS)


class _Reporter:
    """Forwards a server's progress: one report at a time; reports meanwhile are dropped."""

    def __init__(self, context: ToolContext, status: Callable[[str], str]) -> None:
        self._report, self._status = context.report, status
        self._is_busy = False
        self.is_over = False

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        if self._is_busy or self.is_over:
            return
        share = progress / total if total and math.isfinite(progress) and math.isfinite(total) else 0.0
        self._is_busy = True
        try:
            await self._report(round(100 * min(max(share, 0.0), 1.0)), self._status(message or ""))
        finally:
            self._is_busy = False


__all__ = ["NAME_CHARACTERS", "SchemaRefusedError", "make_tool", "tool_name"]
