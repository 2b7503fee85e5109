"""Spans of tool calls. Used only while traces are on."""

from echomind_agent.state.call import Call, OpenStep, Settled
from echomind_agent.steps.invoker import ToolInvoker
from echomind_agent.toolset.registry import Tool, ToolContext
from echomind_lib.runs.elicitation import Elicitation
from echomind_lib.telemetry import content, names, spans


async def make_traced(
    invoker: ToolInvoker, context: ToolContext, step: OpenStep, call: Call, tool: Tool
) -> Settled | Elicitation | None:
    """Executes a call as `ToolInvoker.make`, in a span of its own."""
    attributes: dict[str, spans.Value] = {
        names.OPERATION: names.EXECUTE_TOOL,
        names.TOOL_NAME: tool.name,
        names.TOOL_CALL_ID: call.request.id,
    }
    with spans.child_span(f"{names.EXECUTE_TOOL} {tool.name}", "internal", attributes) as span:
        settled = await invoker.make(context, step, call, tool)
        if span is not None and isinstance(settled, Settled):
            span.attributes[names.RETRIES] = settled.retries
            span.error = "" if settled.status == "completed" else settled.status
            if spans.recorder is not None and spans.recorder.has_content:
                span.attributes[names.TOOL_ARGUMENTS] = content.masked(call.request.arguments)
                span.attributes[names.TOOL_RESULT] = content.masked(settled.result.text or settled.error)
        return settled
