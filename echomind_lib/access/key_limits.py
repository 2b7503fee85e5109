"""Limits of API keys, as conversations keep them: the columns of `chat_sessions` and what they mean."""

from collections.abc import Sequence
from typing import Any

from echomind_lib.access.principal import KeyLimits
from echomind_lib.access.ways import Limited


def limit_columns(limits: KeyLimits | None) -> dict[str, Any]:
    """Returns the parameters of statements that begin a conversation.

    The limits of its assistants have the name that the choice of its assistant uses.
    """
    return {
        "limited_by": None if limits is None else limits.api_key_id,
        Limited.ASSISTANTS.value: None if limits is None else limits.assistant_ids(),
        "limited_connectors": None if limits is None else limits.connector_ids(),
    }


def read_limits(
    api_key_id: int | None, assistants: Sequence[int] | None, connectors: Sequence[int] | None
) -> KeyLimits | None:
    """Returns the limits of the stored columns of a conversation; None for none."""
    if api_key_id is None:
        return None
    return KeyLimits(
        api_key_id,
        None if assistants is None else frozenset(assistants),
        None if connectors is None else frozenset(connectors),
    )
