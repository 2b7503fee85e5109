"""The protocol's server: tools, resources and prompts over the service objects of our own API."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Final

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError, UnexpectedToolError
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.server.request_state import RequestStateSecurity
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import (
    CallToolResult,
    GetPromptResult,
    InputRequiredResult,
    Prompt,
    PromptMessage,
    Resource,
    ToolAnnotations,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BeforeValidator, ValidationError
from typing_extensions import override

from echomind_api.transports.mcp.ask_tasks import AskTasks
from echomind_api.transports.mcp.endpoint import CURRENT
from echomind_api.transports.mcp.questions import can_be_asked, requests_of
from echomind_api.transports.mcp.results import AskedAnswer, FoundPassages, ReadDocument, Sources
from echomind_api.transports.mcp.services import McpServices, Report
from echomind_api.transports.mcp.starters import read_starters
from echomind_api.transports.mcp.tasks import Tasks
from echomind_api.transports.openai.errors import OpenAiError
from echomind_lib.errors import EchoMindError, NotFoundError, broken_rule
from echomind_lib.models.public import Run

_INSTRUCTIONS: Final = """\
EchoMind answers from an organization's own documents, as far as the person whose key is used may read them. `search` \
finds passages, `read` returns a document, `ask` has an assistant answer with checked citations."""
_READS: Final = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_RESOURCE_CHARACTERS: Final = 1_000_000
_LISTED_RESOURCES: Final = 100
_DOCUMENTS: Final = "echomind://documents/"
_MARKDOWN: Final = "text/markdown"
_ANSWER_SECONDS: Final = 86_400.0
"""For how long the question of a call can be answered; the run waits longer, in EchoMind."""


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


_Id = Annotated[str, BeforeValidator(_as_text)]
"""An ID; small models send it as a number."""


class EchoMindServer(MCPServer[Any]):
    """The server; its prompts are the starters of the assistants that the person may use."""

    def __init__(self, services: McpServices, version: str, tasks: Tasks, security: RequestStateSecurity) -> None:
        super().__init__(
            "EchoMind",
            title="EchoMind",
            instructions=_INSTRUCTIONS,
            version=version,
            extensions=[tasks],
            request_state_security=security,
        )
        self._services = services

    @override
    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        try:
            return await super().call_tool(name, arguments, context)
        except UnexpectedToolError:
            raise
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(_broken_rules(error.__cause__)) from error
            raise

    @override
    async def list_resources(self) -> list[Resource]:
        found = await self._services.newest_documents(_LISTED_RESOURCES, CURRENT.get())
        return [Resource(uri=f"{_DOCUMENTS}{each.id}", name=each.title, mime_type=_MARKDOWN) for each in found]

    @override
    async def list_prompts(self) -> list[Prompt]:
        starters = await read_starters(self._services.database, CURRENT.get())
        return [Prompt(name=starter.name, title=starter.title, description=starter.text) for starter in starters]

    @override
    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Any = None
    ) -> GetPromptResult:
        for starter in await read_starters(self._services.database, CURRENT.get()):
            if starter.name == name:
                message = UserMessage(starter.text)
                return GetPromptResult(
                    description=starter.text, messages=[PromptMessage(role=message.role, content=message.content)]
                )
        raise ValueError(f"There is no prompt {name}.")


def build(services: McpServices, version: str) -> EchoMindServer:
    """Returns the server, with its application created."""
    # Any replica opens what another one has sealed, and only for the person to whom it was given.
    sealed = RequestStateSecurity(
        keys=services.secrets.derive("state of MCP calls"), ttl=_ANSWER_SECONDS, bind_principal=_person
    )
    server = EchoMindServer(services, version, AskTasks(services), sealed)
    _add_tools(server, services)
    _add_resources(server, services)
    # Hosts and origins are checked for all of HTTP.
    security = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    server.streamable_http_app(stateless_http=True, transport_security=security)
    return server


