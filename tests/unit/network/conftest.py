"""What the tests of fetching share."""

from tests.drivers.site import fetcher, site

__all__ = ["fetcher", "site"]
