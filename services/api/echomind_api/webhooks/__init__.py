"""Webhooks: addresses that are told of events."""

from echomind_api.webhooks.webhooks import Webhooks

__all__ = ["Webhooks"]
