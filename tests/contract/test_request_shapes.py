"""Requests of one kind have one shape: a new resource, and a changed one, is given under its name, and is the body."""

from google.protobuf.descriptor import MethodDescriptor

from echomind_lib.contract.http_call import http_rule
from tests.drivers.client import METHODS

OTHERWISE = {
    "ApiKeyService/CreateApiKey": "published with the fields of the key; the key itself is not for writing",
    "AuthService/CreatePasswordLink": "makes a link for an account, of which nothing is given",
    "AuthService/CreateSignInLink": "makes a link for an account, of which nothing is given",
    "KnowledgeService/CreateKnowledge": "has the message beside it that the knowledge is from",
    "ScimClientService/CreateScimToken": "makes a token of a client, of which its end is given",
    "SecretKeyService/CreateSecretKey": "makes a key, of which nothing is given",
    "ServiceAccountService/CreateServiceAccountKey": "as `CreateApiKey`",
}
"""Methods that create something and have another shape, each with the reason."""
CONDITION = "expected_last_update"
"""Field of an update: the time of the change that the caller knows of, without which it changes nothing."""


def of_kind(verb: str) -> dict[str, MethodDescriptor]:
    """Returns the methods whose name begins with a verb, by service and method."""
    return {name: method for name, method in METHODS.items() if method.name.startswith(verb)}


def resource_in(method: MethodDescriptor) -> str:
    """Returns the field of a request that is the resource which a response is, or contains; empty if there is none."""
    answer = method.output_type
    shown = {answer, *(field.message_type for field in answer.fields)} - {None}
    given = [
        field.name for field in method.input_type.fields if field.message_type in shown and field.name != CONDITION
    ]
    return given[0] if len(given) == 1 else ""


def test_a_new_resource_is_the_body() -> None:
    for name, method in of_kind("Create").items():
        rule, resource = http_rule(method), resource_in(method)
        assert rule is not None
        assert (rule.verb, bool(resource) and rule.body == resource) == ("POST", name not in OTHERWISE), name
    assert OTHERWISE.keys() <= of_kind("Create").keys()


def test_a_changed_resource_is_the_body_beside_its_mask() -> None:
    for name, method in of_kind("Update").items():
        rule, resource = http_rule(method), resource_in(method)
        assert rule is not None
        assert (rule.verb, rule.body) == ("PATCH", resource), name
        allowed = {"id", "update_mask", CONDITION, resource}
        assert {field.name for field in method.input_type.fields} <= allowed, name
        assert method.output_type == method.input_type.fields_by_name[resource].message_type, name
