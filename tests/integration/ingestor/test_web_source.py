"""Web sites as a source, on a small site with the real frontier: discovery, updates and removal."""

import asyncio
import gzip
from typing import Any

import pytest
from aiohttp import web

from echomind_ingestor.connectors.protocol import SourceUnavailableError
from echomind_ingestor.connectors.web import source as web_source
from tests.drivers.crawl import content_of, make, page
from tests.drivers.site import Site, site

__all__ = ["make", "site"]


async def test_links_are_followed_to_a_depth_and_within_the_site(make: Any, site: Site) -> None:
    site.serve("/", page("/a", "b/", "http://other.test/x", "mailto:a@b", "/a#part", "/pic.png", text="home"))
    site.serve("/a", page("/a/deep", text="a"))
    site.serve("/b/", page("../a/deep", text="b"))
    site.serve("/a/deep", page("/a/deep/er", text="deep"))
    site.serve("/a/deep/er", page(text="deeper"))
    crawl = await make(max_depth=2)
    assert await crawl.sync() == {"/", "/a", "/b/", "/a/deep"}
    assert "/a/deep/er" not in site
    assert "/pic.png" not in site
    assert site.names.asked == []


async def test_nothing_changed_reads_nothing(make: Any, site: Site) -> None:
    tagged = []

    async def with_tag(request: web.Request) -> web.StreamResponse:
        if request.headers.get("If-None-Match") == '"1"':
            tagged.append(304)
            return web.Response(status=304)
        tagged.append(200)
        return web.Response(text=page("/plain", text="tagged"), content_type="text/html", headers={"ETag": '"1"'})

    site.handlers["/"] = with_tag
    site.serve("/plain", page(text="plain"), Last_Modified="Mon, 01 Jan 2024 00:00:00 GMT")
    crawl = await make()
    assert await crawl.sync() == {"/", "/plain"}
    assert await crawl.sync() == set()
    assert crawl.paths == {"/", "/plain"}
    assert tagged == [200, 304]
    site.serve("/plain", page(text="other words"))
    assert await crawl.sync() == {"/plain"}


async def test_a_token_in_the_markup_is_no_change(make: Any, site: Site) -> None:
    site.serve("/", page(text="home", head='<meta name="csrf" content="1">'))
    crawl = await make()
    await crawl.sync()
    site.serve("/", page(text="home", head='<meta name="csrf" content="2"><script>2</script>'))
    assert await crawl.sync() == set()


async def test_removed_pages_go_and_failing_ones_stay(make: Any, site: Site) -> None:
    site.serve("/", page("/removed", "/broken", "/forbidden", text="home"))
    for path in ("/removed", "/broken", "/forbidden"):
        site.serve(path, page(text=path))
    crawl = await make()
    await crawl.sync()

    async def broken(_: web.Request) -> web.StreamResponse:
        return web.Response(status=500)

    async def forbidden(_: web.Request) -> web.StreamResponse:
        return web.Response(status=403)

    del site.handlers["/removed"]
    site.handlers |= {"/broken": broken, "/forbidden": forbidden}
    await crawl.sync()
    assert crawl.paths == {"/", "/broken", "/forbidden"}
    assert {failure.message for failure in crawl.failures} == {
        "It answers with status 500.",
        "It answers with status 403.",
    }
    site.serve("/broken", page(text="/broken"))
    site.serve("/removed", page(text="/removed"))
    await crawl.sync()
    assert crawl.paths == {"/", "/broken", "/forbidden", "/removed"}


async def test_robots_txt_holds(make: Any, site: Site) -> None:
    site.serve("/robots.txt", "User-agent: *\nDisallow: /secret\nUser-agent: echomind\nDisallow: /no\nAllow: /no/but")
    site.serve("/", page("/secret", "/no/a", "/no/but", text="home"))
    for path in ("/secret", "/no/a", "/no/but"):
        site.serve(path, page(text=path))
    crawl = await make()
    await crawl.sync()
    assert crawl.paths == {"/", "/secret", "/no/but"}
    assert "/no/a" not in site


async def test_while_robots_txt_fails_nothing_is_read_and_nothing_removed(make: Any, site: Site) -> None:
    site.serve("/", page("/a", text="home"))
    site.serve("/a", page(text="a"))
    crawl = await make()
    await crawl.sync()

    async def broken(_: web.Request) -> web.StreamResponse:
        return web.Response(status=503)

    site.handlers["/robots.txt"] = broken
    await crawl.sync()
    assert crawl.paths == {"/", "/a"}
    assert set(site) == {"/robots.txt"}
    assert [(failure.source_id, "robots.txt" in failure.message) for failure in crawl.failures] == [("", True)]


async def test_a_site_that_must_not_be_fetched_says_why(make: Any) -> None:
    crawl = await make(start_urls=("http://10.0.0.1/",))
    await crawl.sync()
    (failure,) = crawl.failures
    assert "must not be fetched" in failure.message
    assert "private" in failure.message