def _person(_context: object) -> str:
    return str(CURRENT.get().principal.user_id)


def _add_tools(server: EchoMindServer, services: McpServices) -> None:
    @server.tool(title="Search documents", annotations=_READS)
    async def search(query: str, limit: int = 10) -> FoundPassages:
        """Searches the documents by words and meaning; returns the best passages with the ids of their documents."""
        with _readable():
            return await services.search(query, max(1, min(limit, 50)), CURRENT.get())

    @server.tool(title="Read a document", annotations=_READS)
    async def read(id: _Id, start: int = 0) -> ReadDocument:  # noqa: A002 - the tool's own word
        """Returns the text of a document by the id that search gives; `next` is the position where it continues."""
        with _readable():
            return await services.read(id, start, CURRENT.get())

    @server.tool(title="Ask an assistant", annotations=_READS)
    async def ask(question: str, context: Context[Any, Any], assistant: str = "") -> AskedAnswer | InputRequiredResult:
        """Has an assistant answer a question from the documents, with citations that were checked.

        Without a name, the default assistant answers. It knows nothing of earlier questions: say all that matters.
        """
        number = 0

        async def report(text: str) -> None:
            nonlocal number
            number += 1
            await context.report_progress(number, message=text)

        with _readable():
            if context.request_state is None:
                may_ask = context.protocol_version in MODERN_PROTOCOL_VERSIONS and can_be_asked(
                    context.client_capabilities
                )
                asked = await services.ask(
                    question, assistant, CURRENT.get(), report, context.request_id, may_ask=may_ask
                )
            else:
                asked = await _resume(services, context, report)
            if isinstance(asked, AskedAnswer):
                return asked
            waiting = await services.waiting(asked, CURRENT.get())
            requests = requests_of(waiting)
            if not requests:
                raise ToolError(services.failure_of(waiting))
            return InputRequiredResult(input_requests={**requests}, request_state=asked.id)

    @server.tool(title="List sources", annotations=_READS)
    async def list_sources() -> Sources:
        """Lists the sources of documents that may be read, with the time of their last sync."""
        with _readable():
            return await services.sources(CURRENT.get())


async def _resume(services: McpServices, context: Context[Any, Any], report: Report) -> AskedAnswer | Run:
    """Answers what the run of an earlier call asked; returns its answer, or the run if it has none."""
    call = CURRENT.get()
    assert context.request_state is not None
    run = await services.run(context.request_state, call)
    return await services.resume(run, context.input_responses, call, report)


def _broken_rules(error: ValidationError) -> str:
    """Returns what is wrong with the arguments of a call, as `query: must be given`."""
    problems = error.errors(include_url=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, each['loc']))}: {broken_rule(each)}" for each in problems)


@contextmanager
def _readable() -> Iterator[None]:
    """Turns errors of EchoMind into errors that a model can read."""
    try:
        yield
    except EchoMindError as error:
        raise ToolError(error.message) from error
    except OpenAiError as error:
        raise ToolError(error.message) from error


def _add_resources(server: EchoMindServer, services: McpServices) -> None:
    @server.resource(_DOCUMENTS + "{id}", name="document", mime_type=_MARKDOWN)
    async def document(id: str) -> str:  # noqa: A002 - the template's own word
        """The text of a document."""
        try:
            return (await services.read(id, 0, CURRENT.get(), characters=_RESOURCE_CHARACTERS)).text
        except NotFoundError as error:
            raise ResourceNotFoundError(error.message) from error
        except EchoMindError as error:
            raise ResourceError(error.message) from error

    @server.resource("echomind://chat-sessions/{id}", name="chat session", mime_type=_MARKDOWN)
    async def chat_session(id: str) -> str:  # noqa: A002 - the template's own word
        """A conversation, with its citations."""
        try:
            return await services.session(id, CURRENT.get())
        except NotFoundError as error:
            raise ResourceNotFoundError(error.message) from error
        except EchoMindError as error:
            raise ResourceError(error.message) from error
