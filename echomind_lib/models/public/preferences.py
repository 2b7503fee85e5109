"""

Generated from echomind/public/v1/preferences.proto by tools/pydantic_plugin: change that, then `make gen`.
"""
# mypy: disable-error-code="arg-type,misc"

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from echomind_lib.contract import ProtoEnum, ProtoModel
from echomind_lib.contract import types as _t
from echomind_lib.models.public.run import RunOptions
from echomind_lib.pb.echomind.public.v1 import preferences_pb2 as pb


class Language(ProtoEnum):
    """The language of the web UI."""

    UNSPECIFIED = "LANGUAGE_UNSPECIFIED", 0
    """As the browser says."""
    EN = "LANGUAGE_EN", 1
    """English."""
    DE = "LANGUAGE_DE", 2
    """German."""


class Theme(ProtoEnum):
    """The colours of the web UI."""

    UNSPECIFIED = "THEME_UNSPECIFIED", 0
    """As the system says."""
    LIGHT = "THEME_LIGHT", 1
    """Dark text on a light ground."""
    DARK = "THEME_DARK", 2
    """Light text on a dark ground."""


class Density(ProtoEnum):
    """How much room the web UI gives each row."""

    UNSPECIFIED = "DENSITY_UNSPECIFIED", 0
    """Comfortable."""
    COMPACT = "DENSITY_COMPACT", 1
    """More rows on a screen."""


class SendKey(ProtoEnum):
    """Which key sends a question."""

    UNSPECIFIED = "SEND_KEY_UNSPECIFIED", 0
    """Enter sends, Shift+Enter begins a line."""
    CTRL_ENTER = "SEND_KEY_CTRL_ENTER", 1
    """Ctrl+Enter (Cmd+Enter on a Mac) sends, Enter begins a line."""


class Preferences(ProtoModel):
    """What a person has set for themselves. It is written as a whole: what is left out gets its default."""

    __proto__: ClassVar = pb.Preferences
    __enums__: ClassVar = {
        "language": Language,
        "theme": Theme,
        "density": Density,
        "send_key": SendKey,
    }

    default_assistant_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0,
        description="The assistant of their new conversations; while it is 0, removed or hidden, that is the default assistant. It must be one that the person may use.",
    )
    language: Language = Field(default=Language.UNSPECIFIED, description="The language of the web UI.")
    theme: Theme = Field(default=Theme.UNSPECIFIED, description="The colours of the web UI.")
    density: Density = Field(default=Density.UNSPECIFIED, description="How much room the web UI gives each row.")
    send_key: SendKey = Field(default=SendKey.UNSPECIFIED, description="Which key sends a question in the web UI.")
    follow_answers: bool | None = Field(
        default=None, description="Whether a page scrolls along with an answer that is being written; unset means yes."
    )
    notifications: bool = Field(
        default=False,
        description="Whether the browser notifies the person when a run ends or waits for them while its page is not in front.",
    )
    single_key_shortcuts: bool | None = Field(
        default=None, description="Whether single keys are shortcuts in the web UI; unset means yes."
    )
    run_options: RunOptions | None = Field(
        default=None, description="How runs of new conversations work, where the question does not say it."
    )
    memory_off: bool = Field(
        default=False,
        description="Whether nothing is remembered of the person across conversations, and what is remembered is not used. What is stored stays until it is deleted.",
    )

    @classmethod
    def read_pb(cls, message: pb.Preferences) -> dict[str, Any]:
        """Lists what is set in a protobuf message, by Python name; fields without presence always are."""
        data: dict[str, Any] = {
            "default_assistant_id": message.default_assistant_id,
            "language": Language.numbers.get(message.language, message.language),
            "theme": Theme.numbers.get(message.theme, message.theme),
            "density": Density.numbers.get(message.density, message.density),
            "send_key": SendKey.numbers.get(message.send_key, message.send_key),
            "notifications": message.notifications,
            "memory_off": message.memory_off,
        }
        if message.HasField("follow_answers"):
            data["follow_answers"] = message.follow_answers
        if message.HasField("single_key_shortcuts"):
            data["single_key_shortcuts"] = message.single_key_shortcuts
        if message.HasField("run_options"):
            data["run_options"] = RunOptions.read_pb(message.run_options)
        return data

    def to_pb(self) -> pb.Preferences:
        """Makes a protobuf message."""
        return pb.Preferences(
            default_assistant_id=self.default_assistant_id,
            language=self.language.number,
            theme=self.theme.number,
            density=self.density.number,
            send_key=self.send_key.number,
            follow_answers=self.follow_answers,
            notifications=self.notifications,
            single_key_shortcuts=self.single_key_shortcuts,
            run_options=None if self.run_options is None else self.run_options.to_pb(),
            memory_off=self.memory_off,
        )
