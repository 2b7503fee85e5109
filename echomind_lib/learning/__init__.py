"""Learning from chat sessions that nobody uses for a while: which are due, and how far each was read.

Every kind of learning has a watermark in each session and a background job of its own. A session is due when nobody has
written in it for some minutes and it has messages after the watermark; more activity puts it off. What a job has
learned and the new watermark are stored in one transaction.
"""

from echomind_lib.learning.idle import find_idle_sessions
from echomind_lib.learning.kinds import LEARNINGS, Learning
from echomind_lib.learning.messages import SessionMessage, may_learn_from, new_messages, note_in_session
from echomind_lib.learning.watermarks import IdleSession, begin, mark_read

__all__ = [
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
