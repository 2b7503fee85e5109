"""Sending events to webhooks: with which rights, when again, and what came of it."""

from echomind_agent.webhooks.sender import WebhookSender
from echomind_agent.webhooks.store import Due

__all__ = ["Due", "WebhookSender"]
