"""Settings of the transcription of sound and films."""

from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, model_validator


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
    """Time limit of a file."""

    @model_validator(mode="after")
    def _is_complete(self) -> "TranscriptionSettings":
        parts = urlsplit(self.url)
        if self.url and (parts.scheme not in ("http", "https") or not parts.hostname):
            raise ValueError("url: give the address of the server, beginning with http:// or https://")
        return self
