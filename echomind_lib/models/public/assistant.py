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
    """How an MCP server is reached."""

    UNSPECIFIED = "MCP_TRANSPORT_UNSPECIFIED", 0
    """Unspecified."""
    STDIO = "MCP_TRANSPORT_STDIO", 1
    """A program that the agent starts and talks to over its standard input and output."""
    STREAMABLE_HTTP = "MCP_TRANSPORT_STREAMABLE_HTTP", 2
    """A server at an address, by streamable HTTP."""


class TeamMode(ProtoEnum):
    """How an assistant works with its members."""

    UNSPECIFIED = "TEAM_MODE_UNSPECIFIED", 0
    """Unspecified; counts as coordinate."""
    COORDINATE = "TEAM_MODE_COORDINATE", 1
    """It gives members tasks, several at the same time if it wants, and writes the answer."""
    ROUTE = "TEAM_MODE_ROUTE", 2
    """It chooses one member, whose answer is the answer."""
    COLLABORATE = "TEAM_MODE_COLLABORATE", 3
    """All members get each task, and it writes the answer."""


class McpServer(ProtoModel):
    """A server of the Model Context Protocol, whose tools an assistant may call."""

    __proto__: ClassVar = pb.McpServer
    __enums__: ClassVar = {
        "transport": McpTransport,
    }

    name: Annotated[str, Field(pattern="^[a-z][a-z0-9_-]{0,31}$")] = Field(
        description="Unique among the assistant's servers; its tools are named `{name}__{tool}`."
    )
    transport: Annotated[McpTransport, _r.none_of(McpTransport.UNSPECIFIED)] = Field(description="How it is reached.")
    command: Annotated[str, Field(max_length=4096)] = Field(default="", description="For stdio: the program to start.")
    args: Annotated[list[str], Field(max_length=100)] = Field(
        default_factory=list, description="For stdio: its arguments."
    )
    env: dict[str, str] = Field(
        default_factory=dict,
        description="For stdio: its environment beside a minimal one. Values are only ever written: reading gives empty ones, and writing an empty one keeps what is stored, for as long as `command` and `args` are the same.",
    )
    url: Annotated[str, Field(max_length=2048)] = Field(
        default="", description="For streamable HTTP: the address. Link-local and metadata addresses are refused."
    )
    headers: dict[str, str] = Field(
        default_factory=dict,
        description="For streamable HTTP: headers of every request. Values are only ever written, as in `env`; empty ones keep what is stored for as long as the scheme, host and port of `url` are the same.",
    )
    allowed_tools: Annotated[list[str], Field(max_length=1000)] = Field(
        default_factory=list,
        description="The tools that may be called, by their names at the server; `*` at the end of a name stands for any rest. Empty means none.",
    )
    read_only_tools: Annotated[list[str], Field(max_length=1000)] = Field(
        default_factory=list,
        description="Those of the allowed tools that change nothing outside, named as above. Others count as having a side effect.",
    )
    timeout_seconds: Annotated[_t.Int32, Field(le=3600, ge=0)] = Field(
        default=0, description="Most seconds of one call; 0 means 60."
    )
    trust_read_only_hints: bool = Field(
        default=False,
        description="Whether the server is believed when it says that a tool only reads (`readOnlyHint`). Whoever runs the server decides what it says, so leave it out unless they are trusted.",
    )
    trusted_destination: bool = Field(
        default=False,
        description="Whether a run that has read untrusted text may send data to the server's read-only tools without approval. Untrusted text can make a model send what it knows to a tool, so set it only where that data may be.",
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
        )


