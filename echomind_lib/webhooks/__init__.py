"""Webhooks: the requests that tell an address of events."""

from echomind_lib.webhooks.requests import message_id, payload_of

__all__ = ["message_id", "payload_of"]
