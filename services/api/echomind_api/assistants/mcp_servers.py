"""Rules for the MCP servers of an assistant, beyond those of the contract."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from echomind_lib.assistants.mcp_programs import ProgramRefusedError, check_program
from echomind_lib.assistants.mcp_servers import OAUTH_NEEDED, OAUTH_OPTIONAL, check_url
from echomind_lib.config import McpSettings
from echomind_lib.errors import DependencyUnavailableError, EndpointRefusedError, ValidationFailedError
from echomind_lib.identity.requests import is_safe
from echomind_lib.messaging import PROGRAMS_CHECK, Bus
from echomind_lib.models.public import AssistantConfig, McpServer, McpTransport
from echomind_lib.network.addresses import AddressRefusedError
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import ProgramReply, ProgramRequest

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e]*")
_OWN_HEADERS = frozenset({"accept-encoding", "connection", "content-length", "host", "transfer-encoding"})
_SECRETS = 50
_VALUE_CHARACTERS = 8192
_ARGUMENT_CHARACTERS = 4096
_PROGRAM_SECONDS = 5.0
_TOOL_CHARACTERS = 256


def check_servers(servers: Sequence[McpServer]) -> None:
    """Checks that an agent can use MCP servers.

    Raises:
        ValidationFailedError: One breaks a rule; the message names the field.
        EndpointRefusedError: One is where no MCP server may be.
    """
    names = Counter(server.name for server in servers)
    for index, server in enumerate(servers):
        field = f"assistant.config.mcpServers.{index}"
        try:
            if server.transport is McpTransport.STREAMABLE_HTTP:
                check_url(server.url)
        except AddressRefusedError as error:
            raise EndpointRefusedError(f"{field}.url: {error}.", endpoint=server.url) from None
        except ValueError as error:
            raise ValidationFailedError.of(f"{field}.url", str(error)) from None
        for name, rule in _problems(server):
            raise ValidationFailedError.of(f"{field}.{name}", rule)
        if names[server.name] > 1:
            raise ValidationFailedError.of(f"{field}.name", "must be unique among the assistant's servers")


async def check_programs(
    bus: Bus, settings: McpSettings, config: AssistantConfig | None, stored: Mapping[str, Any] | None = None
) -> None:
    """Raises an error unless the programs of a config's MCP servers are permitted and installed.

    Stored servers are not checked, so that changed settings of the machine do not block other changes. An agent is
    asked whether a program exists, so do not call this in a transaction.

    Args:
        bus: Reaches the agents.
        settings: The machine's.
        config: The configuration as written.
        stored: The assistant's config so far, in ProtoJSON.

    Raises:
        ValidationFailedError: A program is not permitted or not installed; the message says what to do.
        DependencyUnavailableError: No agent responds.
    """
    before = {_program(server): server for server in (stored or {}).get("mcpServers") or ()}
    for index, server in enumerate(config.mcp_servers if config else ()):
        known = before.get((server.name, server.command, *server.args))
        if server.transport is not McpTransport.STDIO or (
            known is not None and server.env.keys() <= (known.get("env") or {}).keys()
        ):
            continue
        field = f"assistant.config.mcpServers.{index}.command"
        try:
            check_program(settings, server.command, server.args, server.env)
        except ProgramRefusedError as error:
            raise ValidationFailedError.of(field, f"{error}: {error.advice}") from None
        request = ProgramRequest(command=server.command, args=server.args)
        reply = await bus.request(PROGRAMS_CHECK, request, ProgramReply, _PROGRAM_SECONDS)
        if reply is None:
            raise DependencyUnavailableError(
                "No agent has reported whether the MCP server's program can be started: check that one runs.",
                dependency="agent",
            )
        if reply.problem:
            raise ValidationFailedError.of(field, reply.problem)


def _program(stored: Mapping[str, Any]) -> tuple[str, ...]:
    return (stored["name"], stored.get("command") or "", *(stored.get("args") or ()))


def _problems(server: McpServer) -> Iterator[tuple[str, str]]:
    """Fields at fault, with the rule that they break."""
    if "__" in server.name:
        yield "name", "must not hold two underscores in a row: they stand between server and tool"
    if server.transport is McpTransport.STDIO:
        if not server.command.strip():
            yield "command", "is needed for stdio: the program to start"
        foreign = {"url": server.url, "headers": server.headers, "oauth": server.oauth}
    else:
        foreign = {"command": server.command, "args": server.args, "env": server.env}
    for name, value in foreign.items():
        if value:
            yield name, f"must be empty for {server.transport.word}"
    for name, text in (("command", server.command), *((f"args.{i}", text) for i, text in enumerate(server.args))):
        if len(text) > _ARGUMENT_CHARACTERS:
            yield name, f"must have at most {_ARGUMENT_CHARACTERS} characters"
    for name, tools in (("allowedTools", server.allowed_tools), ("readOnlyTools", server.read_only_tools)):
        for index, tool in enumerate(tools):
            if not 0 < len(tool) <= _TOOL_CHARACTERS or "*" in tool[:-1]:
                yield (
                    f"{name}.{index}",
                    f"must have 1 to {_TOOL_CHARACTERS} characters, and `*` only as the last of them",
                )
    yield from _secret_problems("env", server.env)
    yield from _secret_problems("headers", server.headers)
    yield from _oauth_problems(server.oauth)


def _secret_problems(field: str, values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    # Error messages must not contain the values, which are secrets.
    if len(values) > _SECRETS:
        yield field, f"must have at most {_SECRETS} entries"
    for name, value in values.items():
        if field == "env":
            if not _VARIABLE.fullmatch(name):
                yield field, "must have names of letters, digits and `_`, with no digit in front"
            if len(value) > _VALUE_CHARACTERS:
                yield f"env.{name}", f"must have at most {_VALUE_CHARACTERS} characters"
        else:
            if not _HEADER.fullmatch(name):
                yield field, "must have names of letters, digits and -"
            elif name.lower() in _OWN_HEADERS:
                yield f"headers.{name}", "is set by EchoMind itself"
            if not _HEADER_VALUE.fullmatch(value) or len(value) > _VALUE_CHARACTERS:
                yield f"headers.{name}", f"must have at most {_VALUE_CHARACTERS} printable ASCII characters"


def _oauth_problems(values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if not values:
        return
    known = (*OAUTH_NEEDED, *OAUTH_OPTIONAL)
    if (names := values.keys()) - set(known) or not names >= set(OAUTH_NEEDED):
        yield "oauth", f"must have {', '.join(OAUTH_NEEDED)} and may have {', '.join(OAUTH_OPTIONAL)}, and nothing else"
    for name, value in values.items():
        if not _HEADER_VALUE.fullmatch(value) or len(value) > _VALUE_CHARACTERS:
            yield f"oauth.{name}", f"must have at most {_VALUE_CHARACTERS} printable ASCII characters"
    if issuer := values.get("issuer"):
        try:
            check_url(issuer)
        except (AddressRefusedError, ValueError) as error:
            yield "oauth.issuer", str(error)
            return
        if not is_safe(issuer):  # the client's secret is sent there
            yield "oauth.issuer", "must be an https address, or http on loopback"
