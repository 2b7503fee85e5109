"""What tests of conversations begin with."""

import pytest

from echomind_lib.db.database import Database
from echomind_lib.events.log import EventLog
from tests.drivers.conversation import Conversation
from tests.factories.rows import Rows


@pytest.fixture
def conversation(database: Database, rows: Rows, event_log: EventLog) -> Conversation:
    """A conversation that has not begun."""
    return Conversation(event_log, rows.user_id)
