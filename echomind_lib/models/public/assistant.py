"""

Generated from echomind/public/v1/assistant.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import PatchModel, ProtoEnum, ProtoModel
from echomind_lib.contract import rules as _r
from echomind_lib.contract import types as _t
from echomind_lib.models.public.step import WaitStrategy
from echomind_lib.pb.echomind.public.v1 import assistant_pb2 as pb


class McpTransport(ProtoEnum):
    """Transport of an MCP server."""

    UNSPECIFIED = "MCP_TRANSPORT_UNSPECIFIED", 0
    """Unspecified."""
    STDIO = "MCP_TRANSPORT_STDIO", 1
    """A program that the agent starts and communicates with over standard input and output."""
    STREAMABLE_HTTP = "MCP_TRANSPORT_STREAMABLE_HTTP", 2
    """A server at a URL, over streamable HTTP."""


class TeamMode(ProtoEnum):
    """How an assistant works with its members."""

    UNSPECIFIED = "TEAM_MODE_UNSPECIFIED", 0
    """Unspecified; counts as coordinate."""
    COORDINATE = "TEAM_MODE_COORDINATE", 1
    """The leader delegates tasks to members, several in parallel if it chooses, and writes the answer."""
    ROUTE = "TEAM_MODE_ROUTE", 2
    """The leader chooses one member, whose answer is the answer."""
    COLLABORATE = "TEAM_MODE_COLLABORATE", 3
    """Every member works on the task, and the leader writes the answer."""


class McpServer(ProtoModel):
    """A server of the Model Context Protocol, whose tools an assistant may call."""

    __proto__: ClassVar = pb.McpServer
    __enums__: ClassVar = {
        "transport": McpTransport,
    }

    name: Annotated[str, Field(pattern="^[a-z][a-z0-9_-]{0,31}$"), _r.NAME] = Field(
        description="Unique among the assistant's servers; its tools are named `{name}__{tool}`."
    )
    transport: Annotated[McpTransport, _r.none_of(McpTransport.UNSPECIFIED)] = Field(description="How it is reached.")
    command: Annotated[str, Field(max_length=4096)] = Field(default="", description="For stdio: the program to start.")
    args: Annotated[list[str], Field(max_length=100)] = Field(
        default_factory=list, description="For stdio: its arguments."
    )
    env: dict[str, str] = Field(
        default_factory=dict,
        description="For stdio: environment variables beside a minimal environment. Write-only: reading returns empty values, and an empty value keeps the stored one as long as `command` and `args` do not change.",
    )
    url: Annotated[str, Field(max_length=2048)] = Field(
        default="", description="For streamable HTTP: the URL. Link-local and metadata addresses are refused."
    )
    headers: dict[str, str] = Field(
        default_factory=dict,
        description="For streamable HTTP: headers of every request. Write-only, as `env`: an empty value keeps the stored one as long as the scheme, host and port of `url` do not change.",
    )
    allowed_tools: Annotated[list[str], Field(max_length=1000)] = Field(
        default_factory=list,
        description="Names of the tools that may be called; a `*` at the end of a name matches any suffix. Empty means none.",
    )
    read_only_tools: Annotated[list[str], Field(max_length=1000)] = Field(
        default_factory=list,
        description="Those of the allowed tools that have no side effects, in the same notation. All others count as having side effects.",
    )
    timeout_seconds: Annotated[_t.Int32, Field(le=3600, ge=0)] = Field(
        default=0, description="Timeout of one call in seconds; 0 means 60."
    )
    trust_read_only_hints: bool = Field(
        default=False,
        description="Whether to trust the server's annotation that a tool is read-only (`readOnlyHint`). The operator of the server decides what it says, so set this only for servers that you trust.",
    )
    trusted_destination: bool = Field(
        default=False,
        description="Whether a run that has read untrusted text may send data to the server's read-only tools without approval. Untrusted text can make a model send what it knows to a tool, so set this only for servers that may receive that data.",
    )
    untrusted_descriptions: bool = Field(
        default=False,
        description="Whether what the server says about its tools, their descriptions and parameters, is untrusted text. Then a run that has one of its tools needs approval for tools with side effects from the beginning, and not only after a tool's first result. Set it for servers whose operator should not be able to instruct the assistant.",
    )
    oauth: dict[str, str] = Field(
        default_factory=dict,
        description="For streamable HTTP: how EchoMind signs in, if the server asks for an access token by OAuth. It is a client of the organization (client credentials) with the entries `issuer` (the URL of the authorization server), `clientId`, `clientSecret` and, where the server's own demand is not enough, `scope`. Tokens are fetched for this server alone (its URL is the `resource`), kept in memory and renewed. Write-only, as `headers`.",
    )

    @classmethod
    def read_pb(cls, message: pb.McpServer) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "name": message.name,
            "transport": McpTransport.numbers.get(message.transport, message.transport),
            "command": message.command,
            "args": list(message.args),
            "env": dict(message.env),
            "url": message.url,
            "headers": dict(message.headers),
            "allowed_tools": list(message.allowed_tools),
            "read_only_tools": list(message.read_only_tools),
            "timeout_seconds": message.timeout_seconds,
            "trust_read_only_hints": message.trust_read_only_hints,
            "trusted_destination": message.trusted_destination,
            "untrusted_descriptions": message.untrusted_descriptions,
            "oauth": dict(message.oauth),
        }
        return data

    def to_pb(self) -> pb.McpServer:
        """Makes a protobuf message."""
        return pb.McpServer(
            name=self.name,
            transport=self.transport.number,
            command=self.command,
            args=self.args,
            env=self.env,
            url=self.url,
            headers=self.headers,
            allowed_tools=self.allowed_tools,
            read_only_tools=self.read_only_tools,
            timeout_seconds=self.timeout_seconds,
            trust_read_only_hints=self.trust_read_only_hints,
            trusted_destination=self.trusted_destination,
            untrusted_descriptions=self.untrusted_descriptions,
            oauth=self.oauth,
        )


class AssistantMember(ProtoModel):
    """A member of a team: an assistant that works for another assistant."""

    __proto__: ClassVar = pb.AssistantMember

    assistant_id: Annotated[_t.Int32, Field(gt=0)] = Field(
        description="ID of the member assistant. It may be hidden, and may have members itself, up to 10 levels in total. Cycles are refused."
    )
    role: Annotated[str, Field(max_length=2000)] = Field(
        default="",
        description="Its role in the team, by which the leader chooses it. Empty means the assistant's description.",
    )
    version: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0,
        description="The version that is used, with its instructions, model, tools and limits; 0 means the latest.",
    )
    name: str = Field(default="", description="Its name; set by the server.")

    @classmethod
    def read_pb(cls, message: pb.AssistantMember) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "assistant_id": message.assistant_id,
            "role": message.role,
            "version": message.version,
            "name": message.name,
        }
        return data

    def to_pb(self) -> pb.AssistantMember:
        """Makes a protobuf message."""
        return pb.AssistantMember(
            assistant_id=self.assistant_id,
            role=self.role,
            version=self.version,
            name=self.name,
        )


class AssistantConfig(ProtoModel):
    """Configuration of an assistant."""

    __proto__: ClassVar = pb.AssistantConfig
    __enums__: ClassVar = {
        "wait_strategy": WaitStrategy,
        "team_mode": TeamMode,
    }

    tools: Annotated[list[str], Field(max_length=100), _r.UNIQUE] = Field(
        default_factory=list,
        description="Names of the built-in tools that it may call, and of the planning tools `write_todos`, `update_todo`, `spawn_sub_agent` and `call_in_parallel`; an autonomous run always has `finish_goal`. Empty means all tools for answering, and in autonomous runs and sub-agents also the planning tools; for an assistant with members it means only `delegate_task`, which such an assistant always has. Tools of MCP servers are selected by the server's `allowed_tools`. An unknown name is VALIDATION_FAILED.",
    )
    add_history_to_context: bool | None = Field(
        default=None, description="Whether the prompt includes earlier runs of the session; unset means yes."
    )
    num_history_runs: Annotated[_t.Int32, Field(le=100, ge=0)] = Field(
        default=0, description="Number of earlier runs in the prompt; 0 means 5."
    )
    max_steps: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Maximum number of steps of a run including its sub-runs; 0 means 20, for a team 60."
    )
    timeout_seconds: Annotated[_t.Int32, Field(le=86400, ge=0)] = Field(
        default=0,
        description="Maximum seconds of a run including its sub-runs, without time spent waiting for people; 0 means 300, for a team 900.",
    )
    max_run_tokens: Annotated[_t.Int64, Field(ge=0)] = Field(
        default=0, description="Maximum tokens of a run, prompt and completion together; 0 means no limit."
    )
    max_cost: Annotated[_t.Float, Field(ge=0.0)] = Field(
        default=0.0, description="Maximum cost of a run in US dollars; 0 means no limit."
    )
    max_depth: Annotated[_t.Int32, Field(le=10, ge=0)] | None = Field(
        default=None, description="Maximum nesting depth of sub-agents; unset means 2, 0 means no sub-agents."
    )
    ask_clarifications: bool = Field(default=False, description="Whether it may ask clarifying questions.")
    approval_tools: Annotated[list[str], Field(max_length=100), _r.UNIQUE] = Field(
        default_factory=list,
        description="Tools that require a person's approval, in addition to calls that the rules on untrusted text hold back; tools of MCP servers as `{server}__{tool}`. A name that no tool and no server has is VALIDATION_FAILED.",
    )
    wait_strategy: WaitStrategy = Field(
        default=WaitStrategy.UNSPECIFIED,
        description="Which results a step with several calls waits for, unless the model chooses; unset means all.",
    )
    summarize_after_tokens: Annotated[_t.Int32, Field(le=10000000, ge=0)] = Field(
        default=0, description="Earlier messages are summarized when they exceed this number of tokens; 0 means 8000."
    )
    mcp_servers: Annotated[list[McpServer], Field(max_length=20)] = Field(
        default_factory=list, description="Servers of the Model Context Protocol."
    )
    team_mode: TeamMode = Field(
        default=TeamMode.UNSPECIFIED, description="How it works with its members, if it has any."
    )

    @classmethod
    def read_pb(cls, message: pb.AssistantConfig) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "tools": list(message.tools),
            "num_history_runs": message.num_history_runs,
            "max_steps": message.max_steps,
            "timeout_seconds": message.timeout_seconds,
            "max_run_tokens": message.max_run_tokens,
            "max_cost": message.max_cost,
            "ask_clarifications": message.ask_clarifications,
            "approval_tools": list(message.approval_tools),
            "wait_strategy": WaitStrategy.numbers.get(message.wait_strategy, message.wait_strategy),
            "summarize_after_tokens": message.summarize_after_tokens,
            "mcp_servers": [McpServer.read_pb(each) for each in message.mcp_servers],
            "team_mode": TeamMode.numbers.get(message.team_mode, message.team_mode),
        }
        if message.HasField("add_history_to_context"):
            data["add_history_to_context"] = message.add_history_to_context
        if message.HasField("max_depth"):
            data["max_depth"] = message.max_depth
        return data

    def to_pb(self) -> pb.AssistantConfig:
        """Makes a protobuf message."""
        return pb.AssistantConfig(
            tools=self.tools,
            add_history_to_context=self.add_history_to_context,
            num_history_runs=self.num_history_runs,
            max_steps=self.max_steps,
            timeout_seconds=self.timeout_seconds,
            max_run_tokens=self.max_run_tokens,
            max_cost=self.max_cost,
            max_depth=self.max_depth,
            ask_clarifications=self.ask_clarifications,
            approval_tools=self.approval_tools,
            wait_strategy=self.wait_strategy.number,
            summarize_after_tokens=self.summarize_after_tokens,
            mcp_servers=[each.to_pb() for each in self.mcp_servers],
            team_mode=self.team_mode.number,
        )


class Assistant(ProtoModel):
    """A model, instructions and limits under a name."""

    __proto__: ClassVar = pb.Assistant

    id: _t.Int32 = Field(default=0, description="Identifier; set by the server.")
    name: Annotated[str, Field(min_length=1, max_length=255), _r.NAME] = Field(description="Unique name.")
    description: Annotated[str, Field(max_length=10000)] = Field(default="", description="Description for users.")
    llm_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="ID of its chat model; 0 means the default model."
    )
    system_prompt: Annotated[str, Field(max_length=100000)] = Field(
        default="", description="Instructions at the beginning of every prompt."
    )
    task_prompt: Annotated[str, Field(max_length=100000), _r.contains("{query}"), _r.UNLESS_ZERO] = Field(
        default="",
        description="Template of a question with the placeholders `{query}` and optionally `{context}`; empty means the question unchanged.",
    )
    starter_messages: Annotated[list[Annotated[str, Field(min_length=1, max_length=1000)]], Field(max_length=20)] = (
        Field(default_factory=list, description="Suggested first questions.")
    )
    is_default: bool = Field(default=False, description="Whether it is used by sessions that name no assistant.")
    is_visible: bool = Field(default=False, description="Whether users can see it, see `groups`.")
    display_priority: _t.Int32 = Field(default=0, description="Position in lists: lower comes first.")
    config: AssistantConfig | None = Field(default=None, description="Its configuration.")
    creation_date: _t.Timestamp | None = Field(default=None, description="Creation time; set by the server.")
    last_update: _t.Timestamp | None = Field(
        default=None, description="Time of the last change; empty if never changed."
    )
    is_draft: bool = Field(
        default=False,
        description="Whether it is a draft, see SaveAssistantDraft: drafts are in no list. Set by the server.",
    )
    draft_of_id: _t.Int32 = Field(
        default=0,
        description="ID of the assistant that it is a draft of; 0 for a draft of a new assistant and for other assistants. Set by the server.",
    )
    version: _t.Int32 = Field(
        default=0,
        description="Its newest version, see ListAssistantVersions: 1 at creation, incremented by each change; 0 for a draft. Set by the server.",
    )
    members: Annotated[list[AssistantMember], Field(max_length=20)] = Field(
        default_factory=list,
        description="Members of the team that it leads, in order; empty for an assistant without a team.",
    )
    updated_by: _t.Int32 = Field(
        default=0,
        description="ID of the person who made the last change; 0 if nobody did, and for everyone but those who manage assistants. Set by the server.",
    )
    updated_by_name: str = Field(
        default="",
        description="Their first and last name, or else the user name; empty if `updated_by` is 0. Set by the server.",
    )
    groups: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=255), _r.NAME]], Field(max_length=50), _r.UNIQUE
    ] = Field(
        default_factory=list,
        description="Names of the groups whose members see it while `is_visible` is true; empty for everyone. Not a part of its versions, and shown only to those who manage assistants.",
    )

    @classmethod
    def read_pb(cls, message: pb.Assistant) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "id": message.id,
            "name": message.name,
            "description": message.description,
            "llm_id": message.llm_id,
            "system_prompt": message.system_prompt,
            "task_prompt": message.task_prompt,
            "starter_messages": list(message.starter_messages),
            "is_default": message.is_default,
            "is_visible": message.is_visible,
            "display_priority": message.display_priority,
            "is_draft": message.is_draft,
            "draft_of_id": message.draft_of_id,
            "version": message.version,
            "members": [AssistantMember.read_pb(each) for each in message.members],
            "updated_by": message.updated_by,
            "updated_by_name": message.updated_by_name,
            "groups": list(message.groups),
        }
        if message.HasField("config"):
            data["config"] = AssistantConfig.read_pb(message.config)
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        if message.HasField("last_update"):
            data["last_update"] = message.last_update.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.Assistant:
        """Makes a protobuf message."""
        return pb.Assistant(
            id=self.id,
            name=self.name,
            description=self.description,
            llm_id=self.llm_id,
            system_prompt=self.system_prompt,
            task_prompt=self.task_prompt,
            starter_messages=self.starter_messages,
            is_default=self.is_default,
            is_visible=self.is_visible,
            display_priority=self.display_priority,
            config=None if self.config is None else self.config.to_pb(),
            creation_date=self.creation_date,
            last_update=self.last_update,
            is_draft=self.is_draft,
            draft_of_id=self.draft_of_id,
            version=self.version,
            members=[each.to_pb() for each in self.members],
            updated_by=self.updated_by,
            updated_by_name=self.updated_by_name,
            groups=self.groups,
        )


class AssistantPatch(PatchModel, Assistant):
    """New values of Assistant: what is not given stays as it is, null resets to the default."""

    name: Annotated[str, Field(min_length=1, max_length=255), _r.NAME] = Field(default="", description="Unique name.")


class AssistantVersion(ProtoModel):
    """A snapshot of an assistant after a change."""

    __proto__: ClassVar = pb.AssistantVersion

    assistant_id: _t.Int32 = Field(default=0, description="The assistant.")
    version: _t.Int32 = Field(default=0, description="Version number, starting at 1.")
    assistant: Assistant | None = Field(
        default=None, description="The complete assistant, without the secret values of its MCP servers."
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="Time of the change.")
    created_by: _t.Int32 = Field(
        default=0,
        description="ID of the user who made the change; 0 for EchoMind itself, or if the account was purged.",
    )
    created_by_name: str = Field(default="", description="Their name; empty if `created_by` is 0.")
    restored_version: _t.Int32 = Field(
        default=0, description="The version that this one restored; 0 for other changes."
    )
    changed_fields: list[str] = Field(
        default_factory=list,
        description="Fields that differ from the previous version, as in `AssistantChange.field`; empty for the first version.",
    )

    @classmethod
    def read_pb(cls, message: pb.AssistantVersion) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "assistant_id": message.assistant_id,
            "version": message.version,
            "created_by": message.created_by,
            "created_by_name": message.created_by_name,
            "restored_version": message.restored_version,
            "changed_fields": list(message.changed_fields),
        }
        if message.HasField("assistant"):
            data["assistant"] = Assistant.read_pb(message.assistant)
        if message.HasField("creation_date"):
            data["creation_date"] = message.creation_date.ToDatetime(UTC)
        return data

    def to_pb(self) -> pb.AssistantVersion:
        """Makes a protobuf message."""
        return pb.AssistantVersion(
            assistant_id=self.assistant_id,
            version=self.version,
            assistant=None if self.assistant is None else self.assistant.to_pb(),
            creation_date=self.creation_date,
            created_by=self.created_by,
            created_by_name=self.created_by_name,
            restored_version=self.restored_version,
            changed_fields=self.changed_fields,
        )


class AssistantChange(ProtoModel):
    """A field in which two versions of an assistant differ."""

    __proto__: ClassVar = pb.AssistantChange

    field: str = Field(
        default="",
        description="Its path in ProtoJSON, such as `systemPrompt`, `config.maxSteps` or `config.mcpServers.files.url`, with the name of the server in place of its position.",
    )
    before: _t.Value | None = Field(default=None, description="Its value in the earlier version; unset if it had none.")
    after: _t.Value | None = Field(default=None, description="Its value in the later version; unset if it has none.")
    is_secret: bool = Field(
        default=False,
        description="Whether it is a secret of an MCP server: secret values are returned as empty strings.",
    )

    @classmethod
    def read_pb(cls, message: pb.AssistantChange) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "field": message.field,
            "is_secret": message.is_secret,
        }
        if message.HasField("before"):
            data["before"] = _t.from_struct(message.before)
        if message.HasField("after"):
            data["after"] = _t.from_struct(message.after)
        return data

    def to_pb(self) -> pb.AssistantChange:
        """Makes a protobuf message."""
        return pb.AssistantChange(
            field=self.field,
            before=None if self.before is None else _t.to_value(self.before),
            after=None if self.after is None else _t.to_value(self.after),
            is_secret=self.is_secret,
        )


class ToolInfo(ProtoModel):
    """A tool that an assistant can call."""

    __proto__: ClassVar = pb.ToolInfo

    name: str = Field(default="", description="Its name; empty for an error.")
    description: str = Field(default="", description="Its description for the model.")
    parameters: _t.Struct | None = Field(default=None, description="Its parameters, as JSON Schema.")
    side_effect: bool = Field(default=False, description="Whether a call has side effects outside EchoMind.")
    mcp_server: str = Field(default="", description="Name of its MCP server; empty for a built-in tool.")
    error: str = Field(
        default="", description="An error, such as why the tools of a server are unavailable; empty for a tool."
    )
    for_planning: bool = Field(default=False, description="Whether only autonomous runs and sub-agents have it.")
    sends_data_out: bool = Field(
        default=False,
        description="Whether its arguments leave EchoMind: a run that has read untrusted text needs approval for the call, even if the tool is read-only.",
    )
    needs_notebook_permission: bool = Field(
        default=False,
        description="Whether its results are text from elsewhere: conversations in a notebook have it only if the notebook allows it.",
    )

    @classmethod
    def read_pb(cls, message: pb.ToolInfo) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "name": message.name,
            "description": message.description,
            "side_effect": message.side_effect,
            "mcp_server": message.mcp_server,
            "error": message.error,
            "for_planning": message.for_planning,
            "sends_data_out": message.sends_data_out,
            "needs_notebook_permission": message.needs_notebook_permission,
        }
        if message.HasField("parameters"):
            data["parameters"] = _t.from_struct(message.parameters)
        return data

    def to_pb(self) -> pb.ToolInfo:
        """Makes a protobuf message."""
        return pb.ToolInfo(
            name=self.name,
            description=self.description,
            parameters=self.parameters,
            side_effect=self.side_effect,
            mcp_server=self.mcp_server,
            error=self.error,
            for_planning=self.for_planning,
            sends_data_out=self.sends_data_out,
            needs_notebook_permission=self.needs_notebook_permission,
        )
