"""What `google.api.field_behavior` says of a field is what calls do with it, and what OpenAPI says."""

from types import SimpleNamespace
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor
from pydantic.json_schema import models_json_schema

from echomind_lib.contract import CallContext
from echomind_lib.contract.behavior import INPUT_ONLY, OUTPUT_ONLY, behaviors, set_by_server
from echomind_lib.contract.binding import Method, bind
from echomind_lib.errors import ValidationFailedError
from echomind_lib.models import public
from tests.drivers.client import METHODS

MODEL = {"name": "m", "provider": "LLM_PROVIDER_OLLAMA", "modelId": "m"}
PROVIDER = {"name": "company", "issuer": "https://id.example.org"}
CALL = CallContext(method="", metadata={}, peer="")


def method(name: str) -> Method:
    return next(each for each in public.LlmService.__methods__ if each.name == name)


async def called(method_: Method, data: dict[str, Any], answer: Any = None) -> tuple[Any, Any]:
    """Calls a method that answers with its request's model or with `answer`; returns its request and its response."""
    requests = []

    async def function(request: Any, call: CallContext) -> Any:
        requests.append(request.model_copy(deep=True))
        return request.llm if answer is None else answer

    async def read() -> dict[str, Any]:
        return data

    async def emit(item: Any) -> None:
        raise AssertionError(item)

    tokens: Any = SimpleNamespace(open=lambda call, request: request, seal=lambda call, request, page: None)
    service: Any = SimpleNamespace(**{method_.attribute: function})
    response = await bind(service, method_, (), tokens)(CALL, read, emit)
    return requests[0], response


async def test_what_the_server_sets_is_ignored_whatever_it_is() -> None:
    sent = {"hasApiKey": True, "creation_date": "no time", "updatedByName": 5}
    request, _ = await called(method("CreateLlm"), {"llm": MODEL | sent})
    assert isinstance(request, public.CreateLlmRequest)
    assert (request.llm.has_api_key, request.llm.creation_date, request.llm.updated_by_name) == (False, None, "")
    assert request.llm.model_fields_set == {"name", "provider", "model_id"}


async def test_what_is_only_written_is_never_returned() -> None:
    request, response = await called(method("CreateLlm"), {"llm": MODEL | {"apiKey": "secret"}})
    assert (request.llm.api_key, response.api_key) == ("secret", None)
    assert b"apiKey" not in response.to_json()
    assert not response.to_pb().api_key
    stored = public.Llm.model_validate(MODEL | {"apiKey": "secret"})
    for name, answer in (("GetLlm", stored), ("ListLlms", public.ListLlmsResponse(llms=[stored]))):
        data = {"id": 1} if name == "GetLlm" else {}
        _, response = await called(method(name), data, answer.model_copy(deep=True))
        assert b"secret" in answer.to_json()
        assert b"secret" not in response.to_json()
    assert {public.GetLlmRequest, public.ListLlmsRequest} == {method("GetLlm").request, method("ListLlms").request}


@pytest.mark.parametrize(
    ("kind", "data", "field"),
    [
        (public.CreateMemoryRequest, {"memory": {}}, "memory.content"),
        (public.CreateMemoryRequest, {"memory": {"content": ""}}, "memory.content"),
        (
            public.CreateIdentityProviderRequest,
            {"identityProvider": {"name": "n", "issuer": "i"}},
            "identityProvider.clientId",
        ),
        (public.CreateLlmRequest, {"llm": MODEL | {"modelId": ""}}, "llm.modelId"),
    ],
)
async def test_what_is_required_and_missing_is_named(kind: Any, data: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationFailedError) as caught:
        await called(Method("Create", "create", kind, public.Llm), data)
    assert caught.value.metadata.keys() == {field}


QUOTA = public.Quota(scope=public.QuotaScope.GROUP, group_id=5, period=public.QuotaPeriod.DAY, max_questions=3)


class Quotas:
    """A service with one quota, which remembers the masks of its updates."""

    __service__ = public.QuotaService.__service__
    __methods__ = public.QuotaService.__methods__

    def __init__(self) -> None:
        self.masks: list[list[str]] = []

    async def get_quota(self, request: public.GetQuotaRequest, call: CallContext) -> public.Quota:
        assert request.id == 7
        return QUOTA

    async def update_quota(self, request: public.UpdateQuotaRequest, call: CallContext) -> public.Quota:
        self.masks.append(list(request.update_mask))
        return QUOTA


