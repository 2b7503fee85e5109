"""The routes below `/v1`."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Protocol, TypeVar

from fastapi import APIRouter, Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from echomind_api.auth.addresses import Proxies, own_address
from echomind_api.calls.handwritten import run_call
from echomind_api.conversations.messages import ChatMessages
from echomind_api.conversations.runs import Runs
from echomind_api.conversations.sessions import ChatSessions
from echomind_api.conversations.unread_runs import UnreadRuns
from echomind_api.dependencies import Dependencies
from echomind_api.transports.openai.calls import Calls, left
from echomind_api.transports.openai.chat import ChatCompletions
from echomind_api.transports.openai.chat_request import ChatRequest, read_request
from echomind_api.transports.openai.embeddings import EmbeddingRequest, embed
from echomind_api.transports.openai.errors import OpenAiError, error_response
from echomind_api.transports.openai.file_routes import file_routes
from echomind_api.transports.openai.files import Files
from echomind_api.transports.openai.models import NamedModel, find_model, list_models
from echomind_api.transports.openai.plain_models import PLAIN, PlainModels, list_plain_models
from echomind_api.transports.openai.questions import Questions
from echomind_api.transports.openai.response_request import ResponseRequest
from echomind_api.transports.openai.responses import Responses
from echomind_api.transports.openai.stored_responses import StoredResponses
from echomind_api.transports.openai.stream import OpenAiStream
from echomind_api.transports.openai.vector_stores import VectorStores
from echomind_lib.contract import CallContext
from echomind_lib.contract.call import Middleware
from echomind_lib.contract.rest import Endpoint, peer_of
from echomind_lib.errors import EchoMindError
from echomind_lib.events.log import EventLog

_ASK: Final = "ChatMessageService/StreamMessage"
"""The method of our API that a question stands for: with its limits, metrics and audit."""
_EMBED: Final = "EmbeddingModelService/Embed"
_READ: Final = "ChatMessageService/GetMessage"
_DELETE: Final = "ChatSessionService/DeleteChatSession"
_LIST: Final = "AssistantService/ListAssistants"
_METHODS: Final = ["GET", "POST", "PUT", "PATCH", "DELETE"]


T = TypeVar("T", ChatRequest, ResponseRequest)
T_contra = TypeVar("T_contra", ChatRequest, ResponseRequest, contravariant=True)


class _Service(Protocol[T_contra]):
    """One way to ask."""

    async def respond(self, request: T_contra, model: NamedModel, body: bytes, call: CallContext, url: str) -> Any:
        """Returns the whole answer."""

    async def stream(
        self, request: T_contra, model: NamedModel, body: bytes, call: CallContext, url: str, stream: OpenAiStream
    ) -> None:
        """Sends the answer as it is written."""


class _Sent:
    """A response that a stream sends itself."""

    def __init__(self, produce: Callable[[OpenAiStream], Awaitable[None]]) -> None:
        self._produce = produce

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        stream = OpenAiStream(scope, send)

        async def produce() -> None:
            try:
                await self._produce(stream)
            except OpenAiError as error:
                stream.fail(error)

        await stream.run(produce, lambda: left(receive))


class _Endpoints:
    """What the routes do, within the middlewares of a call."""

    def __init__(
        self,
        dependencies: Dependencies,
        messages: ChatMessages,
        runs: Runs,
        unread_runs: UnreadRuns,
        sessions: ChatSessions,
        stores: VectorStores,
        proxies: Proxies,
        calls: Calls,
    ) -> None:
        self._pool = dependencies.database.pool
        self._api = dependencies.settings.api
        self._proxies, self._calls = proxies, calls
        self._embeddings = dependencies.embeddings
        questions = Questions(dependencies.database, messages, runs, unread_runs)
        log = EventLog(dependencies.database.pool, dependencies.bus)
        self._chat = ChatCompletions(questions)
        self._plain = PlainModels(self._pool, dependencies.secrets, dependencies.models)
        self._responses = Responses(dependencies.database, log, questions, stores, sessions)
        self._stored = StoredResponses(dependencies.database, sessions)

    async def models(self, request: Request) -> Response:
        """Lists the models."""

        async def action(call: CallContext) -> Any:
            found = [*await list_models(self._pool, call.principal), *await self._plain_models(call)]
            return {"object": "list", "data": [model.to_json() for model in found]}

        return await self._calls.answer(request, _LIST, action)

    async def model(self, request: Request) -> Response:
        """Returns one model."""

        async def action(call: CallContext) -> Any:
            return (await self._model(call, request.path_params["name"])).to_json()

        return await self._calls.answer(request, _LIST, action)

    async def _plain_models(self, call: CallContext) -> list[NamedModel]:
        # They are no assistants, so that no key is limited to them.
        if not self._api.plain_models or call.principal.limits is not None:
            return []
        return await list_plain_models(self._pool)

    async def _model(self, call: CallContext, name: str) -> NamedModel:
        """Returns the model that a request names.

        Raises:
            OpenAiError: There is none, or it may not be used.
        """
        if name.startswith(PLAIN):
            for model in await self._plain_models(call):
                if model.id == name:
                    return model
        return await find_model(self._pool, call.principal, name)

    async def chat_completions(self, scope: Scope, receive: Receive, send: Send, _: list[str]) -> None:
        """Answers a chat completion."""
        request = Request(scope, receive)
        await (await self._asked(request, ChatRequest, self._chat))(scope, receive, send)

    async def responses(self, scope: Scope, receive: Receive, send: Send, _: list[str]) -> None:
        """Answers a response."""
        request = Request(scope, receive)
        await (await self._asked(request, ResponseRequest, self._responses))(scope, receive, send)

    async def response(self, request: Request) -> Response:
        """Returns a stored response."""
        url = own_address(self._api, self._proxies, peer_of(request.scope), request.headers)

        async def action(call: CallContext) -> Any:
            query = request.query_params
            if query.get("stream", "false").lower() != "false":
                raise OpenAiError("A stored response is returned whole: leave stream out.", param="stream")
            include = [*query.getlist("include"), *query.getlist("include[]")]
            return await self._stored.read(request.path_params["id"], call, url, include)

        return await self._calls.answer(request, _READ, action)

    async def delete_response(self, request: Request) -> Response:
        """Deletes a stored response."""

        async def action(call: CallContext) -> Any:
            return await self._stored.delete(request.path_params["id"], call)

        return await self._calls.answer(request, _DELETE, action)

    async def embeddings(self, request: Request) -> Response:
        """Returns vectors of texts."""
        try:
            given = read_request(EmbeddingRequest, await self._calls.body(request))
        except (OpenAiError, EchoMindError) as error:
            return error_response(error)

        async def action(call: CallContext) -> Any:
            return await embed(self._pool, self._embeddings, given, call.principal)

        return await self._calls.answer(request, _EMBED, action)

    async def _asked(self, request: Request, kind: type[T], service: "_Service[T]") -> ASGIApp:
        try:
            body = await self._calls.body(request)
            given = read_request(kind, body)
        except (OpenAiError, EchoMindError) as error:  # the latter of a body that comes too slowly
            return error_response(error)
        except ClientDisconnect:
            return Response(status_code=499)
        url = own_address(self._api, self._proxies, peer_of(request.scope), request.headers)

        if given.stream:

            async def streamed(stream: OpenAiStream) -> None:
                async def action(call: CallContext) -> None:
                    model = await self._model(call, given.model)
                    if model.llm_id:
                        await self._plain.stream(_for_plain_model(given), model, call.principal, stream)
                        return
                    await service.stream(given, model, body, call, url, stream)

                await run_call(request, _ASK, self._calls.middlewares, action)

            return _Sent(streamed)

        async def action(call: CallContext) -> Any:
            model = await self._model(call, given.model)
            if model.llm_id:
                return await self._plain.respond(_for_plain_model(given), model, call.principal)
            return await service.respond(given, model, body, call, url)

        return await self._calls.answer(request, _ASK, action)


def _for_plain_model(request: ChatRequest | ResponseRequest) -> ChatRequest:
    """Returns the request of a chat completion.

    Raises:
        OpenAiError: It is another request, for which plain models do not store anything.
    """
    if isinstance(request, ChatRequest):
        return request
    raise OpenAiError("Plain models answer chat completions only: use an assistant for responses.", param="model")


def openai_routes(
    dependencies: Dependencies,
    messages: ChatMessages,
    runs: Runs,
    unread_runs: UnreadRuns,
    sessions: ChatSessions,
    files: Files,
    stores: VectorStores,
    proxies: Proxies,
    middlewares: Sequence[Middleware],
    body_bytes: int,
) -> tuple[dict[str, Endpoint], APIRouter]:
    """Returns what answers questions by POST, by path, which is to cost no more than our own API, and the other routes.

    Args:
        dependencies: Connections and settings.
        messages: The service that asks questions.
        runs: The service that cancels runs.
        unread_runs: Cancels the runs of programs that have left.
        sessions: The service that removes conversations.
        files: Documents as files.
        stores: Connectors as vector stores.
        proxies: The trusted proxies, for the address of links.
        middlewares: Middlewares of every call, the first outermost.
        body_bytes: Maximum size of a body.
    """
    calls = Calls(middlewares, body_bytes)
    endpoints = _Endpoints(dependencies, messages, runs, unread_runs, sessions, stores, proxies, calls)
    asking: dict[str, Endpoint] = {
        "/v1/chat/completions": endpoints.chat_completions,
        "/v1/responses": endpoints.responses,
    }
    router = APIRouter(include_in_schema=False)
    router.add_api_route("/v1/models", endpoints.models, methods=["GET"])
    router.add_api_route("/v1/models/{name:path}", endpoints.model, methods=["GET"])
    router.add_api_route("/v1/responses/{id}", endpoints.response, methods=["GET"])
    router.add_api_route("/v1/responses/{id}", endpoints.delete_response, methods=["DELETE"])
    router.add_api_route("/v1/embeddings", endpoints.embeddings, methods=["POST"])
    router.include_router(of_files := file_routes(calls, files, stores))
    router.add_api_route("/chat/completions", _wrong_base, methods=["POST"])
    router.add_api_route("/responses", _wrong_base, methods=["POST"])
    known = [*router.routes, *of_files.routes, *(Route(path, _wrong_base, methods=["POST"]) for path in asking)]

    async def unknown(request: Request) -> Response:
        return _not_here(request, known)

    router.add_api_route("/v1/{path:path}", unknown, methods=_METHODS)
    return asking, router


async def _wrong_base(request: Request) -> Response:
    base = str(request.base_url).rstrip("/")
    return error_response(OpenAiError(f"Set the base URL to {base}/v1.", status=404, code="not_found"))


def _not_here(request: Request, known: Sequence[BaseRoute]) -> Response:
    """Returns what a request gets that no route answers: 405 if its path takes other methods, else 404."""
    meant = [each for each in known if isinstance(each, Route) and each.matches(request.scope)[0] is not Match.NONE]
    allowed = sorted({method for route in meant for method in route.methods or ()} - {"HEAD"})
    words = f"There is no {request.method} {request.url.path} here"
    if not allowed:
        return error_response(OpenAiError(f"{words}.", status=404, code="not_found"))
    error = OpenAiError(f"{words}, but {' and '.join(allowed)}.", status=405, code="method_not_allowed")
    response = error_response(error)
    response.headers["Allow"] = ", ".join(allowed)
    return response
