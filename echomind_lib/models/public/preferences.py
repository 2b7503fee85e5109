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
    """Language of the web UI."""

    UNSPECIFIED = "LANGUAGE_UNSPECIFIED", 0
    """The language of the browser."""
    EN = "LANGUAGE_EN", 1
    """English."""
    DE = "LANGUAGE_DE", 2
    """German."""


class Theme(ProtoEnum):
    """Color theme of the web UI."""

    UNSPECIFIED = "THEME_UNSPECIFIED", 0
    """The theme of the system."""
    LIGHT = "THEME_LIGHT", 1
    """Light."""
    DARK = "THEME_DARK", 2
    """Dark."""


class Density(ProtoEnum):
    """Row spacing of the web UI."""

    UNSPECIFIED = "DENSITY_UNSPECIFIED", 0
    """Comfortable."""
    COMPACT = "DENSITY_COMPACT", 1
    """Compact: more rows on a screen."""


class SendKey(ProtoEnum):
    """The key that sends a question."""

    UNSPECIFIED = "SEND_KEY_UNSPECIFIED", 0
    """Enter sends, Shift+Enter inserts a line break."""
    CTRL_ENTER = "SEND_KEY_CTRL_ENTER", 1
    """Ctrl+Enter (Cmd+Enter on a Mac) sends, Enter inserts a line break."""


class Preferences(ProtoModel):
    """Preferences of a user. Written as a whole: omitted fields get their defaults."""

    __proto__: ClassVar = pb.Preferences
    __enums__: ClassVar = {
        "language": Language,
        "theme": Theme,
        "density": Density,
        "send_key": SendKey,
    }

    default_assistant_id: Annotated[_t.Int32, Field(ge=0)] = Field(
        default=0,
        description="ID of the assistant of new conversations; 0, or an assistant that was removed or hidden since, means the default assistant. The user must have access to it.",
    )
    language: Language = Field(default=Language.UNSPECIFIED, description="Language of the web UI.")
    theme: Theme = Field(default=Theme.UNSPECIFIED, description="Color theme of the web UI.")
    density: Density = Field(default=Density.UNSPECIFIED, description="Row spacing of the web UI.")
    send_key: SendKey = Field(default=SendKey.UNSPECIFIED, description="The key that sends a question in the web UI.")
    follow_answers: bool | None = Field(
        default=None, description="Whether a page follows an answer while it is written; unset means yes."
    )
    notifications: bool = Field(
        default=False,
        description="Whether the browser notifies the user when a run ends or waits for them while the page is in the background.",
    )
    single_key_shortcuts: bool | None = Field(
        default=None, description="Whether single-key shortcuts are enabled in the web UI; unset means yes."
    )
    run_options: RunOptions | None = Field(default=None, description="Default options of runs in new conversations.")
    memory_off: bool = Field(
        default=False,
        description="Whether memory is off: nothing is remembered, and stored memories are not used. They are kept until they are deleted.",
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
