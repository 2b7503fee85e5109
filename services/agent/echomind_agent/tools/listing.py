"""Answers which tools an assistant has, for people who set it up."""

import asyncio
from collections.abc import Mapping
from typing import Any

import asyncpg
import structlog
from nats.aio.msg import Msg

from echomind_agent.mcp import McpServers
from echomind_agent.tools.control import control_tools
from echomind_agent.tools.registry import Registry, Tool
from echomind_lib.db.database import DATABASE_FAILURES
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import ToolsReply, ToolsRequest
from echomind_lib.pb.echomind.public.v1.assistant_pb2 import ToolInfo

log = structlog.get_logger(__name__)


class ToolListing:
    """Serves the subject `tools.list`."""

    def __init__(self, pool: asyncpg.Pool, tools: Registry, mcp: McpServers) -> None:
        self._pool = pool
        self._tools = tools
        self._mcp = mcp
        self._tasks: set[asyncio.Task[None]] = set()

    async def answer(self, message: Msg) -> None:
        """Answers a `ToolsRequest` in a task of its own, as an MCP server may keep one waiting."""
        task = asyncio.create_task(self._answer(message))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def list_tools(self, assistant_id: int) -> ToolsReply:
        """The tools of an assistant: the built-in ones, then those of its MCP servers; empty when there is none."""
        config: Mapping[str, Any] | None = await self._pool.fetchval(
            "SELECT config FROM assistants WHERE id = $1 AND deleted_date IS NULL", assistant_id
        )
        if config is None:
            return ToolsReply()
        from_servers, problems = await self._mcp.look(assistant_id, config)
        infos = [_info(tool) for tool in [*self._built_in(config), *from_servers.values()]]
        infos += [ToolInfo(mcp_server=problem.server, error=problem.text) for problem in problems]
        return ToolsReply(tools=infos)

    def _built_in(self, config: Mapping[str, Any]) -> list[Tool]:
        """Those of which a run may have all; one that answers at once does without those for planning."""
        names = config.get("tools") or []
        may_fork = config.get("maxDepth") != 0
        control = control_tools(may_ask=bool(config.get("askClarifications")), may_fork=may_fork)
        chosen = [tool for tool in control.values() if not names or tool.name in names or tool.executor == "person"]
        return [*self._tools.choose(names).values(), *chosen]

    async def _answer(self, message: Msg) -> None:
        try:
            reply = await self.list_tools(ToolsRequest.FromString(message.data).assistant_id)
        except DATABASE_FAILURES as error:
            log.warning("tools not listed, the database failed", error=repr(error))
            return  # whoever asked stops waiting
        await message.respond(reply.SerializeToString())


def _info(tool: Tool) -> ToolInfo:
    info = ToolInfo(
        name=tool.name,
        description=tool.description,
        side_effect=callable(tool.side_effect) or tool.side_effect,
        mcp_server=tool.mcp_server,
    )
    info.parameters.update(tool.schema)
    return info
