"""Suspension of a run: its reason, and the request to a person."""

from echomind_agent.state.call import Call, OpenStep
from echomind_agent.toolset.registry import parameters_record
from echomind_lib.db.words import RunStatus
from echomind_lib.pb.echomind.public.v1 import run_pb2
from echomind_lib.runs.elicitation import Form, as_text
from echomind_lib.text import normalized, storable_json


class RunSuspended(Exception):  # noqa: N818 - not an error: a person's will, or something to wait for
    """The worker releases the run with the status `status`."""

    def __init__(self, status: RunStatus, pending_input: run_pb2.PendingInput | None = None) -> None:
        super().__init__(status)
        self.status = status
        self.pending_input = pending_input


def waiting_for(step: OpenStep) -> RunSuspended:
    """Returns the suspension for an unsettled step: for a person before sub-agents, which work meanwhile."""
    asked = [call for call in step.open if call.needs_person]
    if not asked:
        return RunSuspended("waiting_for_children")
    pending = run_pb2.PendingInput()
    concerned = asked[:1]
    if approvals := [call for call in asked if call.approval == "required"]:
        concerned = approvals
        pending.kind = run_pb2.PENDING_INPUT_KIND_APPROVAL
        names = ", ".join(dict.fromkeys(call.request.name for call in approvals))
        pending.question = f"May the assistant call {names}?"
    elif asked[0].unknown:
        pending.kind = run_pb2.PENDING_INPUT_KIND_OUTCOME
        pending.question = (
            f"The call of {asked[0].request.name} was interrupted, and whether it took effect is not known. "
            "Please look, and say what is the case."
        )
    elif (elicitation := asked[0].elicitation) is not None and (form := asked[0].open_form) is not None:
        pending.kind = run_pb2.PENDING_INPUT_KIND_CLARIFICATION
        pending.question = form.question(elicitation.server)
        pending.options.extend(form.options)
        pending.form.CopyFrom(_form(form, elicitation.server))
    else:
        pending.kind = run_pb2.PENDING_INPUT_KIND_CLARIFICATION
        pending.question = normalized(asked[0].given.question)
        pending.options.extend(normalized(option) for option in asked[0].given.options)
    pending.tool_calls.extend(map(_shown, concerned))
    return RunSuspended("waiting_for_input", pending)


def _shown(call: Call) -> run_pb2.PendingToolCall:
    shown = run_pb2.PendingToolCall(
        tool_call_id=call.request.id, tool_name=call.request.name, side_effect=call.side_effect
    )
    shown.parameters.update(parameters_record(storable_json(call.request.arguments)))
    return shown


def _form(form: Form, server: str) -> run_pb2.InputForm:
    shown = run_pb2.InputForm(server=server, message=form.message)
    for field in form.fields:
        default = [] if field.default is None else field.default
        shown.fields.add(
            name=field.name,
            title=field.title,
            description=field.description,
            type=run_pb2.InputFieldType.Value(f"INPUT_FIELD_TYPE_{field.type.upper()}"),
            required=field.required,
            default_values=map(as_text, default if isinstance(default, list) else [default]),
            options=field.options,
            format=field.format,
            minimum=field.minimum,
            maximum=field.maximum,
        )
    return shown
