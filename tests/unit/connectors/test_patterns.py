"""Patterns of paths and addresses."""

import time

import pytest

from echomind_lib.connectors.types.patterns import matches, selects
from tests.drivers.tables import for_each


@for_each(
    ("pattern", "path"),
    [
        ("*.pdf", "a.pdf"),
        ("*.pdf", "deep/er/a.pdf"),
        ("policies/**", "policies/a/b.md"),
        ("policies/**", "policies/b.md"),
        ("**/drafts/**", "drafts/x"),
        ("**/drafts/**", "a/drafts/b/x"),
        ("a/**/b/**/c.txt", "a/b/c.txt"),
        ("a/**/b/**/c.txt", "a/x/b/y/z/c.txt"),
        ("a/?.txt", "a/b.txt"),
        ("a/[ab].txt", "a/b.txt"),
        ("/blog/**", "/blog/2026/post"),
        ("/search?q=*", "/search?q=leave"),
        ("https://docs.example.com/**", "https://docs.example.com/guide/start"),
        ("*", "a/Grüße.txt"),
    ],
)
def test_matches(pattern: str, path: str) -> None:
    assert matches([pattern], path)


@for_each(
    ("pattern", "path"),
    [
        ("*.pdf", "a.pdf/b.txt"),
        ("policies/*", "policies/a/b.md"),
        ("policies/**", "other/policies/b.md"),
        ("a/**/b/**/c.txt", "a/c.txt"),
        ("a/**/a/x", "a/x"),
        ("/blog/**", "/blogs/post"),
        ("a.b", "aXb"),
    ],
)
def test_does_not_match(pattern: str, path: str) -> None:
    assert not matches([pattern], path)


def test_exclude_wins() -> None:
    assert selects((), (), "a.txt")
    assert selects(("*.txt",), ("drafts/**",), "a.txt")
    assert not selects(("*.txt",), ("drafts/**",), "drafts/a.txt")
    assert not selects(("*.txt",), (), "a.md")


@pytest.mark.parametrize("pattern", ["*a" * 200 + "b", "**/a/" * 90 + "b"])
def test_no_pattern_takes_long(pattern: str) -> None:
    begin = time.process_time()
    assert not matches([pattern], "a/" * 900 + "a" * 200)
    assert time.process_time() - begin < 5
