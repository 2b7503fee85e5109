"""Webhooks: addresses to which events are sent."""

from echomind_api.webhooks.webhooks import Webhooks

__all__ = ["Webhooks"]