async def update(quotas: Quotas, quota: dict[str, Any], mask: str) -> None:
    async def read() -> dict[str, Any]:
        return {"id": 7, "quota": quota, "updateMask": mask}

    async def emit(item: Any) -> None:
        raise AssertionError(item)

    service: Any = quotas
    (update,) = (each for each in public.QuotaService.__methods__ if each.name == "UpdateQuota")
    await bind(service, update, ())(CALL, read, emit)


@pytest.mark.parametrize(
    ("quota", "mask", "fields"),
    [
        ({"groupId": 6}, "groupId", {"quota.groupId"}),
        ({}, "groupId,maxQuestions", {"quota.groupId"}),
        (
            {"scope": "QUOTA_SCOPE_USER", "period": "QUOTA_PERIOD_MONTH"},
            "scope,period",
            {"quota.scope", "quota.period"},
        ),
    ],
)
async def test_a_changed_immutable_field_is_refused_and_named(
    quota: dict[str, Any], mask: str, fields: set[str]
) -> None:
    quotas = Quotas()
    with pytest.raises(ValidationFailedError, match="cannot be changed after creation") as caught:
        await update(quotas, quota, mask)
    assert caught.value.metadata.keys() == fields
    assert not quotas.masks


async def test_an_immutable_field_may_be_sent_back_as_it_was_read() -> None:
    quotas = Quotas()
    await update(quotas, {"groupId": 5, "maxQuestions": 4}, "groupId,maxQuestions")
    assert quotas.masks == [["max_questions"]]


def test_a_service_whose_immutable_fields_cannot_be_compared_is_not_bound() -> None:
    methods = tuple(each for each in public.QuotaService.__methods__ if each.name != "GetQuota")
    service: Any = type("Blind", (Quotas,), {"__methods__": methods})()
    (update,) = (each for each in methods if each.name == "UpdateQuota")
    with pytest.raises(ValueError, match="needs `get_quota`"):
        bind(service, update, ())


def test_a_schema_says_who_writes_a_field() -> None:
    _, document = models_json_schema([(public.Connector, "validation")], ref_template="#/components/schemas/{model}")
    properties = document["$defs"]["Connector"]["properties"]
    assert properties["id"]["readOnly"]
    assert properties["sync"]["readOnly"]
    assert properties["credentials"]["writeOnly"]
    assert not properties["name"].keys() & {"readOnly", "writeOnly"}
    schema = public.Llm.model_json_schema()
    assert set(schema["required"]) == {"name", "provider", "modelId"}
    assert schema["properties"]["apiKey"]["writeOnly"]


def messages(kind: Any) -> set[Any]:
    """The messages that a message contains, and itself."""
    found: set[Any] = set()
    waiting = [kind]
    while waiting:
        message = waiting.pop()
        if message not in found and message.full_name.startswith("echomind."):
            found.add(message)
            waiting += [field.message_type for field in message.fields if field.message_type]
    return found


def shared() -> set[Any]:
    """The messages that requests and responses share."""
    asked = set[Any]().union(*(messages(each.input_type) for each in METHODS.values()))
    answered = set[Any]().union(*(messages(each.output_type) for each in METHODS.values()))
    return asked & answered


def test_of_a_shared_message_it_is_said_what_the_server_sets() -> None:
    always = {"id", "creation_date", "last_update", "updated_by", "updated_by_name"}
    unsaid = {
        f"{message.name}.{name}"
        for message in shared() - _only_read()
        for name in always & {field.name for field in message.fields} - set_by_server(message)
    }
    assert not unsaid


def _only_read() -> set[Any]:
    """The messages that requests have only inside of what the server sets."""
    written: set[Any] = set()
    waiting: list[Descriptor] = [each.input_type for each in METHODS.values()]
    while waiting:
        message = waiting.pop()
        if message not in written:
            written.add(message)
            waiting += [
                field.message_type
                for field in message.fields
                if field.message_type and OUTPUT_ONLY not in behaviors(field)
            ]
    return shared() - written


def test_a_comment_does_not_say_otherwise() -> None:
    """`Set by the server` and `Write-only` in words are the behaviours as well."""
    for model, behavior, words in (
        (public.Assistant, OUTPUT_ONLY, "set by the server"),
        (public.Llm, INPUT_ONLY, "write-only"),
    ):
        described = {name for name, field in model.model_fields.items() if words in (field.description or "").lower()}
        meant = {field.name for field in model.__proto__.DESCRIPTOR.fields if behavior in behaviors(field)} | {"id"}
        assert described <= meant
