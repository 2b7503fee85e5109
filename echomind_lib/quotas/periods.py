"""The days and months of quotas, in UTC."""

from datetime import UTC, datetime, timedelta

from echomind_lib.db.words import UsagePeriod


def renewal(period: UsagePeriod, begins_at: datetime) -> datetime:
    """Returns when the day or month that begins at a time ends, in UTC.

    Args:
        period: Day or month.
        begins_at: Its beginning, with time zone.
    """
    begins_at = begins_at.astimezone(UTC)
    if period == "day":
        return begins_at + timedelta(days=1)
    return (begins_at.replace(day=1) + timedelta(days=32)).replace(day=1)
