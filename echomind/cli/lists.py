"""Lists of the contract, each named by its call: `SessionShareService.list_session_shares`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from echomind_lib.models import public

if TYPE_CHECKING:
    from google.protobuf.descriptor import FieldDescriptor

    from echomind.cli.terminal import Terminal
    from echomind_lib.contract.binding import Method
    from echomind_lib.contract.client import Client

ALL = 100_000
"""More than the lists that a command reads whole have."""


def method_of(call: str) -> "Method":
    """Returns a call of the contract."""
    service, _, attribute = call.partition(".")
    methods: tuple[Method, ...] = getattr(public, service).__methods__
    return next(each for each in methods if each.attribute == attribute)


def items_field(call: str) -> "FieldDescriptor":
    """Returns the field of a list's response that has the items."""
    fields: list[Any] = list(method_of(call).response.__proto__.DESCRIPTOR.fields)
    field: FieldDescriptor = next(each for each in fields if each.is_repeated)
    return field


async def read_list(
    client: "Client", call: str, request: Mapping[str, Any] | None = None, *, limit: int = ALL
) -> list[Any]:
    """Returns the items of a list, at most `limit`, page by page if it has pages."""
    return (await read_until(client, call, request, limit=limit))[0]


async def read_until(
    client: "Client", call: str, request: Mapping[str, Any] | None = None, *, limit: int
) -> tuple[list[Any], str]:
    """Returns the items of a list as `read_list`, and the token of what follows them; empty if these are all."""
    from echomind_lib.contract.client import items_of

    service, _, attribute = call.partition(".")
    bound = getattr(getattr(public, service), attribute)
    if "page_token" in method_of(call).request.model_fields:
        page = await client.collect(bound, request, limit=limit)
        return items_of(page), page.next_page_token
    return items_of(await client.call(bound, request or {})), ""


def more(terminal: "Terminal", token: str, count: int) -> dict[str, Any]:
    """Says that a list goes on after the items that were read, and returns what `--json` adds to them.

    Args:
        terminal: Where it is said.
        token: The token of what follows; empty for nothing.
        count: Number of items that were read.
    """
    if not token:
        return {}
    terminal.note(f"These are the first {count}. There are more: --limit lists more.")
    return {"nextPageToken": token}
