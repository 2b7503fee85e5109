"""Rules for what is deleted because of its age, and its deletion in the background."""

from echomind_api.retention.expiries import expiries
from echomind_api.retention.rules import RetentionRules, default_days
from echomind_api.retention.service import Retention
from echomind_api.retention.sweeper import RetentionSweeper

__all__ = ["Retention", "RetentionRules", "RetentionSweeper", "default_days", "expiries"]
