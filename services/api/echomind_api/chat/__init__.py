"""Conversations: sessions, messages, runs."""

from echomind_api.chat.messages import ChatMessages
from echomind_api.chat.runs import Runs
from echomind_api.chat.sessions import ChatSessions

__all__ = ["ChatMessages", "ChatSessions", "Runs"]
