"""Converts any exception to an error of the catalogue."""

import re
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from echomind_lib.errors.catalogue import EchoMindError, InternalError, ValidationFailedError
from echomind_lib.errors.wording import broken_rule

# gRPC limits metadata, which carries the violations, to 8 KiB.
_MAX_VIOLATIONS = 16
_LONGEST_TEXT = 160


def validation_failed(error: ValidationError, model: type[BaseModel] | None = None) -> ValidationFailedError:
    """Returns the error that names the invalid fields of a request, and the rule of each.

    Args:
        error: Pydantic's error for the request.
        model: The request's model, for the descriptions of fields whose values have the wrong form.
    """
    return violations(error.errors(include_url=False, include_input=False), model=model)


def described(problem: Mapping[str, Any], model: type[BaseModel] | None) -> str:
    """Returns what is wrong with a value, and the description of its field.

    Args:
        problem: One of `ValidationError.errors()`.
        model: The validated model.
    """
    words = _description(model, problem["loc"])
    return f"{broken_rule(problem)}. {words}" if words else broken_rule(problem)


def _description(model: type[BaseModel] | None, location: Sequence[str | int]) -> str:
    """Returns the description of a field of a model."""
    field: FieldInfo | None = None
    for part in location:
        if isinstance(part, str) and model is not None:
            fields = model.model_fields
            field = fields.get(part) or next((each for each in fields.values() if each.validation_alias == part), None)
            model = None if field is None else _model_in(field.annotation)
    return (field.description or "") if field is not None else ""


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)


def violations(
    errors: Sequence[Any], *, model: type[BaseModel] | None = None, skip: int = 0, as_given: bool = False
) -> ValidationFailedError:
    """Returns `validation_failed` for the list of `ValidationError.errors()`.

    Args:
        errors: The errors.
        model: The request's model, as in `validation_failed`.
        skip: Number of parts to skip at the beginning of each location.
        as_given: Whether to keep names unchanged; otherwise they are converted to JSON names.
    """
    found: dict[str, str] = {}
    for error in errors[:_MAX_VIOLATIONS]:
        is_unclear = error["type"] == "string_pattern_mismatch"
        text = described(error, model) if is_unclear else broken_rule(error)
        path = _field_path(error["loc"][skip:], as_given=as_given or error["type"] == "extra_forbidden")
        found.setdefault(path[:_LONGEST_TEXT], text[:_LONGEST_TEXT])
    failure = ValidationFailedError("; ".join(f"{path}: {text}" for path, text in found.items()))
    failure.metadata = found
    return failure


def _field_path(location: Sequence[str | int], *, as_given: bool) -> str:
    """Returns a location as a path of JSON names, regardless of the spelling in the request."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).removeprefix(".")
    return (text if as_given else re.sub("_([a-z0-9])", lambda letter: letter[1].upper(), text)) or "request"


def to_error(error: Exception) -> EchoMindError:
    """Returns the error that a caller may see.

    Details of unexpected errors are only logged.

    Args:
        error: Exception of a method.
    """
    if isinstance(error, EchoMindError):
        return error
    # Imported here: it is slow to import, and API clients, which share this package, never get here.
    import structlog

    # That of the request, if it is one of HTTP.
    trace_id = structlog.contextvars.get_contextvars().get("trace_id") or uuid.uuid4().hex
    structlog.get_logger(__name__).error("unexpected error", trace_id=trace_id, exc_info=error)
    return InternalError("EchoMind has failed; its log has more under this trace id", trace_id=trace_id)


async def outcome(produce: Callable[[], Awaitable[object]]) -> EchoMindError | None:
    """Awaits a result; returns the error to report to the caller, or None on success."""
    try:
        await produce()
    except Exception as error:  # noqa: BLE001 - whatever a method raises is reported
        return to_error(error)
    return None
