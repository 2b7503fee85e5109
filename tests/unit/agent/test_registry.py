"""Tools: their schemas and how calls are checked."""

from typing import Annotated

import pytest
from pydantic import Field

from echomind_agent.tools.registry import (
    Registry,
    Tool,
    ToolContext,
    ToolError,
    ToolParameters,
    ToolResult,
    parameters_record,
)


class Search(ToolParameters):
    """Not for the model."""

    query: Annotated[str, Field(min_length=1, max_length=10)]
    """What to look for."""
    limit: Annotated[int, Field(ge=1, le=20)] = 8
    """How many."""


async def _call(context: ToolContext, parameters: Search) -> ToolResult:
    return ToolResult(parameters.query)


def tool(name: str = "search") -> Tool[Search]:
    return Tool(name, "Finds.", Search, _call, lambda parameters: f"Searching {parameters.query}")


def test_spec_is_an_object_schema_with_descriptions() -> None:
    spec = tool().spec()
    assert (spec.name, spec.description) == ("search", "Finds.")
    assert spec.parameters == {
        "type": "object",
        "additionalProperties": False,
        "required": ["query"],
        "properties": {
            "query": {"type": "string", "minLength": 1, "maxLength": 10, "description": "What to look for."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 20, "default": 8, "description": "How many."},
        },
    }


def test_arguments_are_parsed() -> None:
    assert tool().parse('{"query": "a"}') == Search(query="a", limit=8)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("", "query: Field required"),
        ("{", "arguments: Invalid JSON"),
        ("[]", "arguments: Input should be an object"),
        ('{"query": ""}', "query: String should have at least 1 character"),
        ('{"query": "a", "limit": 21}', "limit: Input should be less than or equal to 20"),
        ('{"query": "a", "page": 2}', "page: Extra inputs are not permitted"),
    ],
)
def test_wrong_arguments_are_explained(arguments: str, problem: str) -> None:
    with pytest.raises(ToolError, match=r"The arguments of search are not valid") as caught:
        tool().parse(arguments)
    assert problem in str(caught.value)


def test_choice_of_tools() -> None:
    registry = Registry([tool("a"), tool("b")])
    assert list(registry.choose([])) == ["a", "b"]
    assert list(registry.choose(["b", "gone"])) == ["b"]


def test_arguments_as_they_are_stored() -> None:
    assert parameters_record('{"a": 1}') == {"a": 1}
    assert parameters_record("") == {}
    assert parameters_record("[1]") == {"invalid": "[1]"}
    assert parameters_record("{no") == {"invalid": "{no"}
