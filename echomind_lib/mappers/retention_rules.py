"""Rules for what is deleted because of its age."""

from echomind_lib.db import models as rows
from echomind_lib.db.words import RetentionData
from echomind_lib.models import public


def to_model(
    data: RetentionData, row: rows.RetentionRule | None, default_days: int, set_by: str
) -> public.RetentionRule:
    """Returns the rule for one kind of data.

    Args:
        data: The data.
        row: The days that a superadmin has set; None if the default applies.
        default_days: The days that apply otherwise.
        set_by: User name of that superadmin.
    """
    return public.RetentionRule(
        data=public.RetentionData.from_word(data),
        days=default_days if row is None else row.days,
        default_days=default_days,
        is_set=row is not None,
        set_at=None if row is None else row.last_update or row.creation_date,
        set_by_name=set_by,
    )
