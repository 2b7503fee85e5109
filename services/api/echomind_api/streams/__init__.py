"""Event streams: from the event log and the live wire to subscribers, in order and exactly once."""

from echomind_api.streams.feeds import Feeds
from echomind_api.streams.subscriber import Subscriber, sse_id, withhold, withhold_results
from echomind_api.streams.user_feeds import UserFeeds

__all__ = ["Feeds", "Subscriber", "UserFeeds", "sse_id", "withhold", "withhold_results"]