class AssistantMember(ProtoModel):
    """A member of a team: an assistant that works for another one."""

    __proto__: ClassVar = pb.AssistantMember

    assistant_id: Annotated[_t.Int32, Field(gt=0)] = Field(
        description="The assistant. It may be one that people do not see, and may have members itself, to 10 levels in all; it may not lead, over whatever members, the assistant that it is a member of."
    )
    role: Annotated[str, Field(max_length=2000)] = Field(
        default="",
        description="What it is there for: the leader chooses by it. Empty means the assistant's description.",
    )
    version: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0,
        description="Which version of it works, with its instructions, model, tools and limits; 0 means the latest.",
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
    """How an assistant works."""

    __proto__: ClassVar = pb.AssistantConfig
    __enums__: ClassVar = {
        "wait_strategy": WaitStrategy,
        "team_mode": TeamMode,
    }

    tools: Annotated[list[str], Field(max_length=100), _r.UNIQUE] = Field(
        default_factory=list,
        description="Names of the built-in tools that it may call, and of those for planning: `write_todos`, `update_todo`, `spawn_sub_agent` and `call_in_parallel`; a run by itself always has `finish_goal`. Empty means all for answering, and in a run by itself or a sub-agent those for planning too; for an assistant with members it means none but `delegate_task`, which such a one always has. Tools of MCP servers are chosen by the server's `allowed_tools`. A name that no tool has is VALIDATION_FAILED.",
    )
    add_history_to_context: bool | None = Field(
        default=None, description="Whether earlier runs of the session go into the prompt; unset means yes."
    )
    num_history_runs: Annotated[_t.Int32, Field(le=100, ge=0)] = Field(
        default=0, description="How many earlier runs go into the prompt; 0 means 5."
    )
    max_steps: Annotated[_t.Int32, Field(le=1000, ge=0)] = Field(
        default=0, description="Most steps of a run and the runs below it; 0 means 20, of a team 60."
    )
    timeout_seconds: Annotated[_t.Int32, Field(le=86400, ge=0)] = Field(
        default=0,
        description="Most seconds of a run and the runs below it, without waiting for people; 0 means 300, of a team 900.",
    )
    max_run_tokens: Annotated[_t.Int64, Field(ge=0)] = Field(
        default=0, description="Most tokens of a run, prompts and answers together; 0 means no limit."
    )
    max_cost: Annotated[_t.Float, Field(ge=0.0)] = Field(
        default=0.0, description="Most US dollars of a run; 0 means no limit."
    )
    max_depth: Annotated[_t.Int32, Field(le=10, ge=0)] | None = Field(
        default=None, description="How deep sub-agents may be nested; unset means 2, 0 means none."
    )
    ask_clarifications: bool = Field(default=False, description="Whether it may ask back when a question is unclear.")
    approval_tools: Annotated[list[str], Field(max_length=100), _r.UNIQUE] = Field(
        default_factory=list,
        description="Tools that are called only after a person has approved it, beside those that the rules on untrusted text hold back; those of MCP servers as `{server}__{tool}`. A name that no tool and no server has is VALIDATION_FAILED.",
    )
    wait_strategy: WaitStrategy = Field(
        default=WaitStrategy.UNSPECIFIED,
        description="Which results a step with several calls waits for, where the model does not say it; unset means all.",
    )
    summarize_after_tokens: Annotated[_t.Int32, Field(le=10000000, ge=0)] = Field(
        default=0, description="Earlier messages are summarized once they have more tokens than this; 0 means 8000."
    )
    mcp_servers: Annotated[list[McpServer], Field(max_length=20)] = Field(
        default_factory=list, description="Servers of the Model Context Protocol."
    )
    team_mode: TeamMode = Field(
        default=TeamMode.UNSPECIFIED, description="How it works with its members, if it has some."
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
    """A model, instructions and limits under one name."""

    __proto__: ClassVar = pb.Assistant

    id: _t.Int32 = Field(default=0, description="Identifier; set by the server.")
    name: Annotated[str, Field(min_length=1, max_length=255)] = Field(description="Unique name.")
    description: Annotated[str, Field(max_length=10000)] = Field(
        default="", description="What it is for, as people see it."
    )
    llm_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0, description="Which model it answers with; 0 means the default one."
    )
    system_prompt: Annotated[str, Field(max_length=100000)] = Field(
        default="", description="Instructions that stand before every conversation."
    )
    task_prompt: Annotated[str, Field(max_length=100000), _r.contains("{query}"), _r.UNLESS_ZERO] = Field(
        default="",
        description="Template of a question with the places `{context}`, if wanted, and `{query}`; empty means the question as it is.",
    )
    starter_messages: Annotated[list[Annotated[str, Field(min_length=1, max_length=1000)]], Field(max_length=20)] = (
        Field(default_factory=list, description="Questions to begin with, as people see them.")
    )
    is_default: bool = Field(default=False, description="Whether sessions that name no assistant use this one.")
    is_visible: bool = Field(default=False, description="Whether people see it.")
    display_priority: _t.Int32 = Field(default=0, description="Place in lists: lower comes first.")
    config: AssistantConfig | None = Field(default=None, description="How it works.")
    creation_date: _t.Timestamp | None = Field(default=None, description="When it was added; set by the server.")
    last_update: _t.Timestamp | None = Field(default=None, description="When it was last changed; empty when never.")
    is_draft: bool = Field(
        default=False,
        description="Whether it is a draft, which SaveAssistantDraft makes: it is listed nowhere; set by the server.",
    )
    draft_of_id: _t.Int32 = Field(
        default=0,
        description="The assistant that it is a draft of; 0 for a draft of a new one, and for what is none; set by the server.",
    )
    version: _t.Int32 = Field(
        default=0,
        description="Its newest version, see ListAssistantVersions: 1 when it is added, one more with each change; 0 for a draft; set by the server.",
    )
    members: Annotated[list[AssistantMember], Field(max_length=20)] = Field(
        default_factory=list,
        description="The members of the team that it leads, in their order; empty for an assistant that answers by itself.",
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
        )


