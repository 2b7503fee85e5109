"""What the protocol's conformance suite calls, on the product's own server of the protocol.

The names, arguments and texts are the suite's: modelcontextprotocol/conformance, `src/scenarios/server`.
"""

import base64
import json
from typing import Annotated, Any, cast

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.server.mcpserver.server import MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    AudioContent,
    Completion,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    EmbeddedResource,
    GetPromptResult,
    ImageContent,
    InputRequest,
    InputRequiredResult,
    ListRootsRequest,
    ListRootsResult,
    Prompt,
    Resource,
    SamplingMessage,
    TextContent,
    TextResourceContents,
)
from pydantic import Field
from typing_extensions import override

from echomind_api.transports.mcp.server import EchoMindServer

Called = Context[Any, Any]
OF_SUITE = "A fixture of the conformance suite."
IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
SOUND = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="


class FixtureServer(EchoMindServer):
    """The product's server, whose prompts and resources are those of the suite."""

    @override
    async def list_resources(self) -> list[Resource]:
        return await MCPServer.list_resources(self)

    @override
    async def list_prompts(self) -> list[Prompt]:
        return await MCPServer.list_prompts(self)

    @override
    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Any = None
    ) -> GetPromptResult:
        # It may also ask for input, which the product's own prompts do not.
        return cast("GetPromptResult", await MCPServer.get_prompt(self, name, arguments, context))


def add_fixtures(server: MCPServer[Any]) -> None:
    """Adds the suite's tools, resources and prompts to a server."""
    _add_contents(server)
    _add_requests_for_input(server)
    _add_resources(server)
    _add_prompts(server)

    @server.completion()  # type: ignore[no-untyped-call, untyped-decorator]
    async def complete(ref: object, argument: object, context: object) -> Completion:
        return Completion(values=[], total=0, has_more=False)


def _add_contents(server: MCPServer[Any]) -> None:
    @server.tool(description=OF_SUITE)
    def test_simple_text() -> str:
        return "This is a simple text response for testing."

    @server.tool(description=OF_SUITE)
    def test_image_content() -> list[ImageContent]:
        return [ImageContent(type="image", data=IMAGE, mime_type="image/png")]

    @server.tool(description=OF_SUITE)
    def test_audio_content() -> list[AudioContent]:
        return [AudioContent(type="audio", data=SOUND, mime_type="audio/wav")]

    @server.tool(description=OF_SUITE)
    def test_embedded_resource() -> list[EmbeddedResource]:
        return [_embedded("test://embedded-resource", "This is an embedded resource content.")]

    @server.tool(description=OF_SUITE)
    def test_multiple_content_types() -> list[TextContent | ImageContent | EmbeddedResource]:
        return [
            TextContent(type="text", text="Multiple content types test:"),
            ImageContent(type="image", data=IMAGE, mime_type="image/png"),
            _embedded("test://mixed-content-resource", '{"test": "data", "value": 123}', "application/json"),
        ]

    @server.tool(description=OF_SUITE)
    async def test_tool_with_progress(context: Called) -> str:
        for done in (0, 50, 100):
            await context.report_progress(progress=done, total=100, message=f"Completed step {done} of 100")
        return "done"

    @server.tool(description=OF_SUITE)
    async def test_tool_with_logging(context: Called) -> str:
        for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            await context.info(text)
        return "Tool with logging executed successfully"

    @server.tool(description=OF_SUITE)
    def test_error_handling() -> str:
        raise RuntimeError("This tool intentionally returns an error for testing")

    @server.tool(description=OF_SUITE)
    def test_x_mcp_header(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})] = "none") -> str:
        return f"region={region}"

    @server.tool(description=OF_SUITE)
    async def test_trigger_tool_change(context: Called) -> str:
        server.add_tool(test_simple_text, name="test_dynamic_tool")
        server.remove_tool("test_dynamic_tool")
        await context.notify_tools_changed()
        return "tool list changed"

    @server.tool(description=OF_SUITE)
    async def test_trigger_prompt_change(context: Called) -> str:
        await context.notify_prompts_changed()
        return "prompt list changed"

    @server.tool(description=OF_SUITE)
    async def test_missing_capability(context: Called) -> str:
        capabilities = context.client_capabilities
        if capabilities is None or capabilities.sampling is None:
            raise MCPError(
                code=MISSING_REQUIRED_CLIENT_CAPABILITY,
                message="This tool requires the client 'sampling' capability",
                data={"requiredCapabilities": {"sampling": {}}},
            )
        return "declared"


def _embedded(uri: str, text: str, mime_type: str = "text/plain") -> EmbeddedResource:
    resource = TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    return EmbeddedResource(type="resource", resource=resource)


def _asking(message: str, name: str, kind: str = "string") -> ElicitRequest:
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def _sampling(text: str) -> CreateMessageRequest:
    message = SamplingMessage(role="user", content=TextContent(type="text", text=text))
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=[message], max_tokens=50))


def _given(responses: Any, key: str, name: str) -> Any:
    answer = (responses or {}).get(key)
    return answer.content.get(name) if isinstance(answer, ElicitResult) and answer.content else None


