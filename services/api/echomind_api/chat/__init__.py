"""Conversations: sessions, messages, runs."""

from echomind_api.chat.checkpoints import Checkpoints
from echomind_api.chat.messages import ChatMessages
from echomind_api.chat.runs import Runs
from echomind_api.chat.sessions import ChatSessions
from echomind_api.chat.todos import Todos

__all__ = ["ChatMessages", "ChatSessions", "Checkpoints", "Runs", "Todos"]
