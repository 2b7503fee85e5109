"""Lists the tools of an assistant, for its configuration."""

import asyncio
from typing import Any

import asyncpg
import structlog
from nats.aio.msg import Msg
from sqlalchemy import bindparam, select

from echomind_agent.mcp import McpServers
from echomind_agent.tools.control import control_tools
from echomind_agent.tools.selection import choose_built_in
from echomind_agent.toolset.registry import Registry, Tool
from echomind_lib.assistants.assistant_settings import read_settings
from echomind_lib.db.database import DATABASE_FAILURES
from echomind_lib.db.models.catalog import Assistant
from echomind_lib.db.statements import Query
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import ToolsReply, ToolsRequest
from echomind_lib.pb.echomind.public.v1.assistant_pb2 import ToolInfo

log = structlog.get_logger(__name__)

_CONFIG: Query[dict[str, Any]] = Query(
    select(Assistant.config).where(Assistant.id == bindparam("assistant_id"), Assistant.deleted_date.is_(None)), dict
)


class ToolListing:
    """Serves the subject `tools.list`."""

    def __init__(self, pool: asyncpg.Pool, tools: Registry, mcp: McpServers) -> None:
        self._pool = pool
        self._tools = tools
        self._mcp = mcp
        self._tasks: set[asyncio.Task[None]] = set()

    async def answer(self, message: Msg) -> None:
        """Answers a `ToolsRequest` in a separate task, as an MCP server may be slow."""
        task = asyncio.create_task(self._answer(message))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def list_tools(self, assistant_id: int) -> ToolsReply:
        """Returns the tools of an assistant: the built-in ones, then those of its MCP servers.

        It returns none if the assistant does not exist. For 0 it returns the tools available to every assistant:
        built-in ones, those of packages, and those for planning.
        """
        if not assistant_id:
            nameable = {**self._tools.choose([]), **control_tools(may_ask=True, may_delegate=True)}
            return ToolsReply(tools=[_info(tool, for_planning=False) for tool in nameable.values()])
        config = await _CONFIG.fetch_one(self._pool, assistant_id=assistant_id)
        if config is None:
            return ToolsReply()
        settings = read_settings(config)
        may_ask, may_delegate = settings.ask_clarifications, settings.max_depth != 0
        at_once, planning = (
            choose_built_in(
                self._tools,
                settings.tools,
                plans=plans,
                has_goal=plans,
                may_ask=may_ask,
                may_delegate=may_delegate,
            )
            for plans in (False, True)
        )
        from_servers, problems = await self._mcp.tools(assistant_id, settings.mcp_servers)
        infos = [_info(tool, for_planning=name not in at_once) for name, tool in planning.items()]
        infos += [_info(tool, for_planning=False) for tool in from_servers.values()]
        infos += [ToolInfo(mcp_server=problem.server, error=problem.text) for problem in problems]
        known = {*self._tools.choose([]), *control_tools(may_ask=True, may_delegate=True), *from_servers}
        away = {problem.server for problem in problems}
        for name in dict.fromkeys([*settings.tools, *settings.approval_tools]):
            if name not in known and name.partition("__")[0] not in away:
                infos.append(ToolInfo(error=f"There is no tool {name}, which the assistant's configuration names."))
        return ToolsReply(tools=infos)

    async def _answer(self, message: Msg) -> None:
        try:
            reply = await self.list_tools(ToolsRequest.FromString(message.data).assistant_id)
            await message.respond(reply.SerializeToString())
        except DATABASE_FAILURES as error:
            log.warning("tool listing failed, database error", error=repr(error))
        except Exception:
            # Third-party servers and packages may raise anything. The caller times out.
            log.exception("tool listing failed with an unexpected exception")


def _info(tool: Tool, *, for_planning: bool) -> ToolInfo:
    info = ToolInfo(
        name=tool.name,
        description=tool.description,
        side_effect=callable(tool.side_effect) or tool.side_effect,
        mcp_server=tool.mcp_server,
        for_planning=for_planning,
        sends_data_out=tool.sends_data_out,
        needs_notebook_permission=tool.needs_notebook_permission,
    )
    info.parameters.update(tool.schema)
    return info
