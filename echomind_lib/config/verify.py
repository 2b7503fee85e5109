"""Settings of the second check of citations."""

from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, model_validator


class VerifySettings(BaseModel):
    """A model that compares cited sentences with their sources, after the check of words. Only agents read these."""

    provider: Literal["", "tei", "model"] = ""
    """`tei`: an entailment model behind `/predict` of Text Embeddings Inference; `model`: the chat model of the answer,
    which is then asked once more for each answer with sources; empty means that words alone are compared."""
    url: str = ""
    """`tei` only: the server's address. It may be a private one."""
    api_key: SecretStr = SecretStr("")
    """`tei` only: sent as bearer token; empty for none."""
    threshold: float = Field(default=0.5, gt=0, lt=1)
    """`tei` only: the score of the label `entailment` from which a source supports a sentence."""
    citations: int = Field(default=20, ge=1, le=200)
    """Maximum number of citations of an answer that are compared; the check of words stands for further ones."""
    seconds: float = Field(default=5.0, gt=0, le=60)
    """Time limit of an answer; then the result of the check of words stays."""

    @model_validator(mode="after")
    def _is_complete(self) -> "VerifySettings":
        parts = urlsplit(self.url)
        if self.provider == "tei" and (parts.scheme not in ("http", "https") or not parts.hostname):
            raise ValueError("url: give the address of the server, beginning with http:// or https://, for `tei`")
        return self
