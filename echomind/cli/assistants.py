"""`echomind assistants`: a model, instructions and limits under one name."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from echomind.cli import assistant_servers
from echomind.cli.api import Api, api_command, command_group
from echomind.cli.find import find
from echomind.cli.rendering import moment, one_line, plain
from echomind.cli.terminal import CommandError

if TYPE_CHECKING:
    from echomind_lib.models.public import AssistantConfig

app = command_group("Assistants: list, show, use, add, change, remove; their tools and MCP servers.")
app.add_typer(assistant_servers.app, name="mcp")

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name or id of an assistant.")]


class Wait(StrEnum):
    """Which results a step with several calls waits for."""

    ALL = "all"
    ANY = "any"
    MAJORITY = "majority"


Description = Annotated[str | None, typer.Option(help="What it is for.", show_default=False)]
Model = Annotated[
    str | None, typer.Option(help="Name or id of its chat model; empty: the default one.", show_default=False)
]
SystemPrompt = Annotated[str | None, typer.Option(help="Instructions before every conversation.", show_default=False)]
TaskPrompt = Annotated[
    str | None, typer.Option(help="Template of a question, with {query} and {context}.", show_default=False)
]
Starters = Annotated[
    list[str] | None, typer.Option("--starter", help="A question to begin with; repeatable.", show_default=False)
]
Visible = Annotated[bool | None, typer.Option("--visible/--hidden", help="Whether people see it.", show_default=False)]
Priority = Annotated[int | None, typer.Option(help="Place in lists: lower comes first.", show_default=False)]
Tools = Annotated[
    list[str] | None, typer.Option("--tool", help="A built-in tool; repeatable. None: all.", show_default=False)
]
ApprovalTools = Annotated[
    list[str] | None,
    typer.Option("--approve", help="A tool that waits for a person's approval; repeatable.", show_default=False),
]
MaxSteps = Annotated[int | None, typer.Option(help="Most steps of a run.", min=0, max=1000, show_default=False)]
Timeout = Annotated[int | None, typer.Option(help="Most seconds of a run.", min=0, max=86_400, show_default=False)]
MaxTokens = Annotated[int | None, typer.Option(help="Most tokens of a run.", min=0, show_default=False)]
MaxCost = Annotated[float | None, typer.Option(help="Most US dollars of a run.", min=0, show_default=False)]
MaxDepth = Annotated[
    int | None, typer.Option(help="How deep sub-agents may be nested.", min=0, max=10, show_default=False)
]
Ask = Annotated[
    bool | None,
    typer.Option("--ask-clarifications/--no-clarifications", help="Whether it may ask back.", show_default=False),
]
WaitFor = Annotated[Wait | None, typer.Option("--wait", help="Results that several calls wait for.")]
History = Annotated[bool | None, typer.Option("--history/--no-history", help="Whether it knows what was said before.")]
HistoryRuns = Annotated[int | None, typer.Option(help="Most earlier runs in a prompt.", min=0, max=100)]
CompressAfter = Annotated[int | None, typer.Option(help="Earlier tokens that are kept before summarizing.", min=0)]


@app.command("list")
@api_command
async def list_assistants(api: Api) -> None:
    """List the assistants; `*` marks the default one."""
    assistants = await assistant_servers.list_all(api)
    if api.terminal.as_json:
        api.terminal.json({"assistants": [plain(assistant) for assistant in assistants]})
    api.terminal.table(
        ("", "ID", "NAME", "DESCRIPTION", "MODEL", "MCP SERVERS", "ADDED"),
        (
            (
                "*" if assistant.is_default else "",
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
@api_command
async def show_assistant(api: Api, name: Name) -> None:
    """Show an assistant."""
    assistant = await assistant_servers.find_assistant(api, name)
    if api.terminal.as_json:
        api.terminal.json(plain(assistant))
    api.terminal.fields(
        (
            ("Assistant", f"{assistant.name} (id {assistant.id})"),
            ("Description", assistant.description),
            ("Model", assistant.llm_id or "the default one"),
            ("Default", "yes" if assistant.is_default else ""),
            ("Visible", "yes" if assistant.is_visible else "no"),
            ("Instructions", assistant.system_prompt),
            ("Template", assistant.task_prompt),
            *(("Begin with", text) for text in assistant.starter_messages),
            *_config_fields(assistant.config),
            ("Added", moment(assistant.creation_date)),
        )
    )


@app.command("use")
@api_command
async def use_assistant(
    api: Api,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Name or id of an assistant.", show_default="the default one")
    ] = "",
) -> None:
    """Choose the assistant of your new conversations."""
    from echomind_lib.access.names import DEFAULT_ASSISTANT
    from echomind_lib.models.public import User

    assistant = await assistant_servers.find_assistant(api, name) if name else None
    user = await api.client.call("GET", "/users/me", User)
    others = {key: value for key, value in (user.preferences or {}).items() if key != DEFAULT_ASSISTANT}
    preferences = others | ({DEFAULT_ASSISTANT: assistant.id} if assistant else {})
    await api.client.call("PATCH", "/users/me", User, body={"preferences": preferences})
    if api.terminal.as_json:
        api.terminal.json({"id": assistant.id if assistant else 0})
    api.terminal.line(f"New conversations are with {assistant.name if assistant else 'the default assistant'}.")


@app.command("tools")
@api_command
async def list_tools(api: Api, name: Name) -> None:
    """List the tools that an assistant can call now; exit code 1 when an MCP server is away or a tool is missing."""
    from echomind_lib.models.public import ListAssistantToolsResponse

    assistant = await assistant_servers.find_assistant(api, name)
    answer = await api.client.call("GET", f"/assistants/{assistant.id}/tools", ListAssistantToolsResponse)
    if api.terminal.as_json:
        api.terminal.json(plain(answer))
    api.terminal.table(
        ("TOOL", "MCP SERVER", "CHANGES SOMETHING", "SENDS DATA OUT", "ONLY FOR PLANNING", "DESCRIPTION"),
        (
            (
                tool.name,
                tool.mcp_server,
                "yes" if tool.side_effect else "",
                "yes" if tool.sends_data_out else "",
                "yes" if tool.for_planning else "",
                one_line(tool.description, 80),
            )
            for tool in answer.tools
            if not tool.error
        ),
        empty="It has no tool.",
    )
    for tool in answer.tools:
        if tool.error:
            api.terminal.note(tool.error)
            api.terminal.status = 1


@app.command("add")
@api_command
async def add_assistant(
    api: Api,
    name: Annotated[str, typer.Argument(help="Its name.")],
    description: Description = None,
    model: Model = None,
    system_prompt: SystemPrompt = None,
    task_prompt: TaskPrompt = None,
    starters: Starters = None,
    visible: Visible = True,
    priority: Priority = None,
    default: Annotated[bool, typer.Option("--default", help="What people get who choose none.")] = False,
    tools: Tools = None,
    approval_tools: ApprovalTools = None,
    max_steps: MaxSteps = None,
    timeout: Timeout = None,  # noqa: ASYNC109 - of a run
    max_tokens: MaxTokens = None,
    max_cost: MaxCost = None,
    max_depth: MaxDepth = None,
    ask: Ask = None,
    wait: WaitFor = None,
    history: History = None,
    history_runs: HistoryRuns = None,
    compress_after: CompressAfter = None,
) -> None:
    """Add an assistant."""
    from echomind_lib.models.public import Assistant

    config = _config(
        tools, approval_tools, max_steps, timeout, max_tokens, max_cost, max_depth, ask, wait, history, history_runs,
        compress_after,
    )  # fmt: skip
    fields = await _fields(api, description, model, system_prompt, task_prompt, starters, visible, priority)
    body = Assistant.model_validate({"name": name, "isDefault": default, "config": config, **fields})
    created = await api.client.call("POST", "/assistants", Assistant, body=body)
    if api.terminal.as_json:
        api.terminal.json(plain(created))
    api.terminal.line(f"Added {created.name} (id {created.id}).")


@app.command("update")
@api_command
async def update_assistant(
    api: Api,
    name: Name,
    new_name: Annotated[str | None, typer.Option("--name", help="Another name.", show_default=False)] = None,
    description: Description = None,
    model: Model = None,
    system_prompt: SystemPrompt = None,
    task_prompt: TaskPrompt = None,
    starters: Starters = None,
    visible: Visible = None,
    priority: Priority = None,
    default: Annotated[bool, typer.Option("--default", help="What people get who choose none.")] = False,
    tools: Tools = None,
    approval_tools: ApprovalTools = None,
    max_steps: MaxSteps = None,
    timeout: Timeout = None,  # noqa: ASYNC109 - of a run
    max_tokens: MaxTokens = None,
    max_cost: MaxCost = None,
    max_depth: MaxDepth = None,
    ask: Ask = None,
    wait: WaitFor = None,
    history: History = None,
    history_runs: HistoryRuns = None,
    compress_after: CompressAfter = None,
) -> None:
    """Change what is given of an assistant; a repeatable option replaces all of its kind, `""` alone empties it."""
    from echomind_lib.models.public import Assistant

    config = _config(
        tools, approval_tools, max_steps, timeout, max_tokens, max_cost, max_depth, ask, wait, history, history_runs,
        compress_after,
    )  # fmt: skip
    change = await _fields(api, description, model, system_prompt, task_prompt, starters, visible, priority)
    if new_name is not None:
        change["name"] = new_name
    if default:
        change["isDefault"] = True
    assistant = await assistant_servers.find_assistant(api, name)
    if config:
        change["config"] = (plain(assistant.config) if assistant.config else {}) | config
    if not change:
        raise CommandError("Say what to change, for example --model or --max-steps.")
    changed = await api.client.call("PATCH", f"/assistants/{assistant.id}", Assistant, body=change)
    if api.terminal.as_json:
        api.terminal.json(plain(changed))
    api.terminal.line(f"Changed {changed.name} (id {changed.id}).")


@app.command("remove")
@api_command
async def remove_assistant(
    api: Api,
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Remove an assistant; its sessions stay readable."""
    assistant = await assistant_servers.find_assistant(api, name)
    if not yes:
        typer.confirm(f"Remove {assistant.name}?", abort=True, err=True)
    await api.client.delete(f"/assistants/{assistant.id}")
    if api.terminal.as_json:
        api.terminal.json({"id": assistant.id, "name": assistant.name})
    api.terminal.line(f"Removed {assistant.name}.")


