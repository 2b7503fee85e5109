"""What something may read."""

from dataclasses import dataclass

_SESSION = frozenset(
    {
        "chat_message_documents",
        "chat_messages",
        "chat_session_sources",
        "chat_sessions",
        "runs",
        "steps",
        "tool_calls",
    }
)


@dataclass(frozen=True)
class Allowed:
    """What a module, or a room with its modules, reads without asking."""

    tables: frozenset[str]
    reason: str


def of(reason: str, *tables: str, session: bool = False) -> Allowed:
    return Allowed(frozenset(tables) | (_SESSION if session else frozenset()), reason)
