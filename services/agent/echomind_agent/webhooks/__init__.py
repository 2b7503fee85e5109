"""Sending events to webhooks: with which rights, when again, and what came of it."""

from echomind_agent.webhooks.sender import WebhookSender

__all__ = ["WebhookSender"]
