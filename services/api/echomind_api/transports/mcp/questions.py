"""What a run asks, as requests for input (elicitation), and the responses as answers of the run."""

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from echomind_lib.models.public import InputField, InputFieldType, PendingInput, PendingInputKind, Run
from echomind_lib.runs.elicitation import DECLINE

# The gateway loads this module, and what MCP needs when somebody first uses it.
if TYPE_CHECKING:
    from mcp_types import ClientCapabilities, ElicitRequest

_ANSWER: Final = "answer"
DECLINED: Final = "I do not want to answer this. Go on without it."
"""What the assistant reads when the person declines its own question."""


def can_be_asked(capabilities: "ClientCapabilities | None") -> bool:
    """Returns whether a client shows forms to its person. A capability without a mode means forms."""
    offered = capabilities.elicitation if capabilities is not None else None
    return offered is not None and (offered.form is not None or offered.url is None)


def asks(run: Run) -> bool:
    """Returns whether a run waits for an answer. Approvals are given in EchoMind, where people see what they permit."""
    return run.pending_input is not None and run.pending_input.kind is PendingInputKind.CLARIFICATION


def requests_of(run: Run) -> dict[str, "ElicitRequest"]:
    """Returns what a run asks, by a key that no other question of the run has."""
    if not asks(run):
        return {}
    from mcp_types import ElicitRequest, ElicitRequestFormParams

    assert run.pending_input is not None
    params = ElicitRequestFormParams(message=_message(run.pending_input), requested_schema=_schema(run.pending_input))
    return {_key(run): ElicitRequest(params=params)}


def answer_in(responses: Mapping[str, Any] | None, run: Run) -> str | None:
    """Returns the text that answers what a run asks; None for none.

    Raises:
        ValueError: The response is none to this request.
    """
    if not asks(run) or (given := (responses or {}).get(_key(run))) is None:
        return None
    from mcp_types import ElicitResult

    try:
        response = given if isinstance(given, ElicitResult) else ElicitResult.model_validate(given, by_name=False)
    except ValidationError:
        raise ValueError("The response to the question is no result of an elicitation.") from None
    assert run.pending_input is not None
    form = run.pending_input.form
    if response.action != "accept":
        return DECLINE if form else DECLINED
    content = response.content or {}
    if form:
        return json.dumps(content) if form.fields else "accept"
    text = content.get(_ANSWER)
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"The response to the question needs the text {_ANSWER!r}.")
    return text


def _key(run: Run) -> str:
    pending = run.pending_input
    assert pending is not None
    # A server may ask the same again during one call: each wait of a run is of another attempt.
    asked = json.dumps([run.id, run.attempt, [call.tool_call_id for call in pending.tool_calls], pending.question])
    return hashlib.sha256(asked.encode()).hexdigest()[:32]


def _message(pending: PendingInput) -> str:
    if pending.form:
        form = pending.form
        return f"{form.message}\n\nThe MCP server {form.server} asks this, and receives the answer: give it no secret."
    suggested = f"\n\nSuggested: {', '.join(pending.options)}" if pending.options else ""
    return f"{pending.question}{suggested}"


def _schema(pending: PendingInput) -> dict[str, Any]:
    if pending.form is None:
        answer = {"type": "string", "title": "Answer", "minLength": 1}
        return {"type": "object", "properties": {_ANSWER: answer}, "required": [_ANSWER]}
    fields = pending.form.fields
    return {
        "type": "object",
        "properties": {field.name: _property(field) for field in fields},
        "required": [field.name for field in fields if field.required],
    }


def _property(field: InputField) -> dict[str, Any]:
    kind = field.type.word
    made: dict[str, Any] = {"type": kind}
    made |= {name: text for name, text in (("title", field.title), ("description", field.description)) if text}
    if field.options:
        options = {"type": "string", "enum": list(field.options)}
        made |= {"items": options} if field.type is InputFieldType.ARRAY else options
    elif field.type is InputFieldType.ARRAY:
        made["items"] = {"type": "string"}
    if field.format:
        made["format"] = field.format
    smallest, largest = {"string": ("minLength", "maxLength"), "array": ("minItems", "maxItems")}.get(
        kind, ("minimum", "maximum")
    )
    whole = kind != "number"
    for name, limit in ((smallest, field.minimum), (largest, field.maximum)):
        if limit is not None:
            made[name] = int(limit) if whole else limit
    if field.default_values:
        made["default"] = _default(field)
    return made


def _default(field: InputField) -> Any:
    match field.type:
        case InputFieldType.ARRAY:
            return list(field.default_values)
        case InputFieldType.BOOLEAN:
            return field.default_values[0] == "yes"
        case InputFieldType.INTEGER:
            return int(field.default_values[0])
        case InputFieldType.NUMBER:
            return float(field.default_values[0])
        case _:
            return field.default_values[0]