def _add_requests_for_input(server: MCPServer[Any]) -> None:
    @server.tool(description=OF_SUITE)
    async def test_input_required_result_elicitation(context: Called) -> str | InputRequiredResult:
        if name := _given(context.input_responses, "user_name", "name"):
            return f"Hello, {name}!"
        return InputRequiredResult(input_requests={"user_name": _asking("What is your name?", "name")})

    @server.tool(description=OF_SUITE)
    async def test_input_required_result_sampling(context: Called) -> str | InputRequiredResult:
        answer = (context.input_responses or {}).get("capital_question")
        if isinstance(answer, CreateMessageResult) and isinstance(answer.content, TextContent):
            return f"Model said: {answer.content.text}"
        return InputRequiredResult(input_requests={"capital_question": _sampling("What is the capital of France?")})

    @server.tool(description=OF_SUITE)
    async def test_input_required_result_list_roots(context: Called) -> str | InputRequiredResult:
        answer = (context.input_responses or {}).get("client_roots")
        if isinstance(answer, ListRootsResult):
            return f"Client exposed {len(answer.roots)} root(s)."
        return InputRequiredResult(input_requests={"client_roots": ListRootsRequest()})

    @server.tool(description=OF_SUITE)
    async def test_input_required_result_request_state(context: Called) -> str | InputRequiredResult:
        if "confirm" in (context.input_responses or {}) and context.request_state == "nonce":
            return "state-ok: confirmation received"
        asked: dict[str, InputRequest] = {"confirm": _asking("Please confirm", "ok", "boolean")}
        return InputRequiredResult(input_requests=asked, request_state="nonce")

    @server.tool(description=OF_SUITE)
    async def test_input_required_result_multiple_inputs(context: Called) -> str | InputRequiredResult:
        asked: dict[str, InputRequest] = {
            "user_name": _asking("What is your name?", "name"),
            "greeting": _sampling("Generate a greeting"),
            "client_roots": ListRootsRequest(),
        }
        if asked.keys() <= (context.input_responses or {}).keys():
            return "All inputs received."
        return InputRequiredResult(input_requests=asked, request_state="several")

    @server.tool(description=OF_SUITE)
    async def test_input_required_result_multi_round(context: Called) -> str | InputRequiredResult:
        state = json.loads(context.request_state or '{"round": 0}')
        if state["round"] == 2 and (color := _given(context.input_responses, "step2", "color")):
            return f"{state['name']} likes {color}."
        if state["round"] == 1 and (name := _given(context.input_responses, "step1", "name")):
            asked: dict[str, InputRequest] = {"step2": _asking("What is your favorite color?", "color")}
            return InputRequiredResult(input_requests=asked, request_state=json.dumps({"round": 2, "name": name}))
        asked = {"step1": _asking("What is your name?", "name")}
        return InputRequiredResult(input_requests=asked, request_state='{"round": 1}')

    @server.tool(description=OF_SUITE)
    async def test_input_required_result_tampered_state(context: Called) -> str | InputRequiredResult:
        if context.request_state is not None:
            return f"state-ok: {context.request_state}"
        asked: dict[str, InputRequest] = {"confirm": _asking("Please confirm", "ok", "boolean")}
        return InputRequiredResult(input_requests=asked, request_state="round-1")

    @server.tool(description=OF_SUITE)
    async def test_input_required_result_capabilities(context: Called) -> InputRequiredResult:
        can = context.client_capabilities
        asked: dict[str, InputRequest] = {}
        if can is not None and can.sampling is not None:
            asked["sample"] = _sampling("Say hello")
        if can is not None and can.elicitation is not None:
            asked["ask"] = _asking("What is your name?", "name")
        return InputRequiredResult(input_requests=asked, request_state="gated")


def _add_resources(server: MCPServer[Any]) -> None:
    @server.resource("test://static-text")
    def static_text() -> str:
        return "This is the content of the static text resource."

    @server.resource("test://static-binary")
    def static_binary() -> bytes:
        return base64.b64decode(IMAGE)

    @server.resource("test://template/{id}/data")
    def template(id: str) -> str:  # noqa: A002 - the suite's own word
        return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


def _add_prompts(server: MCPServer[Any]) -> None:
    @server.prompt(description=OF_SUITE)
    def test_simple_prompt() -> list[UserMessage]:
        return [UserMessage(content="This is a simple prompt for testing.")]

    @server.prompt(description=OF_SUITE)
    def test_prompt_with_arguments(arg1: str, arg2: str) -> list[UserMessage]:
        return [UserMessage(content=f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")]

    @server.prompt(description=OF_SUITE)
    def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage]:  # noqa: N803 - the suite's own
        return [
            UserMessage(content=_embedded(resourceUri, "Embedded resource content for testing.")),
            UserMessage(content="Please process the embedded resource above."),
        ]

    @server.prompt(description=OF_SUITE)
    def test_prompt_with_image() -> list[UserMessage]:
        return [
            UserMessage(content=ImageContent(type="image", data=IMAGE, mime_type="image/png")),
            UserMessage(content="Please analyze the image above."),
        ]

    @server.prompt(description=OF_SUITE)
    async def test_input_required_result_prompt(context: Called) -> list[UserMessage] | InputRequiredResult:
        if text := _given(context.input_responses, "user_context", "context"):
            return [UserMessage(content=f"Use the following context: {text}")]
        return InputRequiredResult(input_requests={"user_context": _asking("Which context?", "context")})
