"""The parameters of a server's tool: checks of their schema, and validation of arguments."""

from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from typing import Any

import msgspec
from jsonschema import Draft202012Validator, SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend, validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

from echomind_agent.text.delimiting import harmless
from echomind_agent.toolset.registry import ToolError

SCHEMA_BYTES = 64 * 2**10
"""Maximum size of a schema as JSON."""
CHECKS = 50_000
"""Maximum number of keyword checks for one call's arguments: about half a second."""
SCHEMA_DEPTH = 30
"""Maximum nesting of objects and lists, as API messages cannot represent more."""
_PROBLEMS = 5
_PROBLEM_CHARACTERS = 300
# A hostile pattern can keep Python's regular expressions busy for hours; servers check their patterns themselves.
_FOR_MODELS = frozenset({"title", "description"})
_UNCHECKED = {"pattern": None, "patternProperties": None}


class SchemaRefusedError(Exception):
    """A tool's schema cannot be used; the message says why."""


def argument_parser(name: str, schema: dict[str, Any]) -> Callable[[str], dict[str, Any]]:
    """Returns a parser that validates a tool's arguments.

    Args:
        name: Name of the tool in messages.
        schema: Its parameters, as JSON Schema of any draft.

    Returns:
        A function from JSON text to arguments that raises `ToolError`, whose message names the invalid fields.

    Raises:
        SchemaRefusedError: The schema is not an object schema, too large, too deep, or not valid.
    """
    if schema.get("type") != "object":
        raise SchemaRefusedError("its parameters are not an object")
    if _depth(schema) > SCHEMA_DEPTH:
        raise SchemaRefusedError(f"its schema is nested deeper than {SCHEMA_DEPTH} levels")
    text = msgspec.json.encode(schema)
    if len(text) > SCHEMA_BYTES:
        raise SchemaRefusedError(f"its schema is longer than {SCHEMA_BYTES} bytes")
    validator, work = _validator(text)

    def parse(arguments: str) -> dict[str, Any]:
        try:
            given = msgspec.json.decode(arguments or "{}")
        except (msgspec.DecodeError, RecursionError) as error:
            raise ToolError(f"The arguments of {name} are not valid JSON: {error}.") from error
        work.left = CHECKS
        try:
            problems = [_problem(error) for error in islice(validator.iter_errors(given), _PROBLEMS)]
        except (Unresolvable, RecursionError) as error:
            raise ToolError(f"{name} cannot be called: its schema refers to what it does not have.") from error
        except _TooMuchWorkError as error:
            raise ToolError(f"{name} cannot be called like this: its schema is too complicated to check it.") from error
        if problems:
            raise ToolError(f"The arguments of {name} are not valid: {'; '.join(problems)}.")
        return dict(given)

    return parse


# Every run needs the validators of all its servers' tools, and building one takes milliseconds.
@lru_cache(maxsize=2000)
def _validator(text: bytes) -> tuple[Validator, "_Work"]:
    schema: dict[str, Any] = msgspec.json.decode(text)
    try:
        kind = validator_for(schema, default=Draft202012Validator)
        kind.check_schema(schema)
    except SchemaError as error:
        raise SchemaRefusedError(f"its schema is not valid: {error.message[:_PROBLEM_CHARACTERS]}") from error
    except RecursionError as error:
        raise SchemaRefusedError("its schema is nested too deep") from error
    # The empty registry cannot fetch: references resolve within the schema only.
    work = _Work()
    counted = {keyword: work.counted(check) for keyword, check in kind.VALIDATORS.items()}
    # A subschema that names a draft would be checked with that draft's keywords, which are not counted.
    _remove_draft_keywords(schema)
    validator: Validator = extend(kind, counted | _UNCHECKED)(schema, registry=Registry())  # type: ignore[no-untyped-call]
    return validator, work


def harmless_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Returns a schema for a model: the titles and descriptions in it can neither open nor close a delimiter."""
    shown: dict[str, Any] = _harmless(schema)
    return shown


def _harmless(value: Any) -> Any:
    if isinstance(value, list):
        return [_harmless(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: harmless(item) if name in _FOR_MODELS and isinstance(item, str) else _harmless(item)
        for name, item in value.items()
    }


class _TooMuchWorkError(Exception):
    """Validation of arguments takes too long, as for schemas with many recursive references."""


class _Work:
    """Counts the keyword checks for one call's arguments."""

    def __init__(self) -> None:
        self.left = CHECKS

    def counted(self, check: Any) -> Any:
        """Returns a keyword check that raises `_TooMuchWorkError` once the limit is reached."""

        def checked(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
            self.left -= 1 + (len(value) if isinstance(value, dict | list) else 0)
            if self.left < 0:
                raise _TooMuchWorkError
            return check(validator, value, instance, schema)

        return checked


def _remove_draft_keywords(value: Any) -> None:
    if isinstance(value, dict):
        if isinstance(value.get("$schema"), str):
            del value["$schema"]
        for item in value.values():
            _remove_draft_keywords(item)
    elif isinstance(value, list):
        for item in value:
            _remove_draft_keywords(item)


def _problem(error: ValidationError) -> str:
    field = ".".join(map(str, error.absolute_path)) or "arguments"
    return f"{field}: {error.message[:_PROBLEM_CHARACTERS]}"


def _depth(value: Any) -> int:
    """Returns the nesting depth of objects and lists, up to just above the limit."""
    deepest, level = 0, [value]
    while level and deepest <= SCHEMA_DEPTH:
        level = [part for part in level if isinstance(part, dict | list)]
        deepest += bool(level)
        level = [item for part in level for item in (part.values() if isinstance(part, dict) else part)]
    return deepest
