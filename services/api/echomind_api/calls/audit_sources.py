"""Where entries of the audit log come from: each is given the address and the credential of its call.

A call that changes something administrative and has recorded no change gets an entry of its own, so that none is
missing because its code forgot it. That entry is written after the change, in a transaction of its own: if the process
is killed in between, the change has none.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from google.api import annotations_pb2  # type: ignore[import-untyped]
from sqlalchemy import event

from echomind_api.calls.current import current_call
from echomind_api.calls.scopes import required_scope
from echomind_api.calls.targets import target_of
from echomind_api.rows import credential_of
from echomind_lib.contract import CallContext
from echomind_lib.contract.binding import Service, descriptor_of, full_name
from echomind_lib.contract.model import ProtoModel
from echomind_lib.db.database import Database
from echomind_lib.db.models import AuditEntry

_OF_NOTE: Final = frozenset({"echomind.public.v1.ChatSessionService/ExportChatSession"})
"""Calls that are recorded although they change nothing: what leaves EchoMind as a file."""


def methods_of_note(services: Sequence[Service]) -> frozenset[str]:
    """Returns the calls that have an entry in the audit log in any case: changes that need the scope `administer`."""
    return _OF_NOTE | {
        full_name(service, method)
        for service in services
        for method in service.__methods__
        if required_scope(descriptor_of(service, method)) == "administer"
        and descriptor_of(service, method).GetOptions().Extensions[annotations_pb2.http].WhichOneof("pattern") != "get"
    }


async def note_call(database: Database, call: CallContext, result: ProtoModel | None) -> None:
    """Adds the entry of a call that has recorded no change.

    Args:
        database: The database of the log.
        call: The call.
        result: What it returns, whose id completes the target of a creation.
    """
    target, created = target_of(call), getattr(result, "id", None)
    if created and not getattr(call.request, "id", None):
        target = f"{target}/{created}"
    async with database.session() as session:
        session.add(
            AuditEntry(
                actor_id=call.principal.user_id, action=call.method.removeprefix("echomind.public.v1."), target=target
            )
        )


@event.listens_for(AuditEntry, "init")
def _add_source(_: AuditEntry, __: Sequence[Any], values: dict[str, Any]) -> None:
    call = current_call.get()
    if call is None:
        return
    call.is_audited = True
    for name, value in _source(call).items():
        values.setdefault(name, value)


def _source(call: CallContext) -> Mapping[str, str]:
    return {"address": call.address, "credential": credential_of(call.principal)}