async def test_sitemaps_of_all_kinds(make: Any, site: Site) -> None:
    site.serve("/", page(text="home"))
    for path in ("/xml", "/packed", "/text", "/rss", "/atom"):
        site.serve(path, page(text=path))
    names = {path: crawl_url for path in ("/xml", "/packed", "/text", "/rss", "/atom") for crawl_url in [path]}
    base = site.url("", "127.0.0.1")
    site.serve("/robots.txt", f"Sitemap: {base}/index.xml")
    maps = "".join(f"<sitemap><loc>{base}/{name}</loc></sitemap>" for name in ("a", "b", "c", "d", "e", "index.xml"))
    site.serve("/index.xml", f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{maps}</sitemapindex>')
    site.serve(
        "/a", f"<urlset><url><loc> {base}{names['/xml']} </loc></url><url><loc>http://x.test/</loc></url></urlset>"
    )
    site.serve("/b", gzip.compress(f"<urlset><url><loc>{base}/packed</loc></url></urlset>".encode()), "text/html")
    site.serve("/c", f"\ufeff{base}/text\r\nno address\n", "text/plain")
    site.serve("/d", f"<rss><channel><item><link>{base}/rss</link></item></channel></rss>")
    site.serve("/e", f'<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="{base}/atom"/></entry></feed>')
    crawl = await make(max_depth=0)
    await crawl.sync()
    assert crawl.paths == {"/", *names}


async def test_redirects_canonical_addresses_and_directives(make: Any, site: Site) -> None:
    site.serve("/", page("/old", "/print", "/hidden", "/dead-end", "/loop", "/wrong", "/header", text="home"))
    site.redirect("/old", "/new", 301)
    site.serve("/new", page(text="new"))
    site.serve("/print", page(text="article", head='<link rel="canonical" href="/article">'))
    site.serve("/article", page(text="article", head='<link rel="canonical" href="/article">'))
    site.serve("/wrong", page(text="wrong", head='<link rel="canonical" href="/none">'))
    site.serve("/hidden", page("/from-hidden", text="hidden", head='<meta name="robots" content="noindex">'))
    site.serve("/from-hidden", page(text="from hidden"))
    site.serve("/dead-end", page("/never", text="dead end", head='<meta name="ROBOTS" content="NoFollow">'))
    site.serve("/never", page(text="never"))
    site.serve("/header", page(text="header"), X_Robots_Tag="noindex")
    site.redirect("/loop", "/loop")
    crawl = await make()
    await crawl.sync()
    assert crawl.paths == {"/", "/new", "/article", "/wrong", "/from-hidden", "/dead-end"}
    assert crawl.failures == []
    await crawl.sync()
    assert crawl.paths == {"/", "/new", "/article", "/wrong", "/from-hidden", "/dead-end"}


async def test_pages_that_say_that_there_is_none(make: Any, site: Site) -> None:
    async def missing(request: web.Request) -> web.StreamResponse:
        if request.path in {"/robots.txt", "/sitemap.xml"}:
            return web.Response(status=404)
        if request.path == "/":
            return web.Response(text=page("/a", "/lost", text="home"), content_type="text/html")
        text = "a" if request.path == "/a" else f"Sorry, {request.path[1:]} was not found"
        return web.Response(text=page(text=text), content_type="text/html")

    for path in ("/", "/a", "/lost", "/robots.txt", "/sitemap.xml"):
        site.handlers[path] = missing
    crawl = await make()
    site.otherwise = missing
    await crawl.sync()
    assert crawl.paths == {"/", "/a"}


async def test_patterns_select_pages(make: Any, site: Site) -> None:
    site.serve("/", page("/guide/a", "/guide/old/b", "/über/c", "/blog/d", text="home"))
    for path in ("/guide/a", "/guide/old/b", "/über/c", "/blog/d"):
        site.serve(path, page(text=path))
    crawl = await make(include=("/guide/**", "/über/**"), exclude=("**/old/**",))
    await crawl.sync()
    assert crawl.paths == {"/guide/a", "/%C3%BCber/c"}


async def test_endless_sites_end(make: Any, site: Site) -> None:
    async def endless(request: web.Request) -> web.StreamResponse:
        if request.path in {"/robots.txt", "/sitemap.xml"}:
            return web.Response(status=404)
        number = int(request.query.get("day", 0))
        links = [f"/calendar?day={number + step}" for step in range(1, 9)] + ["sub/", f"{request.path}x"]
        return web.Response(text=page(*links, text=f"{request.path_qs}"), content_type="text/html")

    site.otherwise = endless
    crawl = await make(max_pages=300, max_depth=50)
    await crawl.sync()
    assert len(crawl.known) <= 300
    assert sum("day=" in path for path in crawl.paths) <= 100
    assert not any(path.count("sub/") > 3 for path in crawl.paths)
    assert [failure.name for failure in crawl.failures] == ["Most pages"]


async def test_documents_are_read_whatever_their_size(make: Any, site: Site) -> None:
    large = b"%PDF-1.7 " + b"x" * 700_000
    site.serve("/", page("/small.pdf", "/large.pdf", "/data.bin", "/named.pdf", text="home"))
    site.serve("/small.pdf", b"%PDF-1.7", "application/pdf")
    site.serve("/large.pdf", large, "application/pdf")
    site.serve("/named.pdf", b"%PDF-1.7 n", "application/octet-stream")
    site.serve("/data.bin", b"\0\1", "application/octet-stream")
    crawl = await make()
    assert await crawl.sync() == {"/", "/small.pdf", "/large.pdf", "/named.pdf"}
    assert crawl.contents[crawl.url("/large.pdf")] == large
    assert list(site).count("/large.pdf") == 1
    async with crawl.source() as source:
        found = await source.find(crawl.url("/large.pdf"))
        assert found is not None
        assert await content_of(source, found) == large
        assert await source.find(crawl.url("/none")) is None


@pytest.mark.parametrize("stop", [1, 2, 3])
async def test_a_crawl_that_is_interrupted_continues(
    make: Any, site: Site, stop: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_source, "_BATCH", 2)
    names = {f"/{number}" for number in range(8)}
    site.serve("/", page(*sorted(names), text="home"))
    for path in names:
        site.serve(path, page(f"{path}/below", text=path))
        site.serve(f"{path}/below", page(text=f"below {path}"))
    crawl = await make()
    await crawl.sync(pages=stop)
    position = crawl.cursor
    await crawl.sync(pages=1)  # and again, as if the process had died before the cursor was stored
    crawl.cursor = position
    await crawl.sync(pages=100)
    assert crawl.paths == {"/", *names, *(f"{path}/below" for path in names)}
    assert crawl.cursor == {}


async def test_a_host_that_asks_for_a_pause_is_left_alone(make: Any, site: Site) -> None:
    async def busy(_: web.Request) -> web.StreamResponse:
        return web.Response(status=429, headers={"Retry-After": "900"})

    site.handlers["/"] = busy
    crawl = await make()
    with pytest.raises(SourceUnavailableError) as caught:
        await crawl.sync()
    assert caught.value.retry_after == pytest.approx(900)


async def test_a_short_pause_is_waited_for(make: Any, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    slept, sleep = [], asyncio.sleep

    async def note(seconds: float) -> None:
        slept.append(round(seconds))
        await sleep(0)

    answers = iter([429, 503])

    async def busy(_: web.Request) -> web.StreamResponse:
        if (status := next(answers, None)) is not None:
            return web.Response(status=status, headers={"Retry-After": "7"})
        return web.Response(text=page(text="home"), content_type="text/html")

    site.handlers["/"] = busy
    crawl = await make()
    monkeypatch.setattr("echomind_ingestor.connectors.web.client.asyncio.sleep", note)
    assert await crawl.sync() == {"/"}
    assert slept.count(7) == 2


async def test_a_crawl_delay_holds_up_to_a_limit(make: Any, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    slept, sleep = [], asyncio.sleep

    async def note(seconds: float) -> None:
        slept.append(seconds)
        await sleep(0)

    site.serve("/robots.txt", "User-agent: *\nCrawl-delay: 86400")
    site.serve("/", page("/a", text="home"))
    site.serve("/a", page(text="a"))
    crawl = await make()
    monkeypatch.setattr("echomind_ingestor.connectors.web.client.asyncio.sleep", note)
    await crawl.sync()
    assert 25 < max(slept) <= 30


async def test_addresses_that_must_not_be_reached_are_not(make: Any, site: Site) -> None:
    site.serve("/", page(text="home"))
    metadata = "http://169.254.169.254/latest/meta-data/"
    crawl = await make(start_urls=(site.url("/", "127.0.0.1"), "http://10.0.0.1/", metadata))
    await crawl.sync()
    assert crawl.paths == {"/"}
    assert len(crawl.failures) == 2
    async with crawl.source() as source:
        assert [check.status for check in await source.check()] == ["passed", "failed", "failed"]


async def test_settings_decide_what_stays(make: Any, site: Site) -> None:
    site.serve("/", page("/a", text="home"), ETag='"1"')
    site.serve("/a", page("/a/b", text="a"))
    site.serve("/a/b", page(text="b"))
    crawl = await make(max_depth=1)
    await crawl.sync()
    assert crawl.paths == {"/", "/a"}
    crawl.settings = {"max_depth": 2}
    await crawl.sync()
    assert crawl.paths == {"/", "/a", "/a/b"}
    crawl.settings = {"exclude": ("/a",)}
    await crawl.sync()
    assert crawl.paths == {"/", "/a/b"}
