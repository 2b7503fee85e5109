"""Tools: their schemas and how calls are checked."""

import enum
import json
from collections.abc import Callable
from typing import Annotated, Any, Literal, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from echomind_agent.toolset.registry import Registry, Tool, ToolContext, ToolError, ToolResult, parameters_record, tool
from tests.drivers.tables import for_each

NO_CONTEXT = cast("ToolContext", None)


class Priority(enum.Enum):
    LOW = "low"
    HIGH = "high"


class Line(BaseModel):
    """One line of an order."""

    article: Annotated[str, Field(min_length=1, max_length=5)]
    count: Annotated[int, Field(ge=1, le=9)] = 1


@tool(progress=lambda given: f"Searching {given.query}")
async def search(
    context: ToolContext,
    query: Annotated[str, Field(min_length=1, max_length=10, description="What to look for.")],
    limit: Annotated[int, Field(ge=1, le=20, description="How many.")] = 8,
) -> str:
    """Finds passages
    in documents.
    """
    return f"{query} {limit}"


@tool(progress=lambda given: f"Ordering {len(given.lines)}", side_effect=True, timeout=5)
async def order(
    context: ToolContext,
    lines: Annotated[list[Line], Field(min_length=1, max_length=3)],
    priority: Priority = Priority.LOW,
    delivery: Literal["post", "courier"] = "post",
    note: str | None = None,
    tags: Annotated[set[str], Field(max_length=2)] = frozenset(),  # type: ignore[assignment]
) -> ToolResult:
    """Orders articles."""
    total = sum(line.count for line in lines)
    return ToolResult(f"{total} {priority.name} {delivery} {note} {sorted(tags)}")


def test_spec_is_an_object_schema_with_descriptions() -> None:
    spec = search.spec()
    assert (spec.name, spec.description) == ("search", "Finds passages in documents.")
    assert spec.parameters == {
        "type": "object",
        "additionalProperties": False,
        "required": ["query"],
        "properties": {
            "query": {"type": "string", "minLength": 1, "maxLength": 10, "description": "What to look for."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 20, "default": 8, "description": "How many."},
        },
    }


def test_spec_of_nested_models_enums_lists_and_literals() -> None:
    assert order.schema == {
        "type": "object",
        "additionalProperties": False,
        "required": ["lines"],
        "properties": {
            "lines": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"$ref": "#/$defs/Line"}},
            "priority": {"$ref": "#/$defs/Priority", "default": "low"},
            "delivery": {"type": "string", "enum": ["post", "courier"], "default": "post"},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "maxItems": 2, "default": []},
        },
        "$defs": {
            "Line": {
                "type": "object",
                "description": "One line of an order.",
                "required": ["article"],
                "properties": {
                    "article": {"type": "string", "minLength": 1, "maxLength": 5},
                    "count": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1},
                },
            },
            "Priority": {"type": "string", "enum": ["low", "high"]},
        },
    }


async def test_a_call_gets_what_was_parsed() -> None:
    assert await search.call(NO_CONTEXT, search.parse('{"query": "a"}')) == "a 8"
    arguments = (
        '{"lines": [{"article": "ink"}, {"article": "pen", "count": 3}], "priority": "high", "tags": ["b", "a"]}'
    )
    assert await order.call(NO_CONTEXT, order.parse(arguments)) == ToolResult("4 HIGH post None ['a', 'b']")
    assert order.progress(order.parse(arguments)) == "Ordering 2"


def test_options_are_the_fields_of_a_tool() -> None:
    assert (order.timeout, order.untrusted, order.executor) == (5, False, "worker")
    assert order.has_side_effect(NO_CONTEXT, None)
    assert not search.has_side_effect(NO_CONTEXT, None)

    @tool(name="b", description="B.", progress=str, side_effect=lambda _, given: bool(given.all))
    async def delete(context: ToolContext, all: bool) -> str:  # noqa: A002
        return str(all)

    assert (delete.name, delete.description) == ("b", "B.")
    assert delete.has_side_effect(NO_CONTEXT, delete.parse('{"all": true}'))
    assert not delete.has_side_effect(NO_CONTEXT, delete.parse('{"all": false}'))


