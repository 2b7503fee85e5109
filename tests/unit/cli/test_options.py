"""Options that several commands share as one dataclass."""

import inspect
from dataclasses import dataclass
from typing import Annotated

import typer

from echomind.cli.options import FieldOptions, expand, gather, given
from echomind_lib.models.public import TeamMode, words
from tests.drivers.api_server import ApiServer, about
from tests.drivers.shell import Shell


@dataclass(frozen=True, kw_only=True)
class Limits:
    steps: Annotated[int, typer.Option(help="Most steps.")] = 5
    title: Annotated[str | None, typer.Option("--name")] = None


@dataclass(frozen=True, kw_only=True)
class MoreLimits(Limits):
    depth: Annotated[int, typer.Option()] = 1


@dataclass(frozen=True, kw_only=True)
class ConfigOptions(FieldOptions, message="AssistantConfig"):
    max_steps: int | None = None
    tools: Annotated[list[str] | None, typer.Option("--tool")] = None
    team_mode: Annotated[words.TeamMode | None, typer.Option(help="How.")] = None
    other: int | None = None


def configure(config: ConfigOptions = ConfigOptions()) -> None:
    """Has options that are fields of the contract."""


def command(name: str, limits: MoreLimits = MoreLimits()) -> None:
    """Has an argument of its own and a group of options."""


def test_a_group_becomes_its_fields_and_is_put_together_again() -> None:
    own = list(inspect.signature(command).parameters.values())
    expanded = {parameter.name: parameter for parameter in expand(own)}
    assert list(expanded) == ["name", "steps", "title", "depth"]
    assert [expanded[name].default for name in ("steps", "title", "depth")] == [5, None, 1]
    assert expanded["steps"].annotation.__metadata__[0].help == "Most steps."
    values = {"name": "x", "steps": 7, "title": None, "depth": 2}
    assert gather(own, values) == {"name": "x", "limits": MoreLimits(steps=7, depth=2)}


def test_options_of_fields_have_the_help_and_the_bounds_of_the_contract() -> None:
    expanded = {parameter.name: parameter for parameter in expand(inspect.signature(configure).parameters.values())}
    steps, tools, mode = (expanded[name].annotation.__metadata__[0] for name in ("max_steps", "tools", "team_mode"))
    assert steps.help.startswith("Maximum number of steps of a run")
    assert (steps.min, steps.max) == (0, 1000)
    assert tools.help.startswith("Names of the built-in tools")
    assert tools.help.endswith("; repeatable.")
    assert mode.help == "How."
    assert expanded["other"].annotation == int | None


def test_options_of_fields_are_given_as_the_contract_has_them() -> None:
    options = ConfigOptions(max_steps=0, tools=["a", "", "a", "b"], team_mode=words.TeamMode.ROUTE, other=1)
    assert options.given_fields() == {"max_steps": 0, "tools": ["a", "b"], "team_mode": TeamMode.ROUTE}
    assert ConfigOptions(tools=[""]).given_fields() == {"tools": []}
    assert ConfigOptions().given_fields() == {}


def test_given_values_are_those_that_are_not_none() -> None:
    assert given(a=0, b=None, c="", d=[]) == {"a": 0, "c": "", "d": []}


def test_commands_that_share_options_show_the_same(shell: Shell) -> None:
    def options(*path: str) -> set[str]:
        words = shell.run(*path, "--help").stdout.split()
        return {word.rstrip(",") for word in words if word.startswith("--")}

    assert options("assistants", "update") - options("assistants", "add") == {"--name"}
    assert options("messages", "edit") == options("messages", "regenerate")
    assert options("ask") - options("messages", "edit") == {
        "--session",
        "--notebook",
        "--assistant",
        "--model",
        "--document",
        "--external-id",
        "--metadata",
        "--session-external-id",
    }
    assert {"--max-steps", "--timeout", "--max-depth"} <= options("runs", "start")


def test_the_detail_of_a_failed_run_is_shown(api: ApiServer, shell: Shell) -> None:
    run = "01926b3e-7c1a-7000-8000-5f0d3c2b1a09"
    error = {"reason": "LLM_UNAVAILABLE", "message": "The model does not answer.", "detail": "http://10.0.0.5: refused"}
    api.on(about("RunService/GetRun", id=run), {"id": run, "status": "RUN_STATUS_FAILED", "error": error})
    api.on(about("RunService/ListSteps", id=run), {"steps": []})
    assert "Detail: http://10.0.0.5: refused" in shell.run("runs", "show", run).stdout
    del error["detail"]
    assert "Detail" not in shell.run("runs", "show", run).stdout


def test_help_names_the_words_of_the_contract_and_groups_the_commands(shell: Shell) -> None:
    assert "[anyone|signed-in|nobody]" in shell.run("shares", "allow", "--help").stdout
    assert "--language browser|en|de" in shell.run("preferences", "set", "--help").stdout
    assert "--provider tgi|vllm|openai|anthropic|ollama" in shell.run("llms", "add", "--help").stdout
    text = shell.run("--help").stdout
    sections = [line for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert sections[:4] == ["Options:", "Run EchoMind:", "Ask:", "Documents:"]
    assert "Commands:" not in sections
