"""Event streams: from the event log and the live wire to subscribers, in order and exactly once."""

from echomind_api.streams.feeds import Feeds
from echomind_api.streams.subscriber import Subscriber, sse_id

__all__ = ["Feeds", "Subscriber", "sse_id"]
