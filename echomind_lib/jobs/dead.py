"""Dead letters: jobs that failed for good and were not discarded."""

from typing import Final

from sqlalchemy import ColumnElement, or_

from echomind_lib.db.models import BackgroundJob

# A trigger sets `last_update` to the same time as a discard; a later failure sets it to a later one.
IS_DEAD: Final[ColumnElement[bool]] = (BackgroundJob.status == "failed") & or_(
    BackgroundJob.discarded_at.is_(None), BackgroundJob.discarded_at < BackgroundJob.last_update
)
"""Whether a job is a dead letter."""
