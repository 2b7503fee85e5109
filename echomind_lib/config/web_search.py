"""Settings of the web search."""

from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, model_validator


class WebSearchSettings(BaseModel):
    """The search engine that agents search the web with. Only agents read these values."""

    provider: Literal["", "searxng", "brave", "tavily", "exa", "custom"] = ""
    """The search engine: `searxng`, `brave`, `tavily`, `exa`, or `custom` for any other with a JSON API; empty means
    that agents cannot search the web."""
    url: str = ""
    """Its address: for `searxng` that of the instance, for `custom` a template with `{query}` and optionally `{limit}`,
    such as `https://search.example.org/api?q={query}`; for others empty means the provider's own. It may be a private
    address."""
    api_key: SecretStr = SecretStr("")
    """The key at the provider; `searxng` needs none."""
    approval: bool = False
    """Whether a person has to approve a search after the conversation has read documents or other untrusted text, as
    the search engine sees the query."""
    body: str = ""
    """`custom` only: a template of the JSON to post, such as `{"q": "{query}", "n": {limit}}`; empty sends a GET."""
    header: str = "Authorization: Bearer {key}"
    """`custom` only: the header with the key."""
    results: str = "results"
    """`custom` only: where the answer has the list of results; dots go into objects, such as `web.results`."""
    title_field: str = "title"
    """`custom` only: the field of a result with its title."""
    url_field: str = "url"
    """`custom` only: the field with its address."""
    text_field: str = "content"
    """`custom` only: the field with an excerpt of the page."""
    seconds: float = Field(default=20.0, gt=0, le=120)
    """Time-out of a search."""

    @model_validator(mode="after")
    def _is_complete(self) -> "WebSearchSettings":
        if self.provider in ("searxng", "custom") and not self.url:
            raise ValueError(f"url: give the address of the search engine for the provider {self.provider}")
        if self.provider in ("brave", "tavily", "exa") and not self.api_key.get_secret_value():
            raise ValueError(f"api_key: the provider {self.provider} needs a key")
        parts = urlsplit(self.url)
        if self.url and (parts.scheme not in ("http", "https") or not parts.hostname):
            raise ValueError("url: must begin with http:// or https:// and have a host")
        if self.provider == "custom" and "{query}" not in self.url + self.body:
            raise ValueError("url: neither the address nor the body has {query}, the place of the search words")
        if self.provider == "custom" and ":" not in self.header:
            raise ValueError("header: must be NAME: VALUE, such as Authorization: Bearer {key}")
        return self
