"""`echomind assistants`: a model, instructions and limits under one name."""

from typing import Annotated

import typer

from echomind.cli import completion
from echomind.cli.api import Api
from echomind.cli.assistants import assistant_servers
from echomind.cli.assistants.assistant_options import AssistantOptions, ConfigOptions
from echomind.cli.assistants.assistant_versions import describe_member, list_versions, restore_version, show_difference
from echomind.cli.confirmation import Yes, confirm
from echomind.cli.help_format import CommandGroup
from echomind.cli.nouns import ASSISTANTS
from echomind.cli.rendering import last_change, moment, one_line
from echomind.cli.tables import Table
from echomind.cli.terminal import NothingToChangeError
from echomind_lib.models import public

app = CommandGroup("Assistants: a chat model, instructions, tools and limits under one name.")
app.add_typer(assistant_servers.app, name="mcp")

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="Name or id of an assistant.", autocompletion=completion.assistants)
]

_TOOLS = Table(
    "AssistantService.list_assistant_tools",
    "TOOL:name MCP_SERVER CHANGES_SOMETHING:side_effect SENDS_DATA_OUT ONLY_FOR_PLANNING:for_planning DESCRIPTION::80",
    "It has no tool.",
)


@app.command("list")
async def list_assistants(api: Api) -> None:
    """List the assistants; `*` marks the default one, `>` the one that you use."""
    assistants = await ASSISTANTS.every(api.client)
    preferences = (await api.client.call(public.UserService.get_current_user)).preferences
    preferred = preferences.default_assistant_id if preferences else 0
    api.terminal.json({"assistants": assistants, "used": f"{preferred or ''}"})
    api.terminal.table(
        ("", "ID", "NAME", "DESCRIPTION", "MODEL", "MCP SERVERS", "ADDED"),
        (
            (
                ("*" if assistant.is_default else "") + (">" if assistant.id == preferred else ""),
                assistant.id,
                assistant.name if assistant.is_visible else f"{assistant.name} (hidden)",
                one_line(assistant.description, 60),
                assistant.llm_id or "default",
                len(assistant.config.mcp_servers) if assistant.config else 0,
                moment(assistant.creation_date),
            )
            for assistant in assistants
        ),
        empty="There is no assistant.",
    )


@app.command("show")
async def show_assistant(api: Api, name: Name) -> None:
    """Show an assistant."""
    assistant = await ASSISTANTS.find(api, name)
    api.terminal.json(assistant)
    api.terminal.fields(
        (
            ("Assistant", f"{assistant.name} (id {assistant.id})"),
            ("Description", assistant.description),
            ("Model", assistant.llm_id or "the default one"),
            ("Default", "yes" if assistant.is_default else ""),
            ("Visible", _audience(assistant)),
            ("Instructions", assistant.system_prompt),
            ("Question template", assistant.task_prompt),
            *(("Conversation starter", text) for text in assistant.starter_messages),
            *(("Member", describe_member(each.name, each.version, each.role)) for each in assistant.members),
            ("Team mode", _team_mode(assistant)),
            *_config_fields(assistant.config),
            ("Added", moment(assistant.creation_date)),
            ("Changed", last_change(assistant)),
            ("Version", assistant.version or ""),
        )
    )


def _audience(assistant: "public.Assistant") -> str:
    if not assistant.is_visible:
        return "no"
    return f"to {', '.join(assistant.groups)}" if assistant.groups else "yes"


@app.command("use")
async def use_assistant(
    api: Api,
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="Name or id of an assistant.",
            autocompletion=completion.assistants,
            show_default="the default one",
        ),
    ] = "",
) -> None:
    """Choose the assistant of your new sessions."""
    assistant = await ASSISTANTS.find(api, name) if name else None
    user = await api.client.call(public.UserService.get_current_user)
    preferences = (user.preferences or public.Preferences()).model_copy(
        update={"default_assistant_id": assistant.id if assistant else 0}
    )
    await api.client.call(public.UserService.update_current_user, {"user": {"preferences": preferences}})
    api.terminal.report(
        {"id": str(assistant.id) if assistant else ""},
        f"New sessions are with {assistant.name if assistant else 'the default assistant'}.",
    )


