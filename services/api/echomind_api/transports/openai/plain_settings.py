"""Settings of a request to a plain model, in the words of the model's provider."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from echomind_api.transports.openai.errors import OpenAiError

_SENT: Final = (
    "response_format",
    "stop",
    "top_p",
    "seed",
    "frequency_penalty",
    "presence_penalty",
    "logit_bias",
    "reasoning_effort",
    "verbosity",
)
"""Settings that reach a model of OpenAI's form as they are; its server says what is wrong with them."""


class PlainSettings(NamedTuple):
    """What of a request's settings the model gets.

    Attributes:
        extra: Parameters of the provider.
        answer_schema: JSON schema of the answer, for a provider that has no `response_format`; None for free text.
    """

    extra: dict[str, Any]
    answer_schema: dict[str, Any] | None


def plain_settings(given: Mapping[str, Any], provider: str) -> PlainSettings:
    """Returns the settings of a request in the form of the model's provider.

    Args:
        given: The fields of the request.
        provider: The provider of the chat model.

    Raises:
        OpenAiError: The provider has nothing of the kind; `param` names the field.
    """
    asked = {name: given[name] for name in _SENT if given.get(name) is not None}
    if asked.get("response_format") == {"type": "text"}:
        del asked["response_format"]
    if provider != "anthropic":
        return PlainSettings(asked, None)
    extra: dict[str, Any] = {}
    if "top_p" in asked:
        extra["top_p"] = asked.pop("top_p")
    if "stop" in asked:
        stop = asked.pop("stop")
        extra["stop_sequences"] = [stop] if isinstance(stop, str) else stop
    schema = _schema(asked.pop("response_format")) if "response_format" in asked else None
    for name in asked:
        raise OpenAiError(f"This model's provider has no {name}: leave it out.", param=name)
    return PlainSettings(extra, schema)


def _schema(form: Any) -> dict[str, Any]:
    named = form.get("json_schema") if isinstance(form, dict) and form.get("type") == "json_schema" else None
    schema = named.get("schema") if isinstance(named, dict) else None
    if not isinstance(schema, dict):
        raise OpenAiError(
            "This model's provider answers in a JSON schema only: give one by response_format.json_schema.schema.",
            param="response_format",
        )
    return schema
