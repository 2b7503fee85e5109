"""The routes of files and vector stores."""

from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from fastapi import APIRouter, Request
from starlette.responses import Response

from echomind_api.transports.openai.calls import Calls
from echomind_api.transports.openai.chat_request import Body, read_query, read_request
from echomind_api.transports.openai.errors import OpenAiError, error_response
from echomind_api.transports.openai.files import Files
from echomind_api.transports.openai.listings import FileListing, Listing, StoreFileListing
from echomind_api.transports.openai.store_requests import AddedFile, ChangedStore, NewStore, StoreSearch
from echomind_api.transports.openai.vector_stores import VectorStores
from echomind_lib.contract import CallContext
from echomind_lib.errors import EchoMindError

B = TypeVar("B", bound=Body)
Handler = Callable[[Request, CallContext], Awaitable[Any]]
_STORES: Final = "/v1/vector_stores"
_STORE: Final = f"{_STORES}/{{store}}"
_FILES: Final = f"{_STORE}/files"
_FILE: Final = f"{_FILES}/{{file}}"


def file_routes(calls: Calls, files: Files, stores: VectorStores) -> APIRouter:
    """Returns the routes; each has the limits, scope and audit of the method of our own API that it stands for."""
    router = APIRouter(include_in_schema=False)

    def add(verb: str, path: str, method: str, handler: Handler) -> None:
        async def respond(request: Request) -> Response:
            return await calls.answer(request, method, lambda call: handler(request, call))

        router.add_api_route(path, respond, methods=[verb])

    def add_listed(path: str, method: str, kind: type[B], handler: Callable[[Request, B, CallContext], Any]) -> None:
        async def listed(request: Request, call: CallContext) -> Any:
            return await handler(request, read_query(kind, request.query_params), call)

        add("GET", path, method, listed)

    def add_given(path: str, method: str, kind: type[B], handler: Callable[[Request, B, CallContext], Any]) -> None:
        async def respond(request: Request) -> Response:
            try:
                given = read_request(kind, await calls.body(request))
            except (OpenAiError, EchoMindError) as error:
                return error_response(error)
            return await calls.answer(request, method, lambda call: handler(request, given, call))

        router.add_api_route(path, respond, methods=["POST"])

    async def upload(request: Request) -> Response:
        return await calls.answer_upload(
            request, "DocumentService/UploadDocuments", lambda call: files.upload(request, call)
        )

    router.add_api_route("/v1/files", upload, methods=["POST"])
    add_listed("/v1/files", "DocumentService/ListDocuments", FileListing, lambda _, q, call: files.list_files(q, call))
    add("GET", "/v1/files/{file}", "DocumentService/GetDocument", lambda r, call: files.read(_file(r), call))
    add("DELETE", "/v1/files/{file}", "DocumentService/DeleteDocument", lambda r, call: files.delete(_file(r), call))
    add(
        "GET",
        "/v1/files/{file}/content",
        "DocumentService/DownloadDocument",
        lambda r, call: files.content(_file(r), call),
    )
    add_given(_STORES, "ConnectorService/CreateConnector", NewStore, lambda _, new, call: stores.create(new, call))
    add_listed(_STORES, "ConnectorService/ListConnectors", Listing, lambda _, q, call: stores.list_stores(q, call))
    add("GET", _STORE, "ConnectorService/GetConnector", lambda r, call: stores.read(_store(r), call))
    add_given(
        _STORE,
        "ConnectorService/UpdateConnector",
        ChangedStore,
        lambda r, new, call: stores.change(_store(r), new, call),
    )
    add("DELETE", _STORE, "ConnectorService/DeleteConnector", lambda r, call: stores.delete(_store(r), call))
    add_given(
        f"{_STORE}/search",
        "SearchService/Search",
        StoreSearch,
        lambda r, asked, call: stores.search(_store(r), asked, call),
    )
    add_given(
        _FILES,
        "DocumentService/MoveDocuments",
        AddedFile,
        lambda r, new, call: stores.add_file(_store(r), new, call),
    )
    add_listed(
        _FILES,
        "DocumentService/ListDocuments",
        StoreFileListing,
        lambda r, q, call: stores.list_files(_store(r), q, call),
    )
    add("GET", _FILE, "DocumentService/GetDocument", lambda r, call: stores.read_file(_store(r), _file(r), call))
    add("DELETE", _FILE, "DocumentService/MoveDocuments", lambda r, call: stores.remove_file(_store(r), _file(r), call))
    add(
        "GET",
        f"{_FILE}/content",
        "DocumentService/GetDocumentText",
        lambda r, call: stores.file_text(_store(r), _file(r), call),
    )
    router.add_api_route(_FILE, _no_attributes, methods=["POST"])
    router.add_api_route(f"{_STORE}/file_batches", _no_batches, methods=["POST"])
    return router


def _file(request: Request) -> str:
    return str(request.path_params["file"])


def _store(request: Request) -> str:
    return str(request.path_params["store"])


async def _no_attributes() -> Response:
    return error_response(OpenAiError("attributes: files have no attributes here.", param="attributes"))


async def _no_batches(request: Request) -> Response:
    store = request.path_params["store"]
    message = f"There are no batches of files here: add each file at {_STORES}/{store}/files."
    return error_response(OpenAiError(message, status=404, code="not_found"))