class AssistantPatch(PatchModel, Assistant):
    """New values of Assistant: what is not given stays as it is, null resets to the default."""

    name: Annotated[str, Field(min_length=1, max_length=255)] = Field(default="", description="Unique name.")


class AssistantVersion(ProtoModel):
    """An assistant as it was after one of its changes."""

    __proto__: ClassVar = pb.AssistantVersion

    assistant_id: _t.Int32 = Field(default=0, description="The assistant.")
    version: _t.Int32 = Field(default=0, description="Its number, counted from 1.")
    assistant: Assistant | None = Field(
        default=None, description="The whole assistant, without the values of its MCP servers' secrets."
    )
    creation_date: _t.Timestamp | None = Field(default=None, description="When the change was made.")
    created_by: _t.Int32 = Field(
        default=0, description="Who made it; 0 when it was EchoMind itself, or a person whose account was purged."
    )
    created_by_name: str = Field(default="", description="Their name; empty as above.")
    restored_version: _t.Int32 = Field(
        default=0, description="The version that this one restored; 0 for any other change."
    )
    changed_fields: list[str] = Field(
        default_factory=list,
        description="What differs from the version before, as in `AssistantChange.field`; empty for the first.",
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
    before: _t.Value | None = Field(default=None, description="Its value in the earlier one; unset when it had none.")
    after: _t.Value | None = Field(default=None, description="Its value in the later one; unset when it has none.")
    is_secret: bool = Field(
        default=False, description="Whether it is a secret of an MCP server: values that there are read as empty texts."
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
    """A tool as an assistant has it."""

    __proto__: ClassVar = pb.ToolInfo

    name: str = Field(default="", description="Its name; empty when there is an error.")
    description: str = Field(default="", description="What it does, as the model is told.")
    parameters: _t.Struct | None = Field(default=None, description="Its parameters, as JSON Schema.")
    side_effect: bool = Field(default=False, description="Whether a call changes something outside EchoMind.")
    mcp_server: str = Field(default="", description="The MCP server that it belongs to; empty for a built-in one.")
    error: str = Field(
        default="", description="What is wrong, such as why the server's tools are not there; empty for a tool."
    )
    for_planning: bool = Field(
        default=False,
        description="Whether only runs by themselves and sub-agents have it, not those that answer a question at once.",
    )
    sends_data_out: bool = Field(
        default=False,
        description="Whether what it is called with leaves EchoMind: a run that has read untrusted text needs approval for it, although it may only read.",
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
        )
