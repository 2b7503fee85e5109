"""Page tokens are valid only for their method, reader and filter, and cannot be forged."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind_lib.contract import CallContext
from echomind_lib.contract.binding import bind
from echomind_lib.contract.page_tokens import PageTokens
from echomind_lib.errors import InvalidPageTokenError
from echomind_lib.models.public import ListDocumentsRequest, ListDocumentsResponse

TOKENS = PageTokens([b"first", b"second"])


def call_of(user_id: int = 7, method: str = "S/List") -> CallContext:
    return CallContext(method, principal=SimpleNamespace(user_id=user_id))


def given_out(call: CallContext, tokens: PageTokens = TOKENS, **filters: Any) -> str:
    """Returns the token that a caller gets for the service's own, `row-5`."""
    response = ListDocumentsResponse(next_page_token="row-5")
    tokens.seal(call, ListDocumentsRequest(**filters), response)
    return response.next_page_token


def opened(call: CallContext, token: str, tokens: PageTokens = TOKENS, **filters: Any) -> str:
    request = tokens.open(call, ListDocumentsRequest(page_token=token, **filters))
    return request.page_token if isinstance(request, ListDocumentsRequest) else ""


def test_a_page_token_is_read_back_at_any_page_size() -> None:
    token = given_out(call_of(), connector_id=3, page_size=10)
    assert opened(call_of(), token, connector_id=3, page_size=500) == "row-5"


def test_the_last_page_has_none() -> None:
    response = ListDocumentsResponse()
    TOKENS.seal(call_of(), ListDocumentsRequest(), response)
    assert response.next_page_token == ""
    assert opened(call_of(), "") == ""


@pytest.mark.parametrize(
    ("call", "filters"),
    [(call_of(8), {}), (call_of(method="S/Other"), {}), (call_of(), {"connector_id": 4})],
    ids=["another reader", "another method", "another filter"],
)
def test_a_foreign_token_is_refused(call: CallContext, filters: dict[str, Any]) -> None:
    token = given_out(call_of())
    with pytest.raises(InvalidPageTokenError):
        opened(call, token, **filters)


def test_keys_can_be_changed() -> None:
    token = given_out(call_of(), PageTokens([b"second"]))
    assert opened(call_of(), token) == "row-5"
    with pytest.raises(InvalidPageTokenError):
        opened(call_of(), token, PageTokens([b"first"]))


@given(st.text(min_size=1) | st.text("abcABC019-_.=", min_size=1))
def test_a_forged_token_is_refused(token: str) -> None:
    with pytest.raises(InvalidPageTokenError):
        opened(call_of(), token)


def test_a_list_cannot_be_bound_without_seal() -> None:
    from echomind_api.accounts.users import Users

    service: Any = Users.__new__(Users)
    method = next(each for each in service.__methods__ if each.name == "ListUsers")
    with pytest.raises(ValueError, match="UserService/ListUsers has page tokens"):
        bind(service, method, ())