def _config_fields(config: "AssistantConfig | None") -> list[tuple[str, object]]:
    """What the config says, for people; what is left to EchoMind is empty."""
    if config is None:
        return []
    return [
        ("Tools", ", ".join(config.tools)),
        ("Tools that need approval", ", ".join(config.approval_tools)),
        ("Most steps", config.max_steps or ""),
        ("Most seconds", config.timeout_seconds or ""),
        ("Most tokens", config.max_run_tokens or ""),
        ("Most US dollars", config.max_cost or ""),
        ("Depth of sub-agents", config.max_depth),
        ("Asks back", "yes" if config.ask_clarifications else "no"),
        ("Waits for", config.wait_strategy.word.replace("unspecified", "")),
        ("Knows what was said before", _yes_or_no(config.add_history_to_context)),
        ("Earlier runs in a prompt", config.num_history_runs or ""),
        ("Summarizes after tokens", config.compress_after_tokens or ""),
        ("MCP servers", ", ".join(server.name for server in config.mcp_servers)),
    ]


def _yes_or_no(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"


async def _fields(
    api: Api,
    description: str | None,
    model: str | None,
    system_prompt: str | None,
    task_prompt: str | None,
    starters: list[str] | None,
    visible: bool | None,
    priority: int | None,
) -> dict[str, Any]:
    """What was given, by its JSON names."""
    llm_id = None
    if model is not None:
        llm_id = (await _llm_id(api, model)) if model else 0
    fields = {
        "description": description,
        "llmId": llm_id,
        "systemPrompt": system_prompt,
        "taskPrompt": task_prompt,
        "starterMessages": _several(starters),
        "isVisible": visible,
        "displayPriority": priority,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _config(
    tools: list[str] | None,
    approval_tools: list[str] | None,
    max_steps: int | None,
    timeout: int | None,
    max_tokens: int | None,
    max_cost: float | None,
    max_depth: int | None,
    ask: bool | None,
    wait: Wait | None,
    history: bool | None,
    history_runs: int | None,
    compress_after: int | None,
) -> dict[str, Any]:
    """What was given of the config, by its JSON names."""
    fields = {
        "tools": _several(tools),
        "approvalTools": _several(approval_tools),
        "maxSteps": max_steps,
        "timeoutSeconds": timeout,
        "maxRunTokens": max_tokens,
        "maxCost": max_cost,
        "maxDepth": max_depth,
        "askClarifications": ask,
        "waitStrategy": f"WAIT_STRATEGY_{wait.upper()}" if wait else None,
        "addHistoryToContext": history,
        "numHistoryRuns": history_runs,
        "compressAfterTokens": compress_after,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _several(values: list[str] | None) -> list[str] | None:
    """Repeated options; None when none was given, which typer gives as an empty list too."""
    return [value for value in values if value] if values else None


async def _llm_id(api: Api, reference: str) -> int:
    from echomind_lib.models.public import ListLlmsResponse

    llms = (await api.client.collect("/llms", ListLlmsResponse, 10_000)).llms
    return int(find(llms, reference, "chat model").id)
