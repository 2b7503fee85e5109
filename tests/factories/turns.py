"""What a scripted model answers to a run and to its sub-agents."""

import re
from collections.abc import Callable
from typing import Any

from tests.drivers.model_server import Text, Tools, Turn


def sub_agent(goal: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return ("spawn_sub_agent", {"goal": goal, **more})


def delegated(member: str, task: str, expected_output: str = "A sentence.") -> tuple[str, dict[str, Any] | str]:
    """Returns a call by which a leader gives a member a task."""
    return ("delegate_task", {"member": member, "task": task, "expected_output": expected_output})


def member_of(body: dict[str, Any]) -> str:
    """Returns the member that a request is of, as `Agent.lead` makes them; empty for the leader."""
    found = re.search(r"You are (\w+)\.\n", body["messages"][0]["content"])
    return found[1] if found else ""


def team_plays(leader: list[Turn], member: Callable[[str, dict[str, Any]], Turn]) -> Callable[[dict[str, Any]], Turn]:
    """Returns a model that answers a team's leader by a script and its members by a function of their name."""
    turns = iter(leader)

    def respond(body: dict[str, Any]) -> Turn:
        return member(name, body) if (name := member_of(body)) else next(turns)

    return respond


def goal_of(body: dict[str, Any]) -> str:
    """Returns the last thing that a person, or a parent, said."""
    content = [message for message in body["messages"] if message["role"] == "user"][-1]["content"]
    return content if isinstance(content, str) else content[0]["text"]


def uses(name: str, key: str, body: dict[str, Any], then: str) -> Turn:
    """Calls a tool once, then says something."""
    return Text(then) if body["messages"][-1]["role"] == "tool" else Tools([(name, {"key": key})])


def plays(parent: list[Turn], sub_agent: Callable[[str, dict[str, Any]], Turn]) -> Callable[[dict[str, Any]], Turn]:
    """Returns a model that answers the root by a script and its sub-agents by a function of their goal."""
    turns = iter(parent)

    def respond(body: dict[str, Any]) -> Turn:
        return next(turns) if goal_of(body) == "Root?" else sub_agent(goal_of(body), body)

    return respond