@for_each(
    ("tried", "arguments", "problem"),
    [
        (search, "", "query: is missing"),
        (search, "{", "arguments: Invalid JSON"),
        (search, "[]", "arguments: must be an object"),
        (search, '{"query": ""}', "query: must not be empty"),
        (search, '{"query": "a", "limit": 21}', "limit: must be at most 20"),
        (search, '{"query": "a", "page": 2}', "page: is not a known field"),
        (order, '{"lines": []}', "lines: must not be empty"),
        (order, '{"lines": [{"article": "ink", "count": 0}]}', "lines.0.count: must be at least"),
        (order, '{"lines": [{"article": "ink"}, {}]}', "lines.1.article: is missing"),
        (order, '{"lines": [{"article": "a"}], "priority": "mid"}', "priority: must be one of 'low' or 'high'"),
        (order, '{"lines": [{"article": "a"}], "delivery": "fax"}', "delivery: must be one of 'post' or 'courier'"),
    ],
)
def test_wrong_arguments_are_explained(tried: Tool, arguments: str, problem: str) -> None:
    with pytest.raises(ToolError, match=f"The arguments of {tried.name} are not valid") as caught:
        tried.parse(arguments)
    assert problem in str(caught.value)


def test_many_wrong_arguments_are_reported_briefly() -> None:
    wrong = ", ".join(f'"{name}": 1' for name in range(1000))
    with pytest.raises(ToolError, match="and 996 more") as caught:
        search.parse(f"{{{wrong}}}")
    assert len(str(caught.value)) < 500


_LINES = st.fixed_dictionaries(
    {"article": st.text(min_size=1, max_size=5)}, optional={"count": st.integers(min_value=1, max_value=9)}
)
_ORDERS = st.fixed_dictionaries(
    {"lines": st.lists(_LINES, min_size=1, max_size=3)},
    optional={
        "priority": st.sampled_from(["low", "high"]),
        "delivery": st.sampled_from(["post", "courier"]),
        "note": st.none() | st.text(),
        "tags": st.sets(st.text(), max_size=2).map(sorted),
    },
)
_WRONG: dict[str, st.SearchStrategy[Any]] = {
    "lines": st.just([]) | st.just("ink") | st.just([{"article": ""}]) | st.just([{"article": "ink", "count": 10}]),
    "priority": st.text().filter(lambda text: text not in ("low", "high")) | st.none() | st.integers(),
    "delivery": st.text().filter(lambda text: text not in ("post", "courier")) | st.none(),
    "note": st.integers() | st.lists(st.text()) | st.booleans(),
    "tags": st.just(["a", "b", "c"]) | st.just([1]) | st.none(),
    "unknown": st.none() | st.text(),
}


@settings(max_examples=200)
@given(_ORDERS)
def test_values_allowed_by_the_schema_are_parsed(arguments: dict[str, Any]) -> None:
    parsed = order.parse(json.dumps(arguments)).model_dump(mode="json", exclude_unset=True)
    parsed["tags"] = sorted(parsed.get("tags", []))
    assert parsed == {"tags": [], **arguments}


@settings(max_examples=200)
@given(_ORDERS, st.sampled_from(sorted(_WRONG)), st.data())
def test_values_forbidden_by_the_schema_are_rejected_by_name(
    arguments: dict[str, Any], field: str, data: st.DataObject
) -> None:
    arguments[field] = data.draw(_WRONG[field])
    with pytest.raises(ToolError, match=rf"not valid: {field}\b"):
        order.parse(json.dumps(arguments))


async def _no_context(query: str) -> str:
    return query


async def _no_parameters() -> str:
    return ""


async def _no_annotation(context: ToolContext, query) -> str:  # type: ignore[no-untyped-def]
    return str(query)


async def _rest(context: ToolContext, *queries: str) -> str:
    return " ".join(queries)


async def _by_place(context: ToolContext, query: str, /) -> str:
    return query


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (_no_context, "first parameter of _no_context must be a ToolContext"),
        (_no_parameters, "first parameter of _no_parameters must be a ToolContext"),
        (_no_annotation, "have no annotation: query"),
        (_rest, r"cannot be given by name: \*queries: str"),
        (_by_place, "cannot be given by name: query: str"),
    ],
)
def test_a_function_that_makes_no_tool_is_refused(function: Callable[..., Any], problem: str) -> None:
    with pytest.raises(TypeError, match=problem):
        tool(progress=str, description="Does it.")(function)


def test_a_tool_that_nothing_describes_is_refused() -> None:
    async def silent(context: ToolContext) -> str:
        return ""

    with pytest.raises(TypeError, match="silent has neither a docstring nor a description"):
        tool(progress=str)(silent)
    with pytest.raises(TypeError, match="colour"):
        tool(progress=str, description="Does it.", colour="red")(silent)


def test_choice_of_tools() -> None:
    registry = Registry([search, order])
    assert list(registry.choose([])) == ["search", "order"]
    assert list(registry.choose(["order", "gone"])) == ["order"]
    with pytest.raises(ValueError, match="two tools with the name search"):
        Registry([search, order, search])


def test_arguments_as_they_are_stored() -> None:
    assert parameters_record('{"a": 1}') == {"a": 1}
    assert parameters_record("") == {}
    assert parameters_record("[1]") == {"invalid": "[1]"}
    assert parameters_record("{no") == {"invalid": "{no"}
