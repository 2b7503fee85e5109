"""Pages of web sites."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from echomind_lib.connectors.definition import ConnectorDefinition
from echomind_lib.connectors.types.patterns import Patterns

Address = Annotated[
    str,
    Meta(
        pattern="^https?://[^/?#]+",
        max_length=2000,
        extra={"form": "must be an address that begins with https:// or http://"},
    ),
]


class WebSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Pages are found by the site's sitemap and by links. What its robots.txt forbids is not read."""

    start_urls: Annotated[
        tuple[Address, ...],
        Meta(
            title="Start pages",
            description="Where the crawl begins. Links are followed to pages of these hosts, with or without `www.`.",
            min_length=1,
            max_length=50,
            examples=[["https://docs.example.com/"]],
        ),
    ]
    sitemaps: Annotated[
        bool, Meta(title="Use sitemaps", description="Also read the pages that the sitemaps of these hosts list.")
    ] = True
    max_depth: Annotated[
        int,
        Meta(
            title="Depth",
            description="How many links away from a start page a page may be; 0 reads the start pages and those of "
            "the sitemaps alone.",
            ge=0,
            le=50,
        ),
    ] = 10
    max_pages: Annotated[
        int,
        Meta(title="Most pages", description="How many addresses the crawl may visit.", ge=1, le=100_000),
    ] = 5000
    include: Annotated[
        Patterns,
        Meta(
            title="Include",
            description="Only pages whose address matches one of these patterns. One that begins with `/` is compared "
            "with the path. `*` stands for a part of a name, `**` for any folders. Empty means all pages.",
            examples=[["/guide/**"]],
        ),
    ] = ()
    exclude: Annotated[
        Patterns,
        Meta(
            title="Exclude",
            description="No pages whose address matches one of these patterns. It wins over Include.",
            examples=[["/archive/**", "**/*.zip"]],
        ),
    ] = ()
    delay_seconds: Annotated[
        float,
        Meta(
            title="Pause between pages",
            description="Seconds between two requests to a host. A longer `Crawl-delay` of its robots.txt holds, up to "
            "30 seconds.",
            ge=0.0,
            le=60.0,
        ),
    ] = 0.2


WEB: Final = ConnectorDefinition(
    name="web",
    title="Web site",
    description="Pages and documents of web sites, found by sitemaps and links.",
    settings=WebSettings,
    implementation="echomind_ingestor.connectors.web.source:WebSource",
)
"""A crawl of web sites."""
