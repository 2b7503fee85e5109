"""The target of a call, for the audit log."""

import re
from functools import cache
from typing import Final

from google.api import annotations_pb2  # type: ignore[import-untyped]
from google.protobuf import descriptor_pool

from echomind_lib.contract import CallContext

_PREFIX: Final = "/api/v1/"
_VARIABLE: Final = re.compile(r"\{(\w+)[^}]*\}")
_WORD: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def target_of(call: CallContext) -> str:
    """Returns the resource path of a call, as in the REST API: `chat-sessions/12/messages`.

    It ends before the first unknown id: `users` if the request contains no id, or if the call was refused before its
    request was read.
    """

    def fill(match: re.Match[str]) -> str:
        value = getattr(call.request, match[1], None)
        return str(value) if value else match[0]

    return _VARIABLE.sub(fill, _template(call.method)).partition("{")[0].strip("/")


@cache
def _template(method: str) -> str:
    """The path template of a method without prefix and verb; that of its service's resources when it has none."""
    try:
        descriptor = descriptor_pool.Default().FindMethodByName(method.replace("/", "."))
    except KeyError:  # a route that is not in the contract
        pattern = None
    else:
        rule = descriptor.GetOptions().Extensions[annotations_pb2.http]
        pattern = rule.WhichOneof("pattern") and getattr(rule, rule.WhichOneof("pattern"))
    if not pattern:
        service = method.partition("/")[0].rpartition(".")[2].removesuffix("Service")
        return f"{_WORD.sub('-', service).lower()}s"
    path: str = pattern.removeprefix(_PREFIX)
    return path.partition(":")[0]
