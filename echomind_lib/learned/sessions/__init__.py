"""Learning from idle chat sessions: which are due, and how far each was read.

Every kind of learning has a watermark in each session and a separate background job. A session is due if it was idle
for some minutes and has messages after the watermark; new activity postpones it. The learned facts and the new
watermark are stored in one transaction.
"""

from echomind_lib.learned.sessions.idle import find_idle_sessions
from echomind_lib.learned.sessions.kinds import LEARNINGS, Learning
from echomind_lib.learned.sessions.messages import SessionMessage, may_learn_from, new_messages, note_in_session
from echomind_lib.learned.sessions.models import INVALID_FORM
from echomind_lib.learned.sessions.watermarks import IdleSession, begin, mark_read

__all__ = [
    "INVALID_FORM",
    "LEARNINGS",
    "IdleSession",
    "Learning",
    "SessionMessage",
    "begin",
    "find_idle_sessions",
    "mark_read",
    "may_learn_from",
    "new_messages",
    "note_in_session",
]
