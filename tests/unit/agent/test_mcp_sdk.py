"""The messages that distinguish failures of MCP servers are those of the installed SDK.

The SDK has error codes for JSON-RPC and none for what HTTP said. So `connection` knows it by the SDK's own messages,
which a new version may change; `pyproject.toml` allows patches of one version alone.
"""

import ast
import inspect

import pytest
from mcp.client import streamable_http
from mcp.shared import jsonrpc_dispatcher

from echomind_agent.mcp import connection, http

SOURCE = ast.parse(inspect.getsource(streamable_http))


def errors() -> set[tuple[str, str]]:
    """Returns the errors that the SDK's client makes up: names of codes with messages."""
    return {
        (code.id, str(message.value))
        for call in ast.walk(SOURCE)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "ErrorData"
        for given in [{keyword.arg: keyword.value for keyword in call.keywords}]
        for code, message in [(given["code"], given["message"])]
        if isinstance(code, ast.Name) and isinstance(message, ast.Constant)
    }


@pytest.mark.parametrize(
    ("code", "message"),
    [("INVALID_REQUEST", connection.SESSION_ENDED), ("INTERNAL_ERROR", connection.REFUSED_BY_STATUS)],
)
def test_the_sdk_makes_up_these_errors(code: str, message: str) -> None:
    assert (code, message) in errors()


def test_redirects_that_are_not_followed_begin_with_these_words() -> None:
    (describe,) = [
        node for node in SOURCE.body if isinstance(node, ast.FunctionDef) and node.name == "_unfollowed_redirect"
    ]
    texts = [node.value for node in ast.walk(describe) if isinstance(node, ast.Return) and node.value is not None]
    described = [text for text in texts if not (isinstance(text, ast.Constant) and text.value is None)]
    assert len(described) == 2
    for text in described:
        assert isinstance(text, ast.JoinedStr)
        first = text.values[0]
        assert isinstance(first, ast.Constant)
        assert str(first.value) == connection.REDIRECTED


def test_requests_whose_connection_ends_have_these_messages() -> None:
    assert jsonrpc_dispatcher._CLOSED_OUTCOME.message == http.NOT_ANSWERED
    received = [
        call.args[2]
        for call in ast.walk(SOURCE)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "_resolve_abandoned_request"
        and not call.keywords  # with the code of a closed connection
    ]
    assert received
    for text in received:
        first = text.values[0] if isinstance(text, ast.JoinedStr) else text
        assert isinstance(first, ast.Constant)
        assert str(first.value).startswith(http.STREAM_BROKEN)
