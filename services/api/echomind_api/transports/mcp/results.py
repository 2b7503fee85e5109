"""What the tools return."""

from pydantic import BaseModel, Field


class Passage(BaseModel):
    """A passage that was found."""

    id: str = Field(description="ID of its document, for `read`.")
    title: str
    url: str = Field(description="Page of the document in EchoMind.")
    text: str
    page: int | None = None
    score: float = Field(description="0 to 1")


class FoundPassages(BaseModel):
    """Passages, best first."""

    results: list[Passage]


class ReadDocument(BaseModel):
    """A part of a document's text."""

    id: str
    title: str
    url: str
    text: str
    start: int = Field(description="Position of the part, in characters.")
    length: int = Field(description="Characters of the whole text.")
    next: int | None = Field(default=None, description="Where the text continues; none at its end.")


class CitedSource(BaseModel):
    """A source of an answer."""

    number: int = Field(description="As in the answer: [1]")
    id: str = Field(description="ID of its document, for `read`; empty for a web page.")
    title: str
    url: str
    quote: str
    supported: bool = Field(description="Whether the check found that the source supports the sentence.")


class AskedAnswer(BaseModel):
    """An answer with its sources."""

    answer: str
    citations: list[CitedSource]
    run_id: str


class Source(BaseModel):
    """A source of documents."""

    id: str
    name: str
    type: str
    status: str
    documents: int
    last_sync: str | None = None


class Sources(BaseModel):
    """All sources that may be read."""

    sources: list[Source]
