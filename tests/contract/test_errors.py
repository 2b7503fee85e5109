"""Every reason of the catalogue has one exception, and every failure one shape."""

import inspect
import re
from typing import Any

import grpc
import httpx
import pytest
from fastapi import FastAPI, HTTPException
from google.rpc import code_pb2  # type: ignore[import-untyped]
from pydantic import BaseModel, Field, ValidationError

from echomind_lib import errors
from echomind_lib.errors import BY_REASON, EchoMindError, NotFoundError, to_error
from echomind_lib.errors.body import STATUS, from_body
from echomind_lib.errors.grpc import to_status
from echomind_lib.errors.http import add_error_handlers
from echomind_lib.models.public import ErrorReason, SearchRequest
from tests.drivers.tables import for_each
from tests.paths import ROOT

CATALOGUE = ROOT / "src/proto/echomind/public/v1/error_reason.proto"


def catalogue() -> dict[str, str]:
    """Returns the reasons of the contract with the codes that their comments give."""
    entries = re.findall(r"((?:  // .*\n)+)  ERROR_REASON_(\w+) = [1-9]\d*;", CATALOGUE.read_text())
    return {reason: comment.strip().removeprefix("// ").partition(":")[0] for comment, reason in entries}


def test_every_reason_has_one_exception() -> None:
    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, EchoMindError)]
    kinds.remove(EchoMindError)
    reasons = [kind.reason for kind in kinds]
    assert sorted(reasons) == sorted(member.name for member in ErrorReason if member.number)
    assert sorted(reasons) == sorted(BY_REASON)
    for kind in kinds:
        assert kind.__name__ == kind.reason.title().replace("_", "") + "Error"


def test_every_code_is_the_one_of_the_contract() -> None:
    listed = catalogue()
    assert set(listed) == set(BY_REASON)
    for reason, code in listed.items():
        assert BY_REASON[reason].code == code, reason
        assert code in STATUS
        assert code_pb2.Code.Value(code) == getattr(grpc.StatusCode, code).value[0]


@for_each("reason", sorted(BY_REASON))
def test_an_error_survives_both_transports(reason: str) -> None:
    error = BY_REASON[reason]("what happened", id=5, message="m", reason="r", nothing=None)
    assert str(error) == error.message == "what happened"
    assert error.metadata == {"id": "5", "message": "m", "reason": "r"}
    status = to_status(error)
    assert (status.code, status.message) == (code_pb2.Code.Value(error.code), "what happened")
    assert status.details[0].type_url.endswith("google.rpc.ErrorInfo")
    again = to_error(error)
    assert again is error


def test_retryable_errors() -> None:
    retryable = {reason for reason, kind in BY_REASON.items() if kind.retryable}
    assert retryable == {"OVERLOADED", "DISK_FULL", "DEPENDENCY_UNAVAILABLE", "SLOW_READER"}
    assert not EchoMindError.retryable


@pytest.mark.parametrize(
    "body", [None, [], {}, {"error": "x"}, {"error": {"reason": "NEW", "message": "", "metadata": {}}}]
)
def test_a_body_that_is_no_error(body: Any) -> None:
    assert from_body(body) is None


def test_a_reason_of_a_newer_catalogue_is_still_an_error() -> None:
    detail = {"code": "UNAVAILABLE", "reason": "NEW", "message": "Later.", "metadata": {"a": "b"}}
    error = from_body({"error": detail})
    assert error is not None
    assert (error.reason, error.code, error.retryable, str(error)) == ("NEW", "UNAVAILABLE", True, "Later.")
    assert error.metadata == {"a": "b"}


class Order(BaseModel):
    """A body."""

    amount: int = Field(gt=0)


async def test_handwritten_routes_return_errors_of_the_same_form(capsys: pytest.CaptureFixture[str]) -> None:
    app = FastAPI()
    add_error_handlers(app)

    @app.post("/orders/{order_id}")
    async def order(order_id: int, body: Order, page: int = 0) -> None:
        raise NotFoundError("no such order", resource="order", id=order_id)

    @app.get("/refused")
    async def refused() -> None:
        raise HTTPException(403, "not you")

    @app.get("/broken")
    async def broken() -> None:
        raise RuntimeError("secret inside")

    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        missing = await client.post("/orders/1", json={"amount": 1})
        invalid = await client.post("/orders/x?page=y", json={"amount": 0})
        unread = await client.post("/orders/1", content=b"{", headers={"content-type": "application/json"})
        others = [await client.get(path) for path in ("/nowhere", "/orders/1", "/refused", "/broken")]
    assert (missing.status_code, missing.json()["error"]["metadata"]) == (404, {"resource": "order", "id": "1"})
    assert invalid.status_code == unread.status_code == 400
    assert set(invalid.json()["error"]["metadata"]) == {"order_id", "page", "amount"}
    assert [(other.status_code, other.json()["error"]["reason"]) for other in others] == [
        (404, "NOT_FOUND"),
        (405, "UNIMPLEMENTED"),
        (403, "VALIDATION_FAILED"),
        (500, "INTERNAL"),
    ]
    assert "secret" not in others[-1].text
    assert "secret inside" in capsys.readouterr().out


def test_many_violations_fit_into_metadata() -> None:
    with pytest.raises(ValidationError) as caught:
        SearchRequest.model_validate({f"{'x' * 500}{number}": 1 for number in range(1000)} | {"query": "q"})
    error = errors.validation_failed(caught.value)
    assert 0 < len(error.metadata) <= 20
    assert len(str(error.metadata)) + len(error.message) < 16_000