@app.command("tools")
async def list_tools(api: Api, name: Name) -> None:
    """List the tools that an assistant can call now.

    The exit code is 1 if an MCP server is unavailable or a tool is missing.
    """
    assistant = await ASSISTANTS.find(api, name)
    answer = await api.client.call(public.AssistantService.list_assistant_tools, {"id": assistant.id})
    api.terminal.json(answer)
    _TOOLS.write_rows(api.terminal, (tool for tool in answer.tools if not tool.error))
    for tool in answer.tools:
        if tool.error:
            api.terminal.note(tool.error)
            api.terminal.status = 1
    away = {tool.mcp_server for tool in answer.tools if tool.error}
    for server in answer.servers:
        if server.last_error and server.server not in away:
            api.terminal.note(f"Last error of {server.server}, {moment(server.failed_at)}: {server.last_error}")


@app.command("add")
async def add_assistant(
    api: Api,
    name: Annotated[str, typer.Argument(help="Name of the assistant.")],
    options: AssistantOptions = AssistantOptions(),  # noqa: B008 - frozen
    config_options: ConfigOptions = ConfigOptions(),  # noqa: B008 - frozen
) -> None:
    """Add an assistant."""
    new = {"name": name, "is_visible": True, "config": config_options.given_fields()} | await options.fields(api)
    created = await api.client.call(public.AssistantService.create_assistant, {"assistant": new})
    api.terminal.report(created, f"Added {created.name} (id {created.id}).")


@app.command("update")
async def update_assistant(
    api: Api,
    name: Name,
    new_name: Annotated[str | None, typer.Option("--name", help="New name.")] = None,
    options: AssistantOptions = AssistantOptions(),  # noqa: B008 - frozen
    config_options: ConfigOptions = ConfigOptions(),  # noqa: B008 - frozen
) -> None:
    """Change an assistant; options that are not given stay unchanged.

    A repeatable option replaces all of its values; a single `""` removes them.
    """
    change = await options.fields(api) | ({} if new_name is None else {"name": new_name})
    config = config_options.given_fields()
    assistant = await ASSISTANTS.find(api, name)
    if config:
        change["config"] = (assistant.config or public.AssistantConfig()).model_copy(update=config)
    if not change:
        raise NothingToChangeError("Say what to change, for example --model or --max-steps.")
    changed = await api.client.call(public.AssistantService.update_assistant, {"id": assistant.id, "assistant": change})
    api.terminal.report(changed, f"Changed {changed.name} (id {changed.id}).")


@app.command("duplicate")
async def duplicate_assistant(
    api: Api, name: Name, new_name: Annotated[str, typer.Argument(help="Name of the copy.")]
) -> None:
    """Add a hidden copy of an assistant, with the secrets of its MCP servers."""
    assistant = await ASSISTANTS.find(api, name)
    copy = await api.client.call(public.AssistantService.duplicate_assistant, {"id": assistant.id, "name": new_name})
    api.terminal.report(copy, f"Added {copy.name} (id {copy.id}), hidden from others.")


@app.command("remove")
async def remove_assistant(api: Api, name: Name, yes: Yes = False) -> None:
    """Remove an assistant; its sessions stay readable."""
    assistant = await ASSISTANTS.find(api, name)
    await confirm(api.terminal, f"Remove the assistant {assistant.name}", yes=yes)
    await api.client.call(public.AssistantService.delete_assistant, {"id": assistant.id})
    api.terminal.report({"id": str(assistant.id), "name": assistant.name}, f"Removed {assistant.name}.")


app.command("versions")(list_versions)
app.command("diff")(show_difference)
app.command("restore")(restore_version)


def _config_fields(config: "public.AssistantConfig | None") -> list[tuple[str, object]]:
    """Returns the config for display; defaults are empty."""
    if config is None:
        return []
    return [
        ("Tools", ", ".join(config.tools)),
        ("Tools that need approval", ", ".join(config.approval_tools)),
        ("Max steps", config.max_steps or ""),
        ("Max seconds", config.timeout_seconds or ""),
        ("Max tokens", config.max_run_tokens or ""),
        ("Max cost in US dollars", config.max_cost or ""),
        ("Depth of sub-agents", config.max_depth),
        ("Asks clarifying questions", "yes" if config.ask_clarifications else "no"),
        ("Of parallel calls it waits for", config.wait_strategy.word.replace("unspecified", "")),
        ("Uses the earlier conversation", _yes_or_no(config.add_history_to_context)),
        ("Max earlier questions in a prompt", config.num_history_runs or ""),
        ("Summarizes after tokens", config.summarize_after_tokens or ""),
        ("MCP servers", ", ".join(server.name for server in config.mcp_servers)),
    ]


def _team_mode(assistant: "public.Assistant") -> str:
    if not assistant.members:
        return ""
    word = assistant.config.team_mode.word if assistant.config else ""
    return "coordinate" if word in ("", "unspecified") else word


def _yes_or_no(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"
