"""`echomind assistants mcp`: servers of the Model Context Protocol, whose tools an assistant calls."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.find import find
from echomind.cli.help_format import CommandGroup
from echomind.cli.nouns import ASSISTANTS
from echomind.cli.rendering import plain
from echomind.cli.terminal import CommandError
from echomind_lib.models import public

app = CommandGroup("MCP servers of an assistant, whose tools it can call.")

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="Name or id of an assistant.", autocompletion=completion.assistants)
]


@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    """Options of an MCP server: how it is reached and which tools may be called."""

    address: Annotated[str, typer.Option(help="URL of the server, for streamable HTTP.")] = ""
    command: Annotated[str, typer.Option(help="Program to start, for stdio.")] = ""
    args: Annotated[list[str] | None, typer.Option("--arg", help="Argument of the program; repeatable.")] = None
    env: Annotated[
        list[str] | None,
        typer.Option(
            "--env",
            metavar="NAME[=VALUE]",
            help="Environment variable of the program; repeatable. NAME alone takes the value from this command's "
            "environment.",
        ),
    ] = None
    headers: Annotated[
        list[str] | None,
        typer.Option(
            "--header",
            metavar="NAME[=VALUE]",
            help="HTTP header of every request; repeatable. NAME alone takes the value from the environment variable "
            "of this name in capitals, with _ for -.",
        ),
    ] = None
    oauth: Annotated[
        list[str] | None,
        typer.Option(
            "--oauth",
            metavar="NAME=VALUE",
            help="How EchoMind signs in at the server: issuer, clientId, clientSecret, scope; repeatable.",
        ),
    ] = None
    allow: Annotated[
        list[str] | None,
        typer.Option("--allow", help="Tool that may be called; repeatable, `*` ends a prefix.", show_default="none"),
    ] = None
    read_only: Annotated[list[str] | None, typer.Option("--read-only", help="Tool that only reads; repeatable.")] = None
    trust_read_only_hints: Annotated[
        bool, typer.Option("--trust-read-only-hints", help="Trust the server's read-only hints.")
    ] = False
    trusted_destination: Annotated[
        bool,
        typer.Option(
            "--trusted-destination",
            help="Let runs that have read untrusted text send data to its read-only tools without approval.",
        ),
    ] = False
    untrusted_descriptions: Annotated[
        bool,
        typer.Option(
            "--untrusted-descriptions",
            help="Distrust what it says about its tools: changes need approval from the first question on.",
        ),
    ] = False
    timeout: Annotated[int, typer.Option(help="Max seconds of a call.", min=0, max=3600, show_default="60")] = 0

    def server(self, name: str) -> "public.McpServer":
        """Returns the server as the contract has it.

        Raises:
            CommandError: It has no address and no program, or both, or a secret has no value.
        """
        if bool(self.address) == bool(self.command):
            raise CommandError("Give the URL of a server with --address, or a program with --command.")
        return public.McpServer(
            name=name,
            transport=public.McpTransport.STREAMABLE_HTTP if self.address else public.McpTransport.STDIO,
            url=self.address,
            command=self.command,
            args=self.args or [],
            env=dict(_pair(text, "--env") for text in self.env or ()),
            headers=dict(_pair(text, "--header") for text in self.headers or ()),
            oauth=dict(_pair(text, "--oauth") for text in self.oauth or ()),
            allowed_tools=self.allow or [],
            read_only_tools=self.read_only or [],
            trust_read_only_hints=self.trust_read_only_hints,
            trusted_destination=self.trusted_destination,
            untrusted_descriptions=self.untrusted_descriptions,
            timeout_seconds=self.timeout,
        )


@app.command("list")
async def list_servers(api: Api, name: Name) -> None:
    """List an assistant's MCP servers. Secrets are never shown."""
    assistant = await ASSISTANTS.find(api, name)
    servers = assistant.config.mcp_servers if assistant.config else []
    api.terminal.json({"mcpServers": servers})
    api.terminal.table(
        ("NAME", "REACHED BY", "SECRETS", "ALLOWED TOOLS", "TRUSTED"),
        (
            (
                server.name,
                server.url or " ".join([server.command, *server.args]),
                ", ".join([*server.env, *server.headers, *server.oauth]),
                ", ".join(server.allowed_tools) or "none",
                ", ".join(_trust(server)),
            )
            for server in servers
        ),
        empty=f"{assistant.name} has no MCP server.",
    )


@app.command("add")
async def add_server(
    api: Api,
    name: Name,
    server: Annotated[str, typer.Argument(help="Name of the server: lower-case letters, digits, - and _.")],
    options: ServerOptions = ServerOptions(),
) -> None:
    """Add an MCP server.

    `echomind assistants tools NAME` then shows whether it answers.
    """
    added = options.server(server)
    assistant = await ASSISTANTS.find(api, name)
    config = assistant.config or public.AssistantConfig()
    if any(known.name == server for known in config.mcp_servers):
        raise CommandError(f"{assistant.name} has an MCP server {server} already: remove it first.")
    await _save(api, assistant, config.model_copy(update={"mcp_servers": [*config.mcp_servers, added]}))
    if api.terminal.as_json:
        hidden = {name: dict.fromkeys(getattr(added, name), "") for name in ("env", "headers", "oauth")}
        api.terminal.json(plain(added.model_copy(update=hidden)))
    api.terminal.line(f"Added {server} to {assistant.name}.")
    if not options.allow:
        api.terminal.note("No tool may be called yet: allow some with --allow.")


@app.command("remove")
async def remove_server(
    api: Api, name: Name, server: Annotated[str, typer.Argument(help="Name of the server.")], yes: Yes = False
) -> None:
    """Remove an MCP server from an assistant."""
    assistant = await ASSISTANTS.find(api, name)
    config = assistant.config or public.AssistantConfig()
    removed = find(config.mcp_servers, server, "MCP server")
    await confirm(api.terminal, f"Remove the MCP server {removed.name} with its secrets", yes=yes)
    left = [known for known in config.mcp_servers if known is not removed]
    await _save(api, assistant, config.model_copy(update={"mcp_servers": left}))
    api.terminal.report({"name": removed.name}, f"Removed {removed.name} from {assistant.name}.")


async def _save(api: Api, assistant: "public.Assistant", config: "public.AssistantConfig") -> None:
    # Empty secrets in the request keep the stored ones.
    change = {"id": assistant.id, "assistant": {"config": config}}
    await api.client.call(public.AssistantService.update_assistant, change)


def _pair(text: str, option: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        variable = name if option == "--env" else name.upper().replace("-", "_")
        value = os.environ.get(variable, "")
        if not value:
            raise CommandError(f"{option} {name} has no value, and the environment has no {variable}.")
    if not value:
        raise CommandError(f"{option} {name} has an empty value.")
    return name, value


def _trust(server: "public.McpServer") -> Iterator[str]:
    if server.trust_read_only_hints:
        yield "its read-only hints"
    if server.trusted_destination:
        yield "with data"
    if server.untrusted_descriptions:
        yield "not its descriptions"
