"""Settings of servers that make text of sound, films and images."""

from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, field_validator, model_validator


class TranscriptionSettings(BaseModel):
    """A server that transcribes sound and films. Only ingestors read these."""

    url: str = ""
    """Address of a server with OpenAI's `/v1/audio/transcriptions`, such as `http://gpu:8000/v1`; it may be a private
    one. Empty means that sound and films are refused."""
    api_key: SecretStr = SecretStr("")
    """Sent as bearer token; empty for none."""
    model: str = "whisper-1"
    """Name of the model at the server."""
    seconds: float = Field(default=1_800.0, gt=0, le=86_400)
    """Time limit of a file; one that takes longer fails."""

    @field_validator("url")
    @classmethod
    def _is_address(cls, url: str) -> str:
        return checked_address(url)


class DescriptionSettings(BaseModel):
    """A server whose model describes images. Only ingestors read these."""

    url: str = ""
    """Address of a server with OpenAI's `/v1/chat/completions` and a model that sees, such as `http://gpu:8000/v1`; it
    may be a private one. Empty means that only the text in images is read."""
    api_key: SecretStr = SecretStr("")
    """Sent as bearer token; empty for none."""
    model: str = ""
    """Name of the model at the server."""
    seconds: float = Field(default=120.0, gt=0, le=3_600)
    """Time limit of an image; of one that takes longer only the text in it is read."""

    @field_validator("url")
    @classmethod
    def _is_address(cls, url: str) -> str:
        return checked_address(url)

    @model_validator(mode="after")
    def _is_complete(self) -> "DescriptionSettings":
        if self.url and not self.model:
            raise ValueError("model: name the model of the server that describes images")
        return self


def checked_address(url: str) -> str:
    """Returns the address of a server, which may be empty.

    Raises:
        ValueError: It is none.
    """
    parts = urlsplit(url)
    if url and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise ValueError("give the address of the server, beginning with http:// or https://")
    return url
