"""The start of a crawl: the start pages, and the sitemaps of their hosts."""

from collections.abc import AsyncIterator
from itertools import islice
from typing import Final

from echomind_ingestor.connectors.web.addresses import Territory, normalize, origin
from echomind_ingestor.connectors.web.client import WebClient
from echomind_ingestor.connectors.web.sitemaps import SitemapError, read_sitemap
from echomind_lib.network.fetching import Fetcher, FetchError

_MAX_SITEMAPS: Final = 500
_BATCH: Final = 1000


async def sitemap_pages(client: WebClient, fetcher: Fetcher, territory: Territory) -> AsyncIterator[list[str]]:
    """Yields the pages in sitemaps that belong to the crawl, in batches.

    Sitemaps may refer to others; each is read once. Unreadable ones are skipped, as links lead to their pages, too.
    """
    waiting, seen = [], set[str]()
    for site in territory.origins:
        robots = await client.robots(site)
        if robots.is_reachable:
            waiting += robots.sitemaps or [f"{site}/sitemap.xml"]
    while waiting and len(seen) < _MAX_SITEMAPS:
        url = normalize(waiting.pop(0))
        if url is None or url in seen or not territory.holds(url):
            continue
        seen.add(url)
        if not (await client.robots(url)).allows(url):
            continue
        try:
            async with fetcher.open(url) as response:
                if response.status != 200 or not territory.holds(response.url):
                    continue
                listed = read_sitemap(await response.body())
            while batch := list(islice(listed, _BATCH)):
                waiting += [sitemap.url for sitemap in batch if sitemap.is_sitemap][: _MAX_SITEMAPS - len(waiting)]
                pages = (normalize(sitemap.url, origin(url)) for sitemap in batch if not sitemap.is_sitemap)
                yield [page for page in pages if page is not None and territory.follows(page, 0)]
        except (FetchError, SitemapError):
            continue
